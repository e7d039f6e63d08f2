// The machine as a command sees it: read-only programs and libraries, a workspace, and little else.
#ifndef TOOLGATE_EXECUTORS_SHELL_SANDBOX_VIEW_H_
#define TOOLGATE_EXECUTORS_SHELL_SANDBOX_VIEW_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toolgate::executors::shell::sandbox {

// Arguments of bubblewrap that are the same for all commands, made once: it looks at the machine's root folder.
// Immutable, hence thread-safe.
class View {
 public:
  explicit View(std::string bubblewrap);

  // Runs `command` by bash in the folder `cwd` of the workspace, a canonical path.
  std::vector<std::string> Arguments(std::string_view cwd, std::string_view command) const;

  // Names and contents of /etc. No file of the machine's /etc is there but the linker's cache and the alternatives.
  const std::vector<std::pair<std::string, std::string>>& etc_files() const { return etc_files_; }

  // The whole environment of a command, NAME=VALUE.
  static const std::vector<std::string>& Environment();

 private:
  void AddPrograms();
  void AddEtc();
  void AddKernelFiles();
  void AddTemporary();

  std::vector<std::string> arguments_;
  std::vector<std::pair<std::string, std::string>> etc_files_;
};

}  // namespace toolgate::executors::shell::sandbox

#endif  // TOOLGATE_EXECUTORS_SHELL_SANDBOX_VIEW_H_
