#include "executors/shell/sandbox/launcher_image.h"

#include <string_view>

#include "executors/shell/sandbox/memory_file.h"

// Made by the linker; see CMakeLists.txt.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
extern const char _binary_toolgate_sandbox_launcher_start[];
extern const char _binary_toolgate_sandbox_launcher_end[];
}
// NOLINTEND(bugprone-reserved-identifier)

namespace toolgate::executors::shell::sandbox {

absl::StatusOr<Descriptor> OpenLauncher() {
  const char* const begin = _binary_toolgate_sandbox_launcher_start;
  const std::string_view program(begin, static_cast<size_t>(_binary_toolgate_sandbox_launcher_end - begin));
  return MakeMemoryFile("toolgate-sandbox", program);
}

}  // namespace toolgate::executors::shell::sandbox
