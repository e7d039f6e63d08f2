// Blobs in memory, with failures that a test chooses.
#ifndef TOOLGATE_TESTS_SUPPORT_MEMORY_BLOB_STORE_H_
#define TOOLGATE_TESTS_SUPPORT_MEMORY_BLOB_STORE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "storage/blobs/blob_store.h"

namespace toolgate::testing {

// Used by one thread at a time.
class MemoryBlobStore final : public storage::blobs::BlobStore {
 public:
  absl::Status Configured() const override { return configured; }
  absl::Status Put(std::string_view key, std::string_view media_type, std::string_view bytes,
                   const storage::blobs::Scope& scope) override {
    if (before_put != nullptr) before_put();
    if (scope.retries != nullptr) *scope.retries += repeats;
    if (!failure.ok()) return failure;
    blobs[std::string(key)] = std::string(bytes);
    types[std::string(key)] = std::string(media_type);
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> Get(std::string_view key, int64_t max_bytes,
                                  const storage::blobs::Scope& /*scope*/) override {
    if (!failure.ok()) return failure;
    const auto found = blobs.find(std::string(key));
    if (found == blobs.end()) return absl::NotFoundError("has no such blob");
    if (static_cast<int64_t>(found->second.size()) > max_bytes) return absl::OutOfRangeError("has a larger blob");
    return found->second;
  }
  absl::StatusOr<bool> Has(std::string_view key, const storage::blobs::Scope& /*scope*/) override {
    if (!failure.ok()) return failure;
    return blobs.count(std::string(key)) > 0;
  }
  absl::Status Delete(std::string_view key, const storage::blobs::Scope& /*scope*/) override {
    blobs.erase(std::string(key));
    return failure;
  }
  std::string UrlOf(std::string_view key) const override { return "https://images.test/" + std::string(key); }
  std::optional<std::string> KeyOf(std::string_view url) const override {
    return storage::blobs::KeyBelow("https://images.test/", url);
  }

  std::map<std::string, std::string> blobs;
  std::map<std::string, std::string> types;
  absl::Status configured = absl::OkStatus();
  absl::Status failure = absl::OkStatus();
  int repeats = 0;  // That each Put reports.
  std::function<void()> before_put = nullptr;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_MEMORY_BLOB_STORE_H_
