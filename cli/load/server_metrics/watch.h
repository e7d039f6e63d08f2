// Scrapes services while a load test runs.
#ifndef TOOLGATE_CLI_LOAD_SERVER_METRICS_WATCH_H_
#define TOOLGATE_CLI_LOAD_SERVER_METRICS_WATCH_H_

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "cli/load/server_metrics/server_numbers.h"

namespace toolgate::cli::load::server_metrics {

// Scrapes all URLs once. UNAVAILABLE if one of them does not answer.
absl::StatusOr<Scrape> ScrapeAll(const std::vector<std::string>& urls);

// Keeps the gauges of repeated scrapes, on a thread of its own until it is destroyed. Failed scrapes leave gaps.
// Thread-safe.
class Watch {
 public:
  // `elapsed` returns the seconds since the start of the run.
  Watch(std::vector<std::string> urls, absl::Duration interval, std::function<double()> elapsed);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  std::vector<ServerGauges> gauges() const;

 private:
  void Run();

  const std::vector<std::string> urls_;
  const absl::Duration interval_;
  const std::function<double()> elapsed_;
  mutable absl::Mutex mutex_;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<ServerGauges> gauges_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace toolgate::cli::load::server_metrics

#endif  // TOOLGATE_CLI_LOAD_SERVER_METRICS_WATCH_H_
