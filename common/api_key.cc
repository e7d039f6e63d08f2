#include "common/api_key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/descriptor.h"
#include "common/status_macros.h"

namespace toolgate {
namespace {

constexpr size_t kMaxKeyBytes = 8192;

// The key in a text that surrounds it with spaces at most.
absl::StatusOr<std::string> KeyIn(std::string_view text) {
  const std::string_view key = FromAbsl(absl::StripAsciiWhitespace(ToAbsl(text)));
  if (key.empty()) return absl::NotFoundError("is empty");
  if (key.size() > kMaxKeyBytes) return absl::InvalidArgumentError("is longer than a key can be");
  if (!std::all_of(key.begin(), key.end(), [](unsigned char c) { return absl::ascii_isgraph(c); })) {
    return absl::InvalidArgumentError("has characters that a key cannot have");
  }
  return std::string(key);
}

absl::StatusOr<std::string> KeyOfVariable(const std::string& variable) {
  const char* const value = variable.empty() ? nullptr : getenv(variable.c_str());
  if (value == nullptr) return absl::NotFoundError("is not set");
  return KeyIn(value);
}

absl::Status SystemError() { return absl::UnavailableError(absl::StrCat("cannot be read: ", strerror(errno))); }

// One byte more than a key may have, at most.
absl::StatusOr<std::string> ReadBounded(int fd) {
  std::string text(kMaxKeyBytes + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = read(fd, text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError();
    if (count == 0) break;
    size += static_cast<size_t>(count);
  }
  text.resize(size);
  return text;
}

}  // namespace

bool ApiKey::Version::operator==(const Version& other) const {
  return device == other.device && inode == other.inode && size == other.size &&
         changed.tv_sec == other.changed.tv_sec && changed.tv_nsec == other.changed.tv_nsec;
}

ApiKey::ApiKey(std::string file, const std::string& variable)
    : file_(std::move(file)), of_variable_(KeyOfVariable(variable)), of_file_(absl::NotFoundError("is not read yet")) {}

absl::StatusOr<std::string> ApiKey::Read() const {
  if (file_.empty()) return of_variable_;
  struct stat found {};
  if (stat(file_.c_str(), &found) != 0) return SystemError();
  const Version version{found.st_dev, found.st_ino, found.st_size, found.st_ctim};
  absl::MutexLock lock(&mutex_);
  if (!(version == version_)) {
    of_file_ = ReadFile();
    version_ = version;
  }
  return of_file_;
}

absl::StatusOr<std::string> ApiKey::ReadFile() const {
  const Descriptor file(open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid()) return SystemError();
  ASSIGN_OR_RETURN(const std::string text, ReadBounded(file.get()));
  return KeyIn(text);
}

}  // namespace toolgate
