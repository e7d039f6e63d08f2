// The system calls that a command may not make.
#ifndef TOOLGATE_EXECUTORS_SHELL_SANDBOX_SECCOMP_FILTER_H_
#define TOOLGATE_EXECUTORS_SHELL_SANDBOX_SECCOMP_FILTER_H_

#include <string>

#include "absl/status/statusor.h"

namespace toolgate::executors::shell::sandbox {

// A seccomp program, as bubblewrap reads it. It refuses calls that make namespaces or mounts, that reach into other
// processes or the kernel (ptrace, keyrings, bpf, io_uring, userfaultfd, modules, …), that hold memory of no process
// (System V IPC, memfd), terminal input on behalf of others (TIOCSTI), device nodes, and sockets but those of the
// sandbox's own network: a virtual machine's sockets belong to no network namespace. Everything else is allowed: the
// namespaces bound it. Other architectures' calls kill the process. INTERNAL when libseccomp fails.
absl::StatusOr<std::string> CompileSeccompFilter();

}  // namespace toolgate::executors::shell::sandbox

#endif  // TOOLGATE_EXECUTORS_SHELL_SANDBOX_SECCOMP_FILTER_H_
