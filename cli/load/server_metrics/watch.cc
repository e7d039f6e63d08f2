#include "cli/load/server_metrics/watch.h"

#include <utility>

#include "cli/load/server_metrics/fetch.h"
#include "common/status_macros.h"

namespace toolgate::cli::load::server_metrics {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(2);

}  // namespace

absl::StatusOr<Scrape> ScrapeAll(const std::vector<std::string>& urls) {
  Scrape scrape;
  for (const std::string& url : urls) {
    ASSIGN_OR_RETURN(const std::string text, Fetch(url, kTimeout));
    ASSIGN_OR_RETURN(std::vector<Sample> samples, ParseExposition(text));
    scrape.push_back(std::move(samples));
  }
  return scrape;
}

Watch::Watch(std::vector<std::string> urls, absl::Duration interval, std::function<double()> elapsed)
    : urls_(std::move(urls)), interval_(interval), elapsed_(std::move(elapsed)), thread_([this] { Run(); }) {}

Watch::~Watch() {
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
  }
  thread_.join();
}

std::vector<ServerGauges> Watch::gauges() const {
  absl::MutexLock lock(&mutex_);
  return gauges_;
}

void Watch::Run() {
  while (true) {
    const double now = elapsed_();
    const absl::StatusOr<Scrape> scrape = ScrapeAll(urls_);
    absl::MutexLock lock(&mutex_);
    if (scrape.ok()) gauges_.push_back(GaugesOf(*scrape, now));
    mutex_.AwaitWithTimeout(absl::Condition(&stop_), interval_);
    if (stop_) return;
  }
}

}  // namespace toolgate::cli::load::server_metrics
