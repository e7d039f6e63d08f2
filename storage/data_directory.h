// The data directory of one process.
#ifndef TOOLGATE_STORAGE_DATA_DIRECTORY_H_
#define TOOLGATE_STORAGE_DATA_DIRECTORY_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace toolgate::storage {

// Keeps all other processes from a directory, until it is destroyed.
class DataDirectory {
 public:
  // Makes the directory when absent, with mode 0700. UNAVAILABLE, naming the path and what to do, when it cannot be
  // used or another process has it.
  static absl::StatusOr<DataDirectory> Lock(const std::string& path);
  DataDirectory(DataDirectory&& other) noexcept : lock_file_(std::exchange(other.lock_file_, -1)) {}
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();

 private:
  explicit DataDirectory(int lock_file) : lock_file_(lock_file) {}

  int lock_file_;
};

// UNAVAILABLE: the reason, by an error number, for which `what` ("cannot open") failed for a file of the directory, and
// what to do.
absl::Status UnusableFile(std::string_view path, std::string_view what, int error);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_DATA_DIRECTORY_H_
