// Figures of a service during a load test, from its own metrics.
#ifndef TOOLGATE_CLI_LOAD_SERVER_METRICS_SERVER_NUMBERS_H_
#define TOOLGATE_CLI_LOAD_SERVER_METRICS_SERVER_NUMBERS_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/load/server_metrics/exposition.h"

namespace toolgate::cli::load::server_metrics {

// Counts of a Prometheus histogram between two scrapes.
struct BucketCounts {
  std::map<double, double> cumulative;  // By upper bound in seconds; the last one is infinite.
  double sum = 0;                       // In seconds.
  double count = 0;

  double mean() const { return count > 0 ? sum / count : 0; }
  // Interpolated linearly within a bucket, as PromQL's histogram_quantile does, so only as exact as the buckets are
  // narrow; in seconds. 0 when empty.
  double Quantile(double quantile) const;
};

struct ServerTool {
  std::string tool;
  BucketCounts duration;
  std::map<std::string, double> outcomes;
};

struct ServerLayer {
  std::string layer;
  double calls = 0;
  double seconds = 0;  // In all.
};

// Difference between two scrapes, summed over all scraped services.
struct ServerNumbers {
  std::string version;
  double seconds = 0;  // Between the scrapes.
  double cpu_seconds = 0;
  BucketCounts execute;         // grpc_server_handling_seconds of Execute.
  BucketCounts execute_stream;  // Of ExecuteStream.
  BucketCounts queue_wait;
  BucketCounts commit;              // toolgate_store_operation_seconds{operation="commit"}.
  std::vector<ServerTool> tools;    // Those called, by name.
  std::vector<ServerLayer> layers;  // In the order of their time, longest first.
  // Refused calls by "layer: reason", and by "shed: reason" those that were never run.
  std::map<std::string, double> rejections;
};

// Gauges of one scrape, summed over all scraped services.
struct ServerGauges {
  double seconds = 0;      // Since the start of the run.
  double cpu_seconds = 0;  // Counter.
  double resident_bytes = 0;
  double queue_length = 0;
  double in_flight = 0;
  double waiting = 0;
  double audit_pending = 0;
};

// Samples of all scraped services, one list each.
using Scrape = std::vector<std::vector<Sample>>;

// `before` and `after` must list the same services in the same order. A counter that fell (a service was restarted)
// counts from 0.
ServerNumbers Difference(const Scrape& before, const Scrape& after, double seconds);

ServerGauges GaugesOf(const Scrape& scrape, double seconds);

}  // namespace toolgate::cli::load::server_metrics

#endif  // TOOLGATE_CLI_LOAD_SERVER_METRICS_SERVER_NUMBERS_H_
