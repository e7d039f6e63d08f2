// Reading, hashing and copying the content of open files.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_CONTENT_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_CONTENT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace toolgate::executors::directory {

// Length and digest of bytes that passed.
struct ContentDigest {
  int64_t size = 0;
  std::string sha256;  // 32 bytes.
};

// All functions read from the file's beginning, whatever its position, and name `path` in their errors.

// Passes the content in pieces. RESOURCE_EXHAUSTED beyond `max_bytes`.
absl::Status ReadPieces(int file, std::string_view path, int64_t max_bytes,
                        absl::FunctionRef<absl::Status(std::string_view)> take);
absl::StatusOr<std::string> ReadWhole(int file, std::string_view path, int64_t max_bytes);
absl::StatusOr<ContentDigest> DigestOf(int file, std::string_view path);

absl::Status WriteAll(int file, std::string_view path, std::string_view bytes);

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_CONTENT_H_
