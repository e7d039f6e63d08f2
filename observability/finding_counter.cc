#include "observability/finding_counter.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "prometheus/client_metric.h"
#include "prometheus/metric_type.h"

namespace toolgate::observability {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr std::array kActions = {FindingAction::kRecord, FindingAction::kAsk, FindingAction::kRefuse};
constexpr std::array kSources = {FindingSource::kArguments, FindingSource::kOutside};
constexpr size_t kWays = kActions.size() * kSources.size();

size_t WayOf(const CallFinding& finding) {
  return static_cast<size_t>(finding.source) * kActions.size() + static_cast<size_t>(finding.action);
}

// The labels of one way, with its count.
ClientMetric MetricOf(size_t way, int64_t count) {
  ClientMetric metric;
  metric.label.push_back({"action", std::string(FindingActionName(kActions[way % kActions.size()]))});
  metric.label.push_back({"source", std::string(FindingSourceName(kSources[way / kActions.size()]))});
  metric.counter.value = static_cast<double>(count);
  return metric;
}

// Every action on arguments; text from outside is only recorded.
bool IsExportedFromTheStart(size_t way) { return way <= kActions.size(); }

std::vector<std::string> WithOther(std::vector<std::string> families) {
  families.emplace_back("other");
  return families;
}

}  // namespace

FindingCounter::FindingCounter(std::vector<std::string> tools, std::vector<std::string> families)
    : tools_(std::move(tools)),
      families_(WithOther(std::move(families))),
      findings_(tools_.size() * families_.size() * kWays),
      calls_(kWays) {}

size_t FindingCounter::FamilyIndex(std::string_view family) const {
  const auto found = std::find(families_.begin(), families_.end(), family);
  return found == families_.end() ? families_.size() - 1 : static_cast<size_t>(found - families_.begin());
}

void FindingCounter::Count(size_t tool, std::span<const CallFinding> findings) {
  std::array<bool, kWays> seen{};
  for (const CallFinding& finding : findings) {
    const size_t way = WayOf(finding);
    seen[way] = true;
    findings_[(tool * families_.size() + FamilyIndex(finding.family)) * kWays + way].fetch_add(
        1, std::memory_order_relaxed);
  }
  for (size_t way = 0; way < kWays; ++way) {
    if (seen[way]) calls_[way].fetch_add(1, std::memory_order_relaxed);
  }
}

std::vector<MetricFamily> FindingCounter::Collect() const {
  MetricFamily findings{"toolgate_injection_findings_total",
                        "Findings of layer 1, by tool, family of rules, action and kind of text.",
                        MetricType::Counter,
                        {}};
  for (size_t row = 0; row < findings_.size(); ++row) {
    const int64_t count = findings_[row].load(std::memory_order_relaxed);
    if (count == 0) continue;
    ClientMetric metric = MetricOf(row % kWays, count);
    metric.label.push_back({"tool", tools_[row / kWays / families_.size()]});
    metric.label.push_back({"family", families_[row / kWays % families_.size()]});
    findings.metric.push_back(std::move(metric));
  }
  MetricFamily calls{"toolgate_calls_with_findings_total",
                     "Tool calls in which layer 1 found something, by action and kind of text.",
                     MetricType::Counter,
                     {}};
  for (size_t way = 0; way < kWays; ++way) {
    const int64_t count = calls_[way].load(std::memory_order_relaxed);
    if (count > 0 || IsExportedFromTheStart(way)) calls.metric.push_back(MetricOf(way, count));
  }
  return {std::move(findings), std::move(calls)};
}

}  // namespace toolgate::observability
