// Records of an automation's steps until it is known which attempt counts.
#ifndef TOOLGATE_SECURITY_STEP_LEDGER_H_
#define TOOLGATE_SECURITY_STEP_LEDGER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "security/scanned_texts.h"

namespace toolgate::v1 {
class AuditEntry;
}  // namespace toolgate::v1

namespace toolgate::security {

// The store may rerun the transaction of an automation because of another call's failure in the same batch. Its steps
// then run a second time, perhaps others than before, because they may read other data; a tool's step that ran before
// is not charged again, and only the steps of the last attempt are audited. Not thread-safe: belongs to one automation,
// whose steps run one after the other.
class StepLedger {
 public:
  StepLedger();
  ~StepLedger();
  StepLedger(const StepLedger&) = delete;
  StepLedger& operator=(const StepLedger&) = delete;

  // The transaction begins, perhaps again.
  void BeginAttempt();

  // Claims a charge for a step of `tool_id` from an earlier attempt; false if none is left.
  bool Claim(std::string_view tool_id);

  // A step of `tool_id` has passed the limits and starts.
  void NoteCharged(std::string_view tool_id) { charged_.emplace_back(tool_id); }

  // A step of this attempt has ended, refused or not.
  void AddEntry(v1::AuditEntry entry);
  // In the order in which the steps ended.
  const std::vector<v1::AuditEntry>& entries() const { return entries_; }
  // Marks all entries after the first `kept`: the effects of those steps were taken back.
  void MarkTakenBack(size_t kept);

  // Of all attempts together.
  ScannedTexts& texts() { return texts_; }

 private:
  std::vector<std::string> charged_;    // In all attempts together.
  std::vector<std::string> unclaimed_;  // Of the earlier attempts' charges.
  std::vector<v1::AuditEntry> entries_;
  ScannedTexts texts_;
};

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_STEP_LEDGER_H_
