#include "services/app/trace_export.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/numbers.h"
#include "common/absl_bridge.h"
#include "common/config_path.h"
#include "common/http/client.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "observability/otlp/endpoint.h"
#include "observability/otlp/grpc_transport.h"
#include "observability/otlp/http_transport.h"
#include "observability/tracing/resource.h"
#include "observability/tracing/sampler.h"
#include "security/identity/key_files.h"

namespace toolgate::services::app {
namespace {

using observability::Logger;
using observability::otlp::GrpcTransport;
using observability::otlp::HttpTransport;
using observability::otlp::OtlpExporter;
using observability::otlp::Transport;
using observability::tracing::BatchProcessor;
using observability::tracing::Sampler;
using observability::tracing::Tracer;

// The longest that a stop waits for the receiver. What stops a process usually grants it little more than the drain.
constexpr absl::Duration kFlushTimeout = absl::Seconds(5);
constexpr std::string_view kUnix = "unix:";

// The files of TLS, each empty if there is none.
struct Files {
  std::string ca;
  std::string certificate;
  std::string key;
};

absl::StatusOr<Files> ReadFiles(const toolgate::config::v1::Traces& traces) {
  using security::identity::ReadKeyFile;
  using security::identity::ReadSecretFile;
  const auto read = [](std::string_view path, const std::string& file, auto reader, std::string& out) -> absl::Status {
    if (file.empty()) return absl::OkStatus();
    auto text = reader(file);
    if (!text.ok()) return AtConfigPath(path, text.status());
    out = *std::move(text);
    return absl::OkStatus();
  };
  Files files;
  RETURN_IF_ERROR(read("traces.ca_file", traces.ca_file(), ReadKeyFile, files.ca));
  RETURN_IF_ERROR(
      read("traces.client_certificate_file", traces.client_certificate_file(), ReadKeyFile, files.certificate));
  RETURN_IF_ERROR(read("traces.client_key_file", traces.client_key_file(), ReadSecretFile, files.key));
  return files;
}

constexpr std::string_view kGzip = "gzip";

absl::StatusOr<std::unique_ptr<Transport>> MakeGrpcTransport(const toolgate::config::v1::Traces& traces,
                                                             std::string_view version) {
  auto endpoint = observability::otlp::ParseEndpoint(traces.endpoint());
  if (!endpoint.ok()) return AtConfigPath("traces.endpoint", endpoint.status());
  GrpcTransport::Options options;
  options.target = std::move(endpoint->target);
  options.tls = endpoint->tls;
  ASSIGN_OR_RETURN(Files files, ReadFiles(traces));
  options.ca_pem = std::move(files.ca);
  options.certificate_pem = std::move(files.certificate);
  options.private_key_pem = std::move(files.key);
  options.headers.assign(traces.headers().begin(), traces.headers().end());
  options.gzip = traces.compression() == kGzip;
  options.version = version;
  return std::make_unique<GrpcTransport>(std::move(options));
}

absl::StatusOr<std::unique_ptr<Transport>> MakeHttpTransport(const toolgate::config::v1::Traces& traces,
                                                             std::string_view version) {
  auto url = observability::otlp::ParseHttpEndpoint(traces.endpoint());
  if (!url.ok()) return AtConfigPath("traces.endpoint", url.status());
  // The client reads them itself, at each connection. A start tells of those that it could not read.
  RETURN_IF_ERROR(ReadFiles(traces).status());
  ASSIGN_OR_RETURN(std::unique_ptr<toolgate::http::Client> client,
                   toolgate::http::Client::Create({.ca_file = traces.ca_file(),
                                                   .certificate_file = traces.client_certificate_file(),
                                                   .private_key_file = traces.client_key_file()}));
  HttpTransport::Options options;
  options.url = *std::move(url);
  options.headers.assign(traces.headers().begin(), traces.headers().end());
  options.gzip = traces.compression() == kGzip;
  options.version = version;
  return std::make_unique<HttpTransport>(std::move(client), std::move(options));
}

absl::StatusOr<std::unique_ptr<OtlpExporter>> MakeExporter(const toolgate::config::v1::Traces& traces,
                                                           const TraceExport::Environment& environment) {
  if (traces.endpoint().empty()) return std::unique_ptr<OtlpExporter>();
  ASSIGN_OR_RETURN(std::unique_ptr<Transport> transport, traces.protocol() == observability::otlp::kHttpProtocol
                                                             ? MakeHttpTransport(traces, environment.version)
                                                             : MakeGrpcTransport(traces, environment.version));
  OtlpExporter::Options options;
  options.timeout = FromProtoDuration(traces.timeout());
  const std::map<std::string, std::string> more(traces.resource_attributes().begin(),
                                                traces.resource_attributes().end());
  options.version = std::string(environment.version);
  options.resource = observability::tracing::MakeResource(traces.service_name(), environment.version,
                                                          environment.ids.NewId(environment.clock.Now()), more);
  options.on_remark = [&logger = environment.logger](int64_t rejected, std::string_view message) {
    logger.Warning("the receiver of traces has a remark", {{"rejected_spans", rejected}, {"remark", message}});
  };
  environment.logger.Info("traces are exported", {{"receiver", observability::otlp::OriginOf(traces.endpoint())},
                                                  {"protocol", traces.protocol()},
                                                  {"sampler", traces.sampler()},
                                                  {"sample_ratio", traces.sample_ratio()}});
  return std::make_unique<OtlpExporter>(std::move(options), std::move(transport));
}

std::unique_ptr<BatchProcessor> MakeProcessor(const toolgate::config::v1::TraceBatches& batch,
                                              const TraceExport::Environment& environment, OtlpExporter* exporter) {
  if (exporter == nullptr) return nullptr;
  BatchProcessor::Options options;
  options.delay = FromProtoDuration(batch.delay());
  options.export_timeout = FromProtoDuration(batch.export_timeout());
  options.max_queue = batch.max_queue();
  options.max_batch = batch.max_batch();
  options.on_change = [&logger = environment.logger](const absl::Status& status) {
    if (status.ok()) {
      logger.Info("traces reach their receiver again");
    } else {
      logger.Warning("spans were lost: they could not be exported", {{"error", status.ToString()}});
    }
  };
  return std::make_unique<BatchProcessor>(std::move(options), *exporter, environment.metrics);
}

std::optional<Tracer::Options> TracerOptions(const toolgate::config::v1::Config& config, BatchProcessor* processor) {
  if (processor == nullptr) return std::nullopt;
  // The checks of the configuration know no other sampler.
  const std::optional<Sampler> sampler = Sampler::Create(config.traces().sampler(), config.traces().sample_ratio());
  Tracer::Options options{.sampler = *sampler, .sink = *processor, .server_address = {}, .server_port = 0};
  const std::string& listen = config.server().listen();
  const size_t colon = listen.rfind(':');
  if (listen.starts_with(kUnix)) {
    options.server_address = listen.substr(kUnix.size());
  } else if (colon != std::string::npos) {
    options.server_address = listen.substr(0, colon);
    if (options.server_address.starts_with('[')) {
      options.server_address = options.server_address.substr(1, options.server_address.size() - 2);
    }
    if (!absl::SimpleAtoi(listen.substr(colon + 1), &options.server_port)) options.server_port = 0;
  }
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TraceExport>> TraceExport::Create(const toolgate::config::v1::Config& config,
                                                                 const Environment& environment) {
  ASSIGN_OR_RETURN(std::unique_ptr<OtlpExporter> exporter, MakeExporter(config.traces(), environment));
  return absl::WrapUnique(new TraceExport(config, environment, std::move(exporter)));
}

TraceExport::TraceExport(const toolgate::config::v1::Config& config, const Environment& environment,
                         std::unique_ptr<OtlpExporter> exporter)
    : exporter_(std::move(exporter)),
      processor_(MakeProcessor(config.traces().batch(), environment, exporter_.get())),
      ids_(environment.ids),
      tracer_(ids_, environment.clock, TracerOptions(config, processor_.get())) {}

// Spans borrow texts of the tracer, so none may be left when that goes.
TraceExport::~TraceExport() {
  if (processor_ != nullptr) processor_->Shutdown(absl::ZeroDuration());
}

void TraceExport::Flush() {
  if (processor_ != nullptr) processor_->Shutdown(kFlushTimeout);
}

}  // namespace toolgate::services::app
