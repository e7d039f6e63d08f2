#include "storage/data_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"

namespace toolgate::storage {
namespace {

// Returns 0 or an error number. A process that is killed while it starts another one, such as a shell command, leaves
// the lock to that one until it has closed the descriptors it inherited.
int LockSoon(int file) {
  for (int tries = 0; flock(file, LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (errno != EWOULDBLOCK || tries == 20) return errno;
    absl::SleepFor(absl::Milliseconds(25));
  }
  return 0;
}

}  // namespace

absl::Status UnusableFile(std::string_view path, std::string_view what, int error) {
  return absl::UnavailableError(
      absl::StrCat(ToAbsl(what), " ", ToAbsl(path), ": ", std::strerror(error),
                   "; the data directory must exist or be creatable, and it and its files be writable by user ",
                   geteuid(), " (name another one with --data-dir)"));
}

absl::StatusOr<DataDirectory> DataDirectory::Lock(const std::string& path) {
  std::error_code error;
  const bool existed = std::filesystem::exists(path, error);
  std::filesystem::create_directories(path, error);
  if (error) return UnusableFile(path, "cannot make the data directory", error.value());
  if (!existed) chmod(path.c_str(), 0700);
  const std::string name = path + "/toolgate.lock";
  const int file = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return UnusableFile(name, "cannot open", errno);
  DataDirectory directory(file);
  const int why = LockSoon(file);
  if (why == 0) return directory;
  if (why != EWOULDBLOCK) return UnusableFile(name, "cannot lock", why);
  return absl::UnavailableError(absl::StrCat("another toolgate process is using the data directory ", path,
                                             "; stop it or name another directory with --data-dir"));
}

DataDirectory::~DataDirectory() {
  if (lock_file_ >= 0) close(lock_file_);
}

}  // namespace toolgate::storage
