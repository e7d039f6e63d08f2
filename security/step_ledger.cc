#include "security/step_ledger.h"

#include <algorithm>
#include <utility>

#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::security {

StepLedger::StepLedger() = default;
StepLedger::~StepLedger() = default;

void StepLedger::BeginAttempt() {
  unclaimed_ = charged_;
  entries_.clear();
  texts_.BeginAttempt();
}

bool StepLedger::Claim(std::string_view tool_id) {
  const auto found = std::find(unclaimed_.begin(), unclaimed_.end(), tool_id);
  if (found == unclaimed_.end()) return false;
  unclaimed_.erase(found);
  return true;
}

void StepLedger::AddEntry(v1::AuditEntry entry) { entries_.push_back(std::move(entry)); }

void StepLedger::MarkTakenBack(size_t kept) {
  for (size_t i = kept; i < entries_.size(); ++i) entries_[i].set_taken_back(entries_[i].success());
}

}  // namespace toolgate::security
