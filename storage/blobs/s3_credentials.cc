#include "storage/blobs/s3_credentials.h"

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "storage/blobs/durable_file.h"

namespace toolgate::storage::blobs {
namespace {

constexpr int64_t kMaxSecretBytes = 4096;

absl::Status Missing(const SecretPlace& place, const std::string& problem) {
  return absl::FailedPreconditionError(absl::StrCat("has no key: ", place.setting, problem));
}

}  // namespace

absl::StatusOr<std::string> ReadSecret(const SecretPlace& place) {
  if (!place.file.empty()) {
    const absl::StatusOr<std::string> text = ReadWhole(place.file, kMaxSecretBytes);
    if (!text.ok()) return Missing(place, "_file names a file that cannot be read");
    const std::string secret(absl::StripAsciiWhitespace(*text));
    if (secret.empty()) return Missing(place, "_file names an empty file");
    return secret;
  }
  if (place.env.empty()) return Missing(place, "_env and _file are empty");
  const char* const value = std::getenv(place.env.c_str());
  const std::string secret(absl::StripAsciiWhitespace(value == nullptr ? "" : value));
  if (secret.empty()) return Missing(place, absl::StrCat("_env names the variable ", place.env, ", which is not set"));
  return secret;
}

}  // namespace toolgate::storage::blobs
