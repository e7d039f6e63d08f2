// Which steps of an automation have been charged already.
#ifndef TOOLGATE_SECURITY_STEP_LEDGER_H_
#define TOOLGATE_SECURITY_STEP_LEDGER_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate::security {

// The store may run the transaction of an automation again because of somebody else's failure in the same batch. Its
// steps then run a second time, perhaps others than before, since they may read other data; each tool's step that ran
// before is not charged again. Not thread-safe: one automation's, whose steps run one after the other.
class StepLedger {
 public:
  // The transaction begins, perhaps again.
  void BeginAttempt() { unclaimed_ = charged_; }

  // Whether a step of `tool_id` was charged in an earlier attempt and not claimed in this one, which it now is.
  bool Claim(std::string_view tool_id) {
    const auto found = std::find(unclaimed_.begin(), unclaimed_.end(), tool_id);
    if (found == unclaimed_.end()) return false;
    unclaimed_.erase(found);
    return true;
  }

  // A step of `tool_id` has passed the limits and starts.
  void NoteCharged(std::string_view tool_id) { charged_.emplace_back(tool_id); }

 private:
  std::vector<std::string> charged_;    // In all attempts together.
  std::vector<std::string> unclaimed_;  // Of the earlier attempts' charges.
};

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_STEP_LEDGER_H_
