// The system calls that a command may not make.
#ifndef TOOLGATE_EXECUTORS_SHELL_SANDBOX_SECCOMP_FILTER_H_
#define TOOLGATE_EXECUTORS_SHELL_SANDBOX_SECCOMP_FILTER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace toolgate::executors::shell::sandbox {

// A seccomp program, as bubblewrap reads it. It refuses calls that make namespaces or mounts, that reach into other
// processes or the kernel (ptrace, keyrings, bpf, io_uring, userfaultfd, modules, …), that hold memory of no process
// (System V IPC, memfd, pages lent to pipes), larger buffers, terminal input on behalf of others (TIOCSTI), device
// nodes, and sockets but those of the sandbox's own network: a virtual machine's sockets belong to no network
// namespace. Everything else is allowed: the namespaces bound it. Other architectures' calls kill the process. Shared
// mappings without a file are refused beyond `max_shared_mapping` bytes, if it is set. INTERNAL when libseccomp fails.
absl::StatusOr<std::string> CompileSeccompFilter(std::optional<int64_t> max_shared_mapping);

}  // namespace toolgate::executors::shell::sandbox

#endif  // TOOLGATE_EXECUTORS_SHELL_SANDBOX_SECCOMP_FILTER_H_
