// What the steps of an automation leave behind until it is known which attempt counts.
#ifndef TOOLGATE_SECURITY_STEP_LEDGER_H_
#define TOOLGATE_SECURITY_STEP_LEDGER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate::v1 {
class AuditEntry;
}  // namespace toolgate::v1

namespace toolgate::security {

// The store may run the transaction of an automation again because of somebody else's failure in the same batch. Its
// steps then run a second time, perhaps others than before, since they may read other data; each tool's step that ran
// before is not charged again, and only the steps of the last attempt are audited. Not thread-safe: one automation's,
// whose steps run one after the other.
class StepLedger {
 public:
  StepLedger();
  ~StepLedger();
  StepLedger(const StepLedger&) = delete;
  StepLedger& operator=(const StepLedger&) = delete;

  // The transaction begins, perhaps again.
  void BeginAttempt();

  // Whether a step of `tool_id` was charged in an earlier attempt and not claimed in this one, which it now is.
  bool Claim(std::string_view tool_id);

  // A step of `tool_id` has passed the limits and starts.
  void NoteCharged(std::string_view tool_id) { charged_.emplace_back(tool_id); }

  // A step of this attempt has ended, refused or not.
  void AddEntry(v1::AuditEntry entry);
  // In the order in which the steps ended.
  const std::vector<v1::AuditEntry>& entries() const { return entries_; }
  // What the steps did whose entries came after the first `kept` was taken back.
  void MarkTakenBack(size_t kept);

 private:
  std::vector<std::string> charged_;    // In all attempts together.
  std::vector<std::string> unclaimed_;  // Of the earlier attempts' charges.
  std::vector<v1::AuditEntry> entries_;
};

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_STEP_LEDGER_H_
