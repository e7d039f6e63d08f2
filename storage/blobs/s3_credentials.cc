#include "storage/blobs/s3_credentials.h"

#include "absl/strings/str_cat.h"

namespace toolgate::storage::blobs {

absl::StatusOr<std::string> S3Key::Read() const {
  absl::StatusOr<std::string> key = key_.Read();
  if (key.ok()) return key;
  const std::string place = !place_.file.empty() ? "_file names a file that "
                            : place_.env.empty() ? "_env and _file are empty"
                                                 : absl::StrCat("_env names the variable ", place_.env, ", which ");
  const bool named = !place_.file.empty() || !place_.env.empty();
  return absl::FailedPreconditionError(
      absl::StrCat("has no key: ", place_.setting, place, named ? key.status().message() : ""));
}

}  // namespace toolgate::storage::blobs
