#include "storage/store.h"

#include "common/status_macros.h"
#include "storage/audit_chain.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage {

absl::Status Store::AppendAudit(const std::vector<v1::AuditEntry>& entries) {
  std::vector<PackedAuditEntry> packed;
  packed.reserve(entries.size());
  for (const v1::AuditEntry& entry : entries) {
    ASSIGN_OR_RETURN(packed.emplace_back(), PackAuditEntry(entry));
  }
  return AppendPackedAudit(packed);
}

}  // namespace toolgate::storage
