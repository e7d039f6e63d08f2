#include "services/config/otel_variables.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "common/text/hex_digit.h"

namespace toolgate::services::config {
namespace {

using google::protobuf::Duration;
using security::Quoted;
using toolgate::config::v1::Traces;

constexpr char kDefaultEndpoint[] = "http://localhost:4317";
constexpr char kServiceName[] = "service.name";

// Nothing when a "%" is not followed by two hex digits.
std::optional<std::string> PercentDecoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = text::HexDigit(text[i + 1]);
    const int low = text::HexDigit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

class VariableReader {
 public:
  VariableReader(const std::function<std::optional<std::string>(std::string_view)>& environment, Traces& traces,
                 yaml::YamlPlaces& places, security::ReportProblem report)
      : environment_(environment), traces_(traces), places_(places), report_(report) {}

  void ReadAll() {
    ReadEndpoint();
    if (traces_.endpoint().empty()) return;
    ReadProtocol();
    ReadText({"OTEL_TRACES_SAMPLER"}, "sampler", *traces_.mutable_sampler());
    ReadRatio();
    ReadText(Otlp("CERTIFICATE"), "ca_file", *traces_.mutable_ca_file());
    ReadText(Otlp("CLIENT_CERTIFICATE"), "client_certificate_file", *traces_.mutable_client_certificate_file());
    ReadText(Otlp("CLIENT_KEY"), "client_key_file", *traces_.mutable_client_key_file());
    ReadText(Otlp("COMPRESSION"), "compression", *traces_.mutable_compression());
    ReadMilliseconds(Otlp("TIMEOUT"), "timeout", *traces_.mutable_timeout());
    auto& batch = *traces_.mutable_batch();
    ReadMilliseconds({"OTEL_BSP_SCHEDULE_DELAY"}, "batch.delay", *batch.mutable_delay());
    ReadMilliseconds({"OTEL_BSP_EXPORT_TIMEOUT"}, "batch.export_timeout", *batch.mutable_export_timeout());
    if (const auto size = ReadNumber({"OTEL_BSP_MAX_QUEUE_SIZE"}, "batch.max_queue")) batch.set_max_queue(*size);
    if (const auto size = ReadNumber({"OTEL_BSP_MAX_EXPORT_BATCH_SIZE"}, "batch.max_batch")) {
      batch.set_max_batch(*size);
    }
    ReadPairs(Otlp("HEADERS"), "headers", [this](const std::string& name, const std::string& value) {
      (*traces_.mutable_headers())[absl::AsciiStrToLower(name)] = value;
    });
    ReadPairs({"OTEL_RESOURCE_ATTRIBUTES"}, "resource_attributes", [this](const std::string& name, const auto& value) {
      if (name == kServiceName) {
        traces_.set_service_name(value);
      } else {
        (*traces_.mutable_resource_attributes())[name] = value;
      }
    });
    ReadText({"OTEL_SERVICE_NAME"}, "service_name", *traces_.mutable_service_name());
  }

 private:
  using Names = std::vector<std::string>;  // The first one that is set counts.

  static Names Otlp(std::string_view setting) {
    return {absl::StrCat("OTEL_EXPORTER_OTLP_TRACES_", ToAbsl(setting)),
            absl::StrCat("OTEL_EXPORTER_OTLP_", ToAbsl(setting))};
  }

  static std::string PathOf(std::string_view field) { return absl::StrCat("traces.", ToAbsl(field)); }

  // The value of the first variable that is set, without blanks around it; notes its place.
  std::optional<std::string> Find(const Names& names, std::string_view field) {
    for (const std::string& name : names) {
      const std::optional<std::string> value = environment_(name);
      if (!value.has_value()) continue;
      std::string text(absl::StripAsciiWhitespace(*value));
      if (text.empty()) continue;
      places_[PathOf(field)] = name;
      return text;
    }
    return std::nullopt;
  }

  bool IsTrue(const Names& names, std::string_view field) {
    const std::optional<std::string> value = Find(names, field);
    return value.has_value() && absl::EqualsIgnoreCase(*value, "true");
  }

  void ReadText(const Names& names, std::string_view field, std::string& out) {
    if (std::optional<std::string> value = Find(names, field)) out = *std::move(value);
  }

  void ReadEndpoint() {
    if (std::optional<std::string> endpoint = Find(Otlp("ENDPOINT"), "endpoint")) {
      const bool has_scheme = absl::StrContains(*endpoint, "://") || absl::StartsWith(*endpoint, "unix:");
      if (!has_scheme)
        *endpoint = absl::StrCat(IsTrue(Otlp("INSECURE"), "insecure") ? "http://" : "https://", *endpoint);
      traces_.set_endpoint(*std::move(endpoint));
    }
    const std::optional<std::string> exporter = Find({"OTEL_TRACES_EXPORTER"}, "exporter");
    if (exporter == "none" || IsTrue({"OTEL_SDK_DISABLED"}, "disabled")) {
      traces_.clear_endpoint();
    } else if (exporter == "otlp") {
      if (traces_.endpoint().empty()) traces_.set_endpoint(kDefaultEndpoint);
    } else if (exporter.has_value()) {
      report_("traces.exporter", absl::StrCat("is ", Quoted(*exporter), "; must be otlp or none"));
    }
  }

  void ReadProtocol() {
    const std::optional<std::string> protocol = Find(Otlp("PROTOCOL"), "protocol");
    if (!protocol.has_value() || *protocol == "grpc") return;
    report_("traces.protocol", absl::StrCat("is ", Quoted(*protocol), "; must be grpc, the one that is spoken here (",
                                            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL counts for traces alone)"));
  }

  void ReadRatio() {
    const std::optional<std::string> text = Find({"OTEL_TRACES_SAMPLER_ARG"}, "sample_ratio");
    if (!text.has_value() || !absl::EndsWith(traces_.sampler(), "traceidratio")) return;
    double ratio = 0;
    if (absl::SimpleAtod(*text, &ratio)) {
      traces_.set_sample_ratio(ratio);
    } else {
      report_("traces.sample_ratio", absl::StrCat("is ", Quoted(*text), "; must be a number from 0 to 1"));
    }
  }

  std::optional<int32_t> ReadNumber(const Names& names, std::string_view field) {
    const std::optional<std::string> text = Find(names, field);
    if (!text.has_value()) return std::nullopt;
    int32_t number = 0;
    if (absl::SimpleAtoi(*text, &number)) return number;
    report_(PathOf(field), absl::StrCat("is ", Quoted(*text), "; must be a whole number"));
    return std::nullopt;
  }

  void ReadMilliseconds(const Names& names, std::string_view field, Duration& out) {
    if (const std::optional<int32_t> number = ReadNumber(names, field)) {
      SetProtoDuration(absl::Milliseconds(*number), out);
    }
  }

  // "name=value,name=value". Values may be credentials, so nothing is quoted.
  template <typename Set>
  void ReadPairs(const Names& names, std::string_view field, const Set& set) {
    const std::optional<std::string> text = Find(names, field);
    if (!text.has_value()) return;
    for (const absl::string_view pair : absl::StrSplit(*text, ',', absl::SkipWhitespace())) {
      const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(pair, absl::MaxSplits('=', 1));
      const auto name = PercentDecoded(FromAbsl(absl::StripAsciiWhitespace(parts.first)));
      const auto value = PercentDecoded(FromAbsl(absl::StripAsciiWhitespace(parts.second)));
      if (!absl::StrContains(pair, '=') || !name.has_value() || name->empty() || !value.has_value()) {
        report_(PathOf(field), "has an entry that is not name=value, with %XX for special characters");
        return;
      }
      set(*name, *value);
    }
  }

  const std::function<std::optional<std::string>(std::string_view)>& environment_;
  Traces& traces_;
  yaml::YamlPlaces& places_;
  const security::ReportProblem report_;
};

}  // namespace

void MergeOtelVariables(const std::function<std::optional<std::string>(std::string_view)>& environment, Traces& traces,
                        yaml::YamlPlaces& places, security::ReportProblem report) {
  VariableReader(environment, traces, places, report).ReadAll();
}

}  // namespace toolgate::services::config
