// Reading, hashing and copying the content of open files.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_CONTENT_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_CONTENT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/fibers/cancellation.h"

namespace toolgate::executors::directory {

// Length and digest of bytes that passed.
struct ContentDigest {
  int64_t size = 0;
  std::string sha256;  // 32 bytes.
};

// All functions read from the file's beginning, whatever its position, and name `path` in their errors. They ask the
// call's cancellation before each piece: a file may be of any size, and its file system slow.

// Passes the content in pieces. RESOURCE_EXHAUSTED beyond `max_bytes`.
absl::Status ReadPieces(int file, std::string_view path, int64_t max_bytes,
                        absl::FunctionRef<absl::Status(std::string_view)> take,
                        const fibers::Cancellation& cancellation = fibers::Cancellation());
absl::StatusOr<std::string> ReadWhole(int file, std::string_view path, int64_t max_bytes,
                                      const fibers::Cancellation& cancellation = fibers::Cancellation());
absl::StatusOr<ContentDigest> DigestOf(int file, std::string_view path,
                                       const fibers::Cancellation& cancellation = fibers::Cancellation());

absl::Status WriteAll(int file, std::string_view path, std::string_view bytes);

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_CONTENT_H_
