// Looks for processes of this machine.
#ifndef TOOLGATE_TESTS_SUPPORT_FIND_PROCESSES_H_
#define TOOLGATE_TESTS_SUPPORT_FIND_PROCESSES_H_

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace toolgate::testing {

// Ids of the processes whose command line has `mark` in it, but for this one.
inline std::vector<pid_t> ProcessesWith(const std::string& mark) {
  std::vector<pid_t> found;
  std::error_code failed;
  std::filesystem::directory_iterator entries("/proc", failed);
  for (; !failed && entries != std::filesystem::directory_iterator(); entries.increment(failed)) {
    const auto& entry = *entries;
    const std::string name = entry.path().filename();
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
    // A process may end while its file is read.
    FILE* const file = std::fopen((entry.path() / "cmdline").c_str(), "re");
    if (file == nullptr) continue;
    std::string line(64 << 10, '\0');
    line.resize(std::fread(line.data(), 1, line.size(), file));
    std::fclose(file);
    if (line.find(mark) != std::string::npos && std::stoi(name) != getpid()) found.push_back(std::stoi(name));
  }
  return found;
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_FIND_PROCESSES_H_
