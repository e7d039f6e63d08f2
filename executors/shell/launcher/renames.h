// Renaming of folders, which the overlay of a command cannot do by itself.
//
// An overlay fails rename(2) of a folder of its lower layer with EXDEV, as between file systems, unless it may leave
// marks that only the machine's root may set. Programs such as pnpm and rustup do not expect that within one folder. So
// the kernel hands each rename of a command to a helper process (seccomp's user notification). It lets the kernel
// rename everything but folders. A folder it renames itself; on EXDEV it makes the new one and moves what is in the old
// one, which copies files into the upper layer. The command has its rename, or its failure with nothing moved.
//
// Hard links of git's objects come the same way, and are refused: git then copies them.
#ifndef TOOLGATE_EXECUTORS_SHELL_LAUNCHER_RENAMES_H_
#define TOOLGATE_EXECUTORS_SHELL_LAUNCHER_RENAMES_H_

#include <sys/types.h>

namespace toolgate::executors::shell::launcher {

// Has the kernel hand over the renames of this process and its descendants. Answers a descriptor that they arrive at,
// or -1 where the kernel, or a filter around the service, does not do that: renames of folders then fail with EXDEV.
int HandOverRenames();

// Answers renames from `listener` until no process is left that makes any. For a process of its own, with all
// capabilities in the user namespace of the sandbox; `proc` is the folder /proc of its pid namespace. What it makes
// belongs to `user` and `group`, as whom commands run.
[[noreturn]] void AnswerRenames(int listener, int proc, uid_t user, gid_t group);

}  // namespace toolgate::executors::shell::launcher

#endif  // TOOLGATE_EXECUTORS_SHELL_LAUNCHER_RENAMES_H_
