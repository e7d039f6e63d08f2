#include "services/config/trace_checks.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/utf8.h"
#include "common/yaml/yaml_proto.h"
#include "observability/otlp/endpoint.h"
#include "observability/tracing/sampler.h"

namespace toolgate::services::config {
namespace {

using observability::otlp::kGrpcProtocol;
using observability::otlp::kHttpProtocol;
using observability::tracing::kSamplerNames;
using observability::tracing::Sampler;
using security::Quoted;
using toolgate::config::v1::Traces;

// As gRPC takes names and values of metadata (grpc.io: "PROTOCOL-HTTP2").
bool IsHeaderName(std::string_view name) {
  return !name.empty() && !name.starts_with("grpc-") && !name.ends_with("-bin") &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '_' || c == '-' || c == '.';
         });
}

bool IsHeaderValue(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

void CheckHeaders(const Traces& traces, security::ReportProblem report) {
  for (const auto& [name, value] : traces.headers()) {
    const std::string path = yaml::YamlPathOfKey("traces.headers", name);
    if (!IsHeaderName(name)) {
      report(path, "is no name of metadata; use a-z, 0-9, _, - and ., without grpc- before and -bin behind");
    } else if (!IsHeaderValue(value)) {
      report(path, "has characters other than printable ASCII");
    }
  }
}

void CheckResource(const Traces& traces, security::ReportProblem report) {
  if (traces.service_name().empty() || !text::IsWellFormedUtf8(traces.service_name())) {
    report("traces.service_name", "is empty, or not UTF-8; name the service");
  }
  for (const auto& [name, value] : traces.resource_attributes()) {
    if (name.empty() || !text::IsWellFormedUtf8(name) || !text::IsWellFormedUtf8(value)) {
      report("traces.resource_attributes", "has an empty name, or a text that is not UTF-8");
    }
  }
}

}  // namespace

void CheckTraces(const Traces& traces, security::ReportProblem report) {
  if (!Sampler::Create(traces.sampler(), traces.sample_ratio()).has_value()) {
    report("traces.sampler", absl::StrCat("is ", Quoted(traces.sampler()), "; must be ", ToAbsl(kSamplerNames)));
  }
  if (!(traces.sample_ratio() >= 0 && traces.sample_ratio() <= 1)) {
    report("traces.sample_ratio", absl::StrCat("is ", traces.sample_ratio(), "; must be from 0 to 1"));
  }
  if (traces.compression() != "none" && traces.compression() != "gzip") {
    report("traces.compression", absl::StrCat("is ", Quoted(traces.compression()), "; must be none or gzip"));
  }
  if (traces.batch().max_queue() > 0 && traces.batch().max_batch() > traces.batch().max_queue()) {
    report("traces.batch.max_batch", "is more than traces.batch.max_queue");
  }
  if (traces.client_certificate_file().empty() != traces.client_key_file().empty()) {
    report("traces.client_certificate_file", "needs traces.client_key_file, and the other way round");
  }
  CheckHeaders(traces, report);
  CheckResource(traces, report);
  if (traces.protocol() != kGrpcProtocol && traces.protocol() != kHttpProtocol) {
    report("traces.protocol", absl::StrCat("is ", Quoted(traces.protocol()), "; must be grpc or http/protobuf"));
  }
  if (traces.endpoint().empty()) return;
  const absl::Status endpoint = traces.protocol() == kHttpProtocol
                                    ? observability::otlp::ParseHttpEndpoint(traces.endpoint()).status()
                                    : observability::otlp::ParseEndpoint(traces.endpoint()).status();
  if (!endpoint.ok()) report("traces.endpoint", FromAbsl(endpoint.message()));
}

}  // namespace toolgate::services::config
