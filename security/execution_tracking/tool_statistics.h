// Calls, failures and durations by tool.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_TOOL_STATISTICS_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_TOOL_STATISTICS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "executors/tool.h"

namespace toolgate::security::execution_tracking {

struct ToolStatisticsRow {
  std::string tool_id;
  int64_t calls = 0;     // Calls that have ended.
  int64_t failures = 0;  // Among them.
  int64_t in_flight = 0;
  absl::Duration total_duration;  // Of calls that have ended, without time in a queue.
};

// Thread-safe and lock-free; the numbers of one row are read one after the other.
class ToolStatistics {
 public:
  // Counts a call as in flight until its end. A call that ends without Finish counts as neither ended nor failed.
  class Running {
   public:
    Running(ToolStatistics& statistics, size_t tool_index) : counters_(statistics.counters_[tool_index]) {
      counters_.in_flight.fetch_add(1, std::memory_order_relaxed);
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { counters_.in_flight.fetch_sub(1, std::memory_order_relaxed); }

    void Finish(absl::Duration duration, bool failed) {
      counters_.calls.fetch_add(1, std::memory_order_relaxed);
      if (failed) counters_.failures.fetch_add(1, std::memory_order_relaxed);
      counters_.nanos.fetch_add(absl::ToInt64Nanoseconds(duration), std::memory_order_relaxed);
    }

   private:
    struct Counters;
    friend class ToolStatistics;
    // On a cache line of its own, so that tools do not slow each other down.
    struct alignas(64) Counters {
      std::atomic<int64_t> calls{0};
      std::atomic<int64_t> failures{0};
      std::atomic<int64_t> in_flight{0};
      std::atomic<int64_t> nanos{0};
    };
    Counters& counters_;
  };

  explicit ToolStatistics(const std::vector<executors::Tool>& tools)
      : tool_ids_(tools.size()), counters_(tools.size()) {
    for (const executors::Tool& tool : tools) tool_ids_[tool.index] = tool.definition.id;
  }

  // Rows of the tools that were called, by Tool::index.
  std::vector<ToolStatisticsRow> List() const {
    std::vector<ToolStatisticsRow> rows;
    for (size_t i = 0; i < counters_.size(); ++i) {
      const Running::Counters& counters = counters_[i];
      ToolStatisticsRow row{tool_ids_[i], counters.calls.load(std::memory_order_relaxed),
                            counters.failures.load(std::memory_order_relaxed),
                            counters.in_flight.load(std::memory_order_relaxed),
                            absl::Nanoseconds(counters.nanos.load(std::memory_order_relaxed))};
      if (row.calls + row.in_flight > 0) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  std::vector<std::string> tool_ids_;
  std::vector<Running::Counters> counters_;
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_TOOL_STATISTICS_H_
