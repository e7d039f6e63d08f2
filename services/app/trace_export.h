// Export of traces as the configuration says.
#ifndef TOOLGATE_SERVICES_APP_TRACE_EXPORT_H_
#define TOOLGATE_SERVICES_APP_TRACE_EXPORT_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/ids.h"
#include "observability/logger.h"
#include "observability/metrics.h"
#include "observability/otlp/otlp_exporter.h"
#include "observability/trace_ids.h"
#include "observability/tracing/batch_processor.h"
#include "observability/tracing/tracer.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::app {

// The tracer, and the queue and connection behind it; without traces.endpoint only a tracer that records nothing.
// Thread-safe, except for Flush, which is called once.
class TraceExport {
 public:
  struct Environment {
    observability::Logger& logger;
    const Clock& clock;
    IdSource& ids;
    observability::Metrics& metrics;
    std::string_view version;
  };

  // Borrows what `environment` refers to. Fails only for files that cannot be read; connects later.
  static absl::StatusOr<std::unique_ptr<TraceExport>> Create(const toolgate::config::v1::Config& config,
                                                             const Environment& environment);

  ~TraceExport();

  observability::tracing::Tracer& tracer() { return tracer_; }

  // Exports what is queued, for a few seconds at most. Everything later is dropped.
  void Flush();

 private:
  TraceExport(const toolgate::config::v1::Config& config, const Environment& environment,
              std::unique_ptr<observability::otlp::OtlpExporter> exporter);

  // Both null while traces are off.
  const std::unique_ptr<observability::otlp::OtlpExporter> exporter_;
  const std::unique_ptr<observability::tracing::BatchProcessor> processor_;
  observability::TraceIds ids_;
  observability::tracing::Tracer tracer_;
};

}  // namespace toolgate::services::app

#endif  // TOOLGATE_SERVICES_APP_TRACE_EXPORT_H_
