// Source of the keys that tokens are checked with.
#ifndef TOOLGATE_SECURITY_IDENTITY_KEY_SOURCE_H_
#define TOOLGATE_SECURITY_IDENTITY_KEY_SOURCE_H_

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "security/identity/jose/key_set.h"

namespace toolgate::security::identity {

using SharedKeys = std::shared_ptr<const jose::KeySet>;

// Thread-safe.
class KeySource {
 public:
  virtual ~KeySource() = default;

  // The current keys. OVERLOADED, with a time to retry, if they cannot be determined.
  virtual absl::StatusOr<SharedKeys> Keys() = 0;
  // For a token whose key is not in `known`: newer keys if they are available, otherwise `known`.
  virtual SharedKeys Newer(const SharedKeys& known) = 0;
};

// Keys that never change.
class FixedKeys final : public KeySource {
 public:
  explicit FixedKeys(jose::KeySet keys) : keys_(std::make_shared<const jose::KeySet>(std::move(keys))) {}

  absl::StatusOr<SharedKeys> Keys() override { return keys_; }
  SharedKeys Newer(const SharedKeys& known) override { return known; }

 private:
  const SharedKeys keys_;
};

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_KEY_SOURCE_H_
