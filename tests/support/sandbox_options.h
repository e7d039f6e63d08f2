// Options of sandboxes for tests.
#ifndef TOOLGATE_TESTS_SUPPORT_SANDBOX_OPTIONS_H_
#define TOOLGATE_TESTS_SUPPORT_SANDBOX_OPTIONS_H_

#include <cstdint>

#include "absl/time/time.h"
#include "executors/shell/sandbox/sandbox.h"

namespace toolgate::testing {

// With bounds that a test keeps unless it is about one.
inline executors::shell::sandbox::Sandbox::Options SandboxOptions() {
  executors::shell::sandbox::Sandbox::Options options;
  options.bubblewrap = "/usr/bin/bwrap";
  options.max_running = 64;
  options.scratch = executors::shell::sandbox::Scratch::kAuto;
  options.groups = executors::shell::sandbox::Groups::kOff;
  options.limits = {.max_processes = 256,
                    .max_memory_bytes = int64_t{2} << 30,
                    .max_cpu = absl::Minutes(5),
                    .max_file_bytes = int64_t{256} << 20,
                    .max_changed_bytes = int64_t{512} << 20,
                    .max_changed_files = 20'000,
                    .max_temporary_bytes = int64_t{256} << 20,
                    .max_temporary_files = 65'536,
                    .max_open_files = 1024};
  return options;
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_SANDBOX_OPTIONS_H_
