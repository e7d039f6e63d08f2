#include "cli/load/server_metrics/server_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"

namespace toolgate::cli::load::server_metrics {
namespace {

// Growth of each series of one service between two scrapes.
class Growth {
  // Sums of a million such values are still whole numbers of 64 bits.
  static constexpr double kMost = 1e12;

 public:
  explicit Growth(const std::vector<Sample>& before) {
    for (const Sample& sample : before) values_[{sample.name, sample.labels}] = sample.value;
  }

  // 0 for values that are no numbers.
  double Of(const Sample& after) const {
    if (!std::isfinite(after.value)) return 0;
    const auto found = values_.find({after.name, after.labels});
    const double value = found == values_.end() || !std::isfinite(found->second) ? 0 : found->second;
    return std::clamp(after.value >= value ? after.value - value : after.value, 0.0, kMost);
  }

 private:
  std::map<std::pair<std::string, Labels>, double> values_;
};

double BoundOf(const Sample& sample) {
  double bound = 0;
  const bool number = absl::SimpleAtod(ToAbsl(sample.label("le")), &bound) && !std::isnan(bound);
  return number ? bound : HUGE_VAL;
}

// Adds a sample to the histogram `name` if it belongs to it.
void AddToHistogram(std::string_view name, const Sample& sample, double growth, BucketCounts& counts) {
  if (!std::string_view(sample.name).starts_with(name)) return;
  const std::string_view suffix = std::string_view(sample.name).substr(name.size());
  if (suffix == "_bucket") counts.cumulative[BoundOf(sample)] += growth;
  if (suffix == "_sum") counts.sum += growth;
  if (suffix == "_count") counts.count += growth;
}

class Collector {
 public:
  void Add(const std::vector<Sample>& before, const std::vector<Sample>& after) {
    const Growth growth(before);
    for (const Sample& sample : after) Add(sample, growth.Of(sample));
  }

  ServerNumbers Take(double seconds) {
    numbers_.seconds = seconds;
    for (auto& [name, tool] : tools_) {
      tool.tool = name;
      if (tool.duration.count > 0 || !tool.outcomes.empty()) numbers_.tools.push_back(std::move(tool));
    }
    for (const auto& [name, counts] : layers_) {
      if (counts.count > 0) numbers_.layers.push_back({name, counts.count, counts.sum});
    }
    std::stable_sort(numbers_.layers.begin(), numbers_.layers.end(),
                     [](const ServerLayer& a, const ServerLayer& b) { return a.seconds > b.seconds; });
    return std::move(numbers_);
  }

 private:
  void Add(const Sample& sample, double growth) {
    if (sample.name == "toolgate_build_info") numbers_.version = sample.label("version");
    if (sample.name == "process_cpu_seconds_total") numbers_.cpu_seconds += growth;
    if (sample.label("grpc_method") == "Execute") {
      AddToHistogram("grpc_server_handling_seconds", sample, growth, numbers_.execute);
    }
    if (sample.label("grpc_method") == "ExecuteStream") {
      AddToHistogram("grpc_server_handling_seconds", sample, growth, numbers_.execute_stream);
    }
    AddToHistogram("toolgate_queue_wait_seconds", sample, growth, numbers_.queue_wait);
    if (sample.label("operation") == "commit") {
      AddToHistogram("toolgate_store_operation_seconds", sample, growth, numbers_.commit);
    }
    AddByLabel(sample, growth);
  }

  void AddByLabel(const Sample& sample, double growth) {
    const std::string tool(sample.label("tool"));
    const std::string layer(sample.label("layer"));
    if (!tool.empty()) AddToHistogram("toolgate_call_duration_seconds", sample, growth, tools_[tool].duration);
    if (growth == 0) return;
    if (!layer.empty()) AddToHistogram("toolgate_layer_duration_seconds", sample, growth, layers_[layer]);
    const std::string reason(sample.label("reason"));
    if (sample.name == "toolgate_calls_total") tools_[tool].outcomes[std::string(sample.label("outcome"))] += growth;
    if (sample.name == "toolgate_rejections_total") {
      numbers_.rejections[absl::StrCat(layer, ": ", reason)] += growth;
    }
    if (sample.name == "toolgate_shed_total") numbers_.rejections[absl::StrCat("shed: ", reason)] += growth;
  }

  ServerNumbers numbers_;
  std::map<std::string, ServerTool> tools_;
  std::map<std::string, BucketCounts> layers_;
};

}  // namespace

double BucketCounts::Quantile(double quantile) const {
  if (count <= 0 || cumulative.empty()) return 0;
  const double wanted = quantile * count;
  double low = 0;
  double below = 0;
  for (const auto& [bound, reached] : cumulative) {
    if (reached >= wanted) {
      if (std::isinf(bound)) return low;
      const double inside = reached - below;
      return inside <= 0 ? bound : low + (bound - low) * (wanted - below) / inside;
    }
    low = std::isinf(bound) ? low : bound;
    below = reached;
  }
  return low;
}

ServerNumbers Difference(const Scrape& before, const Scrape& after, double seconds) {
  Collector collector;
  for (size_t i = 0; i < std::min(before.size(), after.size()); ++i) collector.Add(before[i], after[i]);
  return collector.Take(seconds);
}

ServerGauges GaugesOf(const Scrape& scrape, double seconds) {
  struct Row {
    std::string_view name;
    double ServerGauges::*target;
  };
  static constexpr Row kRows[] = {
      {"process_cpu_seconds_total", &ServerGauges::cpu_seconds},
      {"process_resident_memory_bytes", &ServerGauges::resident_bytes},
      {"toolgate_queue_length", &ServerGauges::queue_length},
      {"toolgate_calls_in_flight", &ServerGauges::in_flight},
      {"toolgate_waiting_calls", &ServerGauges::waiting},
      {"toolgate_audit_pending", &ServerGauges::audit_pending},
  };
  ServerGauges gauges;
  gauges.seconds = seconds;
  for (const std::vector<Sample>& samples : scrape) {
    for (const Sample& sample : samples) {
      for (const Row& row : kRows) {
        if (sample.name == row.name && std::isfinite(sample.value))
          gauges.*row.target += std::clamp(sample.value, 0.0, 1e15);
      }
    }
  }
  return gauges;
}

}  // namespace toolgate::cli::load::server_metrics
