#include "executors/shell/sandbox/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "executors/directory/content.h"

namespace toolgate::executors::shell::sandbox {
namespace {

absl::Status Unavailable(const char* attempt) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", attempt, " a file in memory"));
}

}  // namespace

absl::StatusOr<Descriptor> MakeMemoryFile(const char* name, std::string_view content) {
  Descriptor writable(memfd_create(name, MFD_CLOEXEC));
  if (!writable.valid()) return Unavailable("make");
  RETURN_IF_ERROR(directory::WriteAll(writable.get(), name, content));
  const std::string path = absl::StrCat("/proc/self/fd/", writable.get());
  Descriptor readable(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!readable.valid()) return Unavailable("open");
  return readable;
}

}  // namespace toolgate::executors::shell::sandbox
