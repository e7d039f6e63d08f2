// Keys for an S3-compatible service, from the environment or from files.
#ifndef TOOLGATE_STORAGE_BLOBS_S3_CREDENTIALS_H_
#define TOOLGATE_STORAGE_BLOBS_S3_CREDENTIALS_H_

#include <string>

#include "absl/status/statusor.h"

namespace toolgate::storage::blobs {

// Places of one secret. A file goes before the variable.
struct SecretPlace {
  std::string env = {};
  std::string file = {};
  // Setting that says so, for messages: "images.store.access_key".
  std::string setting = {};
};

// The secret, without white space around it. Reads the place anew each time, so that keys can be changed while the
// service runs. FAILED_PRECONDITION names the setting, never the value.
absl::StatusOr<std::string> ReadSecret(const SecretPlace& place);

}  // namespace toolgate::storage::blobs

#endif  // TOOLGATE_STORAGE_BLOBS_S3_CREDENTIALS_H_
