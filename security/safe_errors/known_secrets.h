// The secrets that the service was given.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_KNOWN_SECRETS_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_KNOWN_SECRETS_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "security/safe_errors/secret_matcher.h"

namespace toolgate::security::safe_errors {

// Their values are masked wherever a text leaves the service, whatever they look like: another service may quote the
// key that it was asked with. One that was replaced stays known, since texts from before may still come; of more than
// kMaxSecrets the oldest is forgotten. Thread-safe.
class KnownSecrets {
 public:
  static constexpr size_t kMaxSecrets = 256;

  KnownSecrets() = default;
  KnownSecrets(const KnownSecrets&) = delete;
  KnownSecrets& operator=(const KnownSecrets&) = delete;

  // Adds those that are new. Costs next to nothing if none is.
  void Add(const std::vector<std::string>& values) ABSL_LOCKS_EXCLUDED(mutex_);

  // Null while there are none.
  std::shared_ptr<const SecretMatcher> matcher() const { return matcher_.load(std::memory_order_acquire); }

 private:
  absl::Mutex mutex_;
  std::vector<std::string> values_ ABSL_GUARDED_BY(mutex_);  // The oldest first.
  std::atomic<std::shared_ptr<const SecretMatcher>> matcher_;
};

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_KNOWN_SECRETS_H_
