// Paths that a command cannot change.
#ifndef TOOLGATE_EXECUTORS_SHELL_LAUNCHER_PROTECT_H_
#define TOOLGATE_EXECUTORS_SHELL_LAUNCHER_PROTECT_H_

namespace toolgate::executors::shell::launcher {

// Makes a path below `folder` read-only by a mount on itself, which can neither be renamed nor removed. One that has
// vanished meanwhile, or is a link, is not mounted on: changes of it are found when the command has ended. False, and
// errno, when the kernel refuses.
bool Protect(const char* folder, const char* path);

}  // namespace toolgate::executors::shell::launcher

#endif  // TOOLGATE_EXECUTORS_SHELL_LAUNCHER_PROTECT_H_
