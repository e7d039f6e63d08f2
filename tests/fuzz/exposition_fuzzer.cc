// Reads any text as a scrape, and computes with what it holds: never crashes, and percentiles stay numbers.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cli/load/server_metrics/exposition.h"
#include "cli/load/server_metrics/server_numbers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace toolgate::cli::load::server_metrics;  // NOLINT(google-build-using-namespace): one function.
  const auto samples = ParseExposition({reinterpret_cast<const char*>(data), size});
  if (!samples.ok()) return 0;
  const ServerNumbers numbers = Difference({{}}, {*samples}, 1);
  if (std::isnan(numbers.execute.Quantile(0.99))) std::abort();
  static_cast<void>(GaugesOf({*samples}, 1));
  return 0;
}
