// Client of a metrics listener.
#ifndef TOOLGATE_CLI_LOAD_SERVER_METRICS_FETCH_H_
#define TOOLGATE_CLI_LOAD_SERVER_METRICS_FETCH_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace toolgate::cli::load::server_metrics {

// "host:port", "http://host:port" or a complete URL, as the URL to scrape: without a path, that of /metrics.
// INVALID_ARGUMENT for other schemes, and for a user name or password in it, which the report would show.
absl::StatusOr<std::string> MetricsUrl(const std::string& text);

// Body of the answer, at most 16 MiB. UNAVAILABLE if the listener does not answer with 200 within `timeout`. Follows no
// redirects and uses no proxy. Thread-safe.
absl::StatusOr<std::string> Fetch(const std::string& url, absl::Duration timeout);

}  // namespace toolgate::cli::load::server_metrics

#endif  // TOOLGATE_CLI_LOAD_SERVER_METRICS_FETCH_H_
