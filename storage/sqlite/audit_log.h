// The audit log of one workspace in SQLite: segments, the index over them, and the head and the anchor of the chain.
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

  absl::StatusOr<std::vector<v1::AuditEntry>> Search(const AuditQuery& query);
  // Nothing if there is none.
  absl::StatusOr<std::optional<v1::AuditEntry>> Find(std::string_view entry_id);
  absl::StatusOr<ChainReport> Verify();

  // The end of the chain. The functions below need a write transaction.
  absl::StatusOr<ChainLink> ReadHead();
  absl::Status Append(SegmentBuilder& segment);
  // Drops the oldest segments, as long as they lie completely before the time, until at least `limit` entries are gone:
  // then there may be more. Returns the number of dropped entries.
  absl::StatusOr<int64_t> Trim(int64_t before_us, int64_t limit);

 private:
  // Returns whether to continue. The entry has its sequence and hash, but not the previous one's.
  using VisitSegment = absl::FunctionRef<absl::StatusOr<bool>(int64_t first_sequence, std::string_view payload)>;
  absl::Status VisitNewestFirst(const AuditQuery& query, VisitSegment visit);
  absl::StatusOr<std::optional<v1::AuditEntry>> FindIn(Cursor segments, std::string_view entry_id);
  absl::StatusOr<v1::AuditEntry> Complete(const std::vector<StoredAuditEntry>& entries, size_t index);
  absl::StatusOr<std::string> PreviousHash(int64_t first_sequence);
  absl::StatusOr<ChainLink> ReadAnchor();
  absl::Status ForgetSegment(const AuditSegment& segment);

  Connection& connection_;
  const int64_t workspace_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_AUDIT_LOG_H_
