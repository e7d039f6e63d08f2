// Looks for processes of this machine.
#ifndef TOOLGATE_TESTS_SUPPORT_FIND_PROCESSES_H_
#define TOOLGATE_TESTS_SUPPORT_FIND_PROCESSES_H_

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace toolgate::testing {

// Ids of the processes whose command line has `mark` in it, but for this one.
inline std::vector<pid_t> ProcessesWith(const std::string& mark) {
  std::vector<pid_t> found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", failed)) {
    const std::string name = entry.path().filename();
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    if (line.find(mark) != std::string::npos && std::stoi(name) != getpid()) found.push_back(std::stoi(name));
  }
  return found;
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_FIND_PROCESSES_H_
