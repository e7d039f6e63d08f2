// The family of one tool that runs shell commands: Bash.
#ifndef TOOLGATE_EXECUTORS_SHELL_SHELL_TOOLS_H_
#define TOOLGATE_EXECUTORS_SHELL_SHELL_TOOLS_H_

#include <string>

#include "executors/family.h"
#include "executors/shell/bash.h"
#include "executors/shell/sandbox/sandbox.h"
#include "executors/shell/settings.pb.h"

namespace toolgate::executors::shell {

// "Bash", on the directories that the family of files works on, which takes its changes back. Where a workspace has no
// directory, or the machine no sandbox, the tool is absent with the reason; the sandbox is tried when the family is
// made, if any directory is configured.
Family ShellFamily();

// Both: `settings` has a value for every field. `data_dir` may be empty.
sandbox::Sandbox::Options SandboxOptionsOf(const ShellSettings& settings, const std::string& data_dir);
BashOptions BashOptionsOf(const ShellSettings& settings);

}  // namespace toolgate::executors::shell

#endif  // TOOLGATE_EXECUTORS_SHELL_SHELL_TOOLS_H_
