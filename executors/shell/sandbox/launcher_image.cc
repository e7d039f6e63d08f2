#include "executors/shell/sandbox/launcher_image.h"

#include <string_view>

#include "executors/shell/sandbox/memory_file.h"

// The build names the file.
// clang-format off
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    "toolgate_launcher_begin:\n"
    ".incbin \"" TOOLGATE_LAUNCHER "\"\n"
    "toolgate_launcher_end:\n"
    ".byte 0\n"
    ".previous\n");
// clang-format on
extern "C" {
extern const char toolgate_launcher_begin[] __attribute__((visibility("hidden")));
extern const char toolgate_launcher_end[] __attribute__((visibility("hidden")));
}

namespace toolgate::executors::shell::sandbox {

absl::StatusOr<directory::Descriptor> OpenLauncher() {
  const std::string_view program(toolgate_launcher_begin,
                                 static_cast<size_t>(toolgate_launcher_end - toolgate_launcher_begin));
  return MakeMemoryFile("toolgate-sandbox", program);
}

}  // namespace toolgate::executors::shell::sandbox
