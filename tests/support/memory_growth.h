// Memory that this process takes.
#ifndef TOOLGATE_TESTS_SUPPORT_MEMORY_GROWTH_H_
#define TOOLGATE_TESTS_SUPPORT_MEMORY_GROWTH_H_

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace toolgate::testing {

// The number of a line of /proc/self/status, in MiB.
inline int64_t StatusMib(std::string_view name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name)) return std::atoll(line.c_str() + name.size() + 1) / 1024;
  }
  return 0;
}

// By how much this process, which holds client and service, grew at the most while `work` went on.
template <typename Work>
int64_t GrowthMib(const Work& work) {
  std::ofstream("/proc/self/clear_refs") << "5";  // The peak begins anew.
  const int64_t before = StatusMib("VmRSS:");
  work();
  return StatusMib("VmHWM:") - before;
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_MEMORY_GROWTH_H_
