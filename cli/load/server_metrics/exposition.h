// Prometheus' text exposition format.
#ifndef TOOLGATE_CLI_LOAD_SERVER_METRICS_EXPOSITION_H_
#define TOOLGATE_CLI_LOAD_SERVER_METRICS_EXPOSITION_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace toolgate::cli::load::server_metrics {

// Labels of one series.
using Labels = std::map<std::string, std::string, std::less<>>;

// One point of one series.
struct Sample {
  std::string name;
  Labels labels;
  double value = 0;

  // Value of a label; empty if the series has no such label.
  std::string_view label(std::string_view label_name) const;
};

// Reads all samples; comments and timestamps are passed over. INVALID_ARGUMENT with the line for anything that is not
// of the format, and for more than a million samples.
absl::StatusOr<std::vector<Sample>> ParseExposition(std::string_view text);

}  // namespace toolgate::cli::load::server_metrics

#endif  // TOOLGATE_CLI_LOAD_SERVER_METRICS_EXPOSITION_H_
