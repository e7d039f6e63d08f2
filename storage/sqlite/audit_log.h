// The audit log of one workspace in SQLite: segments, the index over their terms, and the head and the anchor of the
// chain.
//
// A commit appends its segment and moves the head. Its terms lie all over the index, so that writing them at once would
// cost more pages than all else that a mutation writes; they are read into the index later, many segments at a time.
// Until then a search looks into the segments themselves.
#ifndef TOOLGATE_STORAGE_SQLITE_AUDIT_LOG_H_
#define TOOLGATE_STORAGE_SQLITE_AUDIT_LOG_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/audit_chain.h"
#include "storage/query.h"
#include "storage/records.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {

// Borrows the connection; used by one thread at a time. A workspace that does not exist has key 0 and no entries.
class AuditLog {
 public:
  AuditLog(Connection& connection, int64_t workspace) : connection_(connection), workspace_(workspace) {}

  // A part of a search, of at most `max_segments`, so that no snapshot need last for all of it: adds to `found`, and
  // moves `query` behind it. Returns whether there may be more. Segments only come at the end and go at the beginning,
  // so that the parts together are a search.
  absl::StatusOr<bool> SearchPart(AuditQuery& query, int64_t max_segments, std::vector<v1::AuditEntry>& found);
  // Nothing if there is none.
  absl::StatusOr<std::optional<v1::AuditEntry>> Find(std::string_view entry_id);
  // The same in parts: verifies at most `max_segments`, in the `verifier` that the first part makes. Returns the report
  // at the end.
  struct Verification {
    std::optional<ChainVerifier> verifier;
    bool verified = false;  // A part of it is.
    int64_t next = 0;       // The first sequence that is not.
    int64_t last = 0;       // The chain's end when the verification began.
  };
  absl::StatusOr<std::optional<ChainReport>> VerifyPart(Verification& state, int64_t max_segments);

  // The end of the chain. The functions below need a write transaction.
  absl::StatusOr<ChainLink> ReadHead();
  absl::Status Append(const SegmentBuilder& segment);
  // Reads terms into the index, of segments with at least `limit` entries, or of all that are left. Returns the number
  // of entries.
  absl::StatusOr<int64_t> IndexTerms(int64_t limit);
  // Workspaces with terms that are not in the index yet.
  static absl::StatusOr<std::vector<int64_t>> ListUnindexed(Connection& connection);
  // Drops the oldest segments, as long as they lie completely before the time, until at least `limit` entries are gone:
  // then there may be more. Returns the number of dropped entries.
  absl::StatusOr<int64_t> Trim(int64_t before_us, int64_t limit);

 private:
  // Returns whether to continue. The entry has its sequence and hash, but not the previous one's.
  using VisitSegment = absl::FunctionRef<absl::StatusOr<bool>(int64_t first_sequence, std::string_view payload)>;
  absl::StatusOr<bool> VisitNewestFirst(const AuditQuery& query, VisitSegment visit);
  // The same for segments whose first sequence is below `before` and above `after`; by their terms, unless it is empty.
  absl::StatusOr<bool> Visit(const AuditQuery& query, const std::vector<int64_t>& terms, int64_t after, int64_t before,
                             VisitSegment visit);
  absl::StatusOr<int64_t> IndexedSequence();
  // A sequence such that no segment before it, but perhaps a few, has an entry of `time_us` or later.
  absl::StatusOr<int64_t> SequenceAt(int64_t time_us);
  absl::StatusOr<bool> IsBefore(int64_t sequence, int64_t time_us);
  absl::StatusOr<std::optional<v1::AuditEntry>> FindIn(Cursor segments, std::string_view entry_id, int64_t until_us);
  absl::StatusOr<v1::AuditEntry> Complete(const std::vector<StoredAuditEntry>& entries, size_t index);
  absl::StatusOr<std::string> PreviousHash(int64_t first_sequence);
  absl::StatusOr<ChainLink> ReadAnchor();
  absl::Status ForgetSegment(const AuditSegment& segment);

  Connection& connection_;
  const int64_t workspace_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_AUDIT_LOG_H_
