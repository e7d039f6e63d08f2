// Keys for an S3-compatible service, from the environment or from files.
#ifndef TOOLGATE_STORAGE_BLOBS_S3_CREDENTIALS_H_
#define TOOLGATE_STORAGE_BLOBS_S3_CREDENTIALS_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/api_key.h"

namespace toolgate::storage::blobs {

// Places of one secret. A file goes before the variable.
struct SecretPlace {
  std::string env = {};
  std::string file = {};
  // Setting that says so, for messages: "images.store.access_key".
  std::string setting = {};
};

// One of the two keys. Thread-safe.
class S3Key {
 public:
  explicit S3Key(const SecretPlace& place) : place_(place), key_(place.file, place.env) {}

  // As ApiKey reads it. FAILED_PRECONDITION names the setting, never the value.
  absl::StatusOr<std::string> Read() const;

 private:
  const SecretPlace place_;
  const ApiKey key_;
};

}  // namespace toolgate::storage::blobs

#endif  // TOOLGATE_STORAGE_BLOBS_S3_CREDENTIALS_H_
