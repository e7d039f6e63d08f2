#include "storage/blobs/blob_store.h"

#include "storage/blobs/blob_key.h"

namespace toolgate::storage::blobs {

absl::Status CheckBlobKey(std::string_view key) {
  return IsBlobKey(key) ? absl::OkStatus() : absl::InvalidArgumentError("takes no such name for a blob");
}

std::optional<std::string> KeyBelow(std::string_view base, std::string_view url) {
  if (!url.starts_with(base) || !IsBlobKey(url.substr(base.size()))) return std::nullopt;
  return std::string(url.substr(base.size()));
}

}  // namespace toolgate::storage::blobs
