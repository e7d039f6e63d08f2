#include "security/safe_errors/known_secrets.h"

#include <algorithm>

namespace toolgate::security::safe_errors {

void KnownSecrets::Add(const std::vector<std::string>& values) {
  absl::MutexLock lock(&mutex_);
  bool changed = false;
  for (const std::string& value : values) {
    if (value.size() < SecretMatcher::kFewest || std::find(values_.begin(), values_.end(), value) != values_.end()) {
      continue;
    }
    if (values_.size() == kMaxSecrets) values_.erase(values_.begin());
    values_.push_back(value);
    changed = true;
  }
  if (changed) matcher_.store(std::make_shared<const SecretMatcher>(values_), std::memory_order_release);
}

}  // namespace toolgate::security::safe_errors
