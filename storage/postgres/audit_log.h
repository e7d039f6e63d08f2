// The audit log of one workspace: segments, the index over their terms, and the head and the anchor of the chain.
//
// A commit appends its segment and moves the head (schema.cc, append_audit). Its terms lie all over the index and are
// read into it later, many segments at a time; until then a search looks into the segments themselves.
#ifndef TOOLGATE_STORAGE_POSTGRES_AUDIT_LOG_H_
#define TOOLGATE_STORAGE_POSTGRES_AUDIT_LOG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/audit_chain.h"
#include "storage/postgres/connection.h"
#include "storage/postgres/session.h"
#include "storage/query.h"
#include "storage/records.h"

namespace toolgate::storage::postgres {

// Appends entries to the chain of a workspace, given by its key: the last statement of a transaction.
inline constexpr char kAppendAudit[] = "SELECT toolgate.append_audit($1, $2, $3)";
// The parameters of one or more of these.
std::vector<Params> AppendParams(int64_t workspace, const std::vector<PackedAuditEntry>& entries);

// Borrows the session; used by one thread at a time.
class AuditLog {
 public:
  explicit AuditLog(Session& session) : session_(session) {}

  // A part of a search, of at most `max_segments`, so that no snapshot need last for all of it: adds to `found`, and
  // moves `query` behind it. Returns whether there may be more. Segments only come at the end and go at the beginning,
  // so that the parts together are a search.
  absl::StatusOr<bool> SearchPart(AuditQuery& query, int64_t max_segments, std::vector<v1::AuditEntry>& found);
  // Nothing if there is none.
  absl::StatusOr<std::optional<v1::AuditEntry>> Find(std::string_view entry_id);
  // Verifies at most `max_segments`, in the `verifier` that the first part makes. Returns the report at the end.
  struct Verification {
    std::optional<ChainVerifier> verifier;
    bool verified = false;  // A part of it is.
    int64_t next = 0;       // The first sequence that is not.
    int64_t last = 0;       // The chain's end when the verification began.
  };
  absl::StatusOr<std::optional<ChainReport>> VerifyPart(Verification& state, int64_t max_segments);

  // These need a transaction under the workspace's head. Reads terms into the index, of segments with at least `limit`
  // entries, or of all that are left. Returns the number of entries.
  absl::StatusOr<int64_t> IndexTerms(int64_t limit);
  // Drops the oldest segments, as long as they lie completely before the time, until at least `limit` entries are gone:
  // then there may be more. Returns the number of dropped entries.
  absl::StatusOr<int64_t> Trim(int64_t before_us, int64_t limit);

 private:
  struct Ends {
    ChainLink head;
    ChainLink anchor;
    int64_t indexed = 0;
  };
  absl::StatusOr<Ends> ReadEnds(bool lock = false);
  // Returns segments from newest to oldest that may match, at most `limit`.
  absl::StatusOr<std::vector<AuditSegment>> ListCandidates(const AuditQuery& query, const std::vector<int64_t>& terms,
                                                           int64_t after, int64_t before, int64_t limit);
  absl::StatusOr<v1::AuditEntry> Complete(const std::vector<StoredAuditEntry>& entries, size_t index);
  absl::StatusOr<std::string> PreviousHash(int64_t first_sequence);
  absl::StatusOr<std::optional<v1::AuditEntry>> FindIn(int64_t from, bool ascending, std::string_view entry_id,
                                                       int64_t until_us);
  absl::StatusOr<int64_t> SequenceAt(int64_t time_us);
  absl::Status ForgetSegments(const std::vector<AuditSegment>& segments);

  Session& session_;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_AUDIT_LOG_H_
