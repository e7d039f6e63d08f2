#include "observability/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "prometheus/metric_type.h"

namespace toolgate::observability {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

MetricFamily Single(std::string name, std::string help, MetricType type, double value) {
  prometheus::ClientMetric metric;
  (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  return {std::move(name), std::move(help), type, {std::move(metric)}};
}

// Fields of /proc/self/stat after the command, whose name may contain spaces. The first is field 3, the state.
std::vector<std::string> ReadStat() {
  std::ifstream file("/proc/self/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const size_t end_of_command = text.rfind(')');
  if (end_of_command == std::string::npos) return {};
  std::istringstream rest(text.substr(end_of_command + 1));
  return {std::istream_iterator<std::string>(rest), {}};
}

std::optional<double> BootTime() {
  std::ifstream file("/proc/stat");
  for (std::string word; file >> word;) {
    if (double seconds; word == "btime" && file >> seconds) return seconds;
  }
  return std::nullopt;
}

void AddFromStat(std::vector<MetricFamily>& families) {
  constexpr size_t kFirst = 3;  // proc(5) counts fields from 1.
  const std::vector<std::string> fields = ReadStat();
  if (fields.size() < 22) return;
  const auto field = [&](size_t number) { return std::stod(fields[number - kFirst]); };
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  families.push_back(Single("process_cpu_seconds_total", "User and system CPU time spent in seconds.",
                            MetricType::Counter, (field(14) + field(15)) / ticks));
  families.push_back(Single("process_threads", "Operating system threads.", MetricType::Gauge, field(20)));
  families.push_back(
      Single("process_virtual_memory_bytes", "Virtual memory size in bytes.", MetricType::Gauge, field(23)));
  families.push_back(
      Single("process_resident_memory_bytes", "Resident memory size in bytes.", MetricType::Gauge, field(24) * page));
  if (const auto boot = BootTime()) {
    families.push_back(Single("process_start_time_seconds", "Start time since the Unix epoch in seconds.",
                              MetricType::Gauge, *boot + field(22) / ticks));
  }
}

// Resident pages that come from no file. The others, of the program and its libraries, can be dropped at any time.
void AddPrivateMemory(std::vector<MetricFamily>& families) {
  std::ifstream file("/proc/self/statm");
  double size = 0;
  double resident = 0;
  double shared = 0;
  if (!(file >> size >> resident >> shared)) return;
  families.push_back(Single("process_private_memory_bytes", "Resident memory without mapped files in bytes.",
                            MetricType::Gauge, (resident - shared) * static_cast<double>(sysconf(_SC_PAGESIZE))));
}

void AddDescriptors(std::vector<MetricFamily>& families) {
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  if (!error) {
    int64_t count = -1;  // The listing itself uses one descriptor.
    for (; entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      if (error) break;
      ++count;
    }
    families.push_back(
        Single("process_open_fds", "Open file descriptors.", MetricType::Gauge, static_cast<double>(count)));
  }
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    families.push_back(Single("process_max_fds", "The most file descriptors that may be open.", MetricType::Gauge,
                              static_cast<double>(limit.rlim_cur)));
  }
}

}  // namespace

std::vector<MetricFamily> ProcessMetrics::Collect() const {
  std::vector<MetricFamily> families;
  AddFromStat(families);
  AddPrivateMemory(families);
  AddDescriptors(families);
  return families;
}

}  // namespace toolgate::observability
