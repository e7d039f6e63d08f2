// Findings in texts from outside that a transaction comes upon.
#ifndef TOOLGATE_SECURITY_SCANNED_TEXTS_H_
#define TOOLGATE_SECURITY_SCANNED_TEXTS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "common/absl_bridge.h"
#include "security/finding.h"

namespace toolgate::security {

// A scan in a transaction would hold up every other mutation. So a transaction only asks for the findings in a text; if
// they are missing it is rolled back, the texts are scanned, and it runs once more. Not thread-safe: belongs to one
// call.
class ScannedTexts {
 public:
  // The transaction begins, perhaps again.
  void BeginAttempt() { missing_.clear(); }

  // The findings in `text`. Null, and the text is missing, if it was not scanned.
  const std::vector<Finding>* Find(std::string_view text) {
    const auto found = findings_.find(ToAbsl(text));
    if (found != findings_.end()) return &found->second;
    missing_.emplace(text);
    return nullptr;
  }

  // Texts that the last attempt asked for in vain.
  const absl::flat_hash_set<std::string>& missing() const { return missing_; }

  void Add(std::string text, std::vector<Finding> findings) {
    findings_.insert_or_assign(std::move(text), std::move(findings));
  }

 private:
  absl::flat_hash_map<std::string, std::vector<Finding>> findings_;
  absl::flat_hash_set<std::string> missing_;
};

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_SCANNED_TEXTS_H_
