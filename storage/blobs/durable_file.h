// Writes files that are there whole or not at all.
#ifndef TOOLGATE_STORAGE_BLOBS_DURABLE_FILE_H_
#define TOOLGATE_STORAGE_BLOBS_DURABLE_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace toolgate::storage::blobs {

// Files that are being written are named so, and a random part.
inline constexpr std::string_view kUnfinished = ".unfinished-";

// Replaces the file at `path` atomically and durably; mode 0600. Its folder is there. Nothing is left behind after an
// error. Errors are those of BlobStore.
absl::Status WriteDurably(const std::string& path, std::string_view bytes);

// A whole file that is no link. NOT_FOUND; OUT_OF_RANGE when it is longer.
absl::StatusOr<std::string> ReadWhole(const std::string& path, int64_t max_bytes);

// Makes a folder and those above it (0700), each durably.
absl::Status MakeFolders(const std::string& path);

// As a BlobStore's error: "cannot write: No space left on device".
absl::Status FileFailure(int error, std::string_view doing);

}  // namespace toolgate::storage::blobs

#endif  // TOOLGATE_STORAGE_BLOBS_DURABLE_FILE_H_
