#include "services/config/otel_variables.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "common/text/hex_digit.h"
#include "common/yaml/config_rules.h"
#include "observability/otlp/endpoint.h"
#include "security/config_check.h"
#include "security/identity/key_files.h"
#include "services/config/trace_checks.h"

namespace toolgate::services::config {
namespace {

using observability::otlp::kHttpProtocol;
using security::Quoted;
using toolgate::config::v1::Traces;

constexpr char kDefaultEndpoint[] = "http://localhost:4317";
constexpr char kDefaultHttpEndpoint[] = "http://localhost:4318/v1/traces";
constexpr std::string_view kTracesPath = "v1/traces";
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

// The problems of `traces`, each with its path.
std::vector<std::string> ProblemsOf(const Traces& traces) {
  std::vector<std::string> problems;
  const auto report = [&](std::string_view path, std::string_view what) {
    problems.push_back(absl::StrCat(ToAbsl(path), ": ", ToAbsl(what)));
  };
  yaml::CheckRanges(traces, "traces", report);
  CheckTraces(traces, report);
  return problems;
}

// The first problem that `changed` has and `traces` has not.
std::optional<std::string> NewProblem(const Traces& traces, const Traces& changed) {
  const std::vector<std::string> known = ProblemsOf(traces);
  for (std::string& problem : ProblemsOf(changed)) {
    if (std::find(known.begin(), known.end(), problem) == known.end()) return std::move(problem);
  }
  return std::nullopt;
}

class VariableReader {
 public:
  VariableReader(const OtelEnvironment& environment, Traces& traces, yaml::YamlPlaces& places, WarnOfVariable warn)
      : environment_(environment), traces_(traces), places_(places), warn_(warn) {}

  void ReadAll() {
    if (!TurnOn()) return;
    ReadReceiver();
    if (traces_.endpoint().empty()) return;
    ReadSampler();
    ReadFiles();
    ReadName(Otlp("COMPRESSION"), "compression", &Traces::mutable_compression);
    ReadMilliseconds(Otlp("TIMEOUT"), "timeout", [](Traces& traces) { return traces.mutable_timeout(); });
    ReadBatches();
    ReadPairs(Otlp("HEADERS"), "headers", [](Traces& traces, const std::string& name, const std::string& value) {
      (*traces.mutable_headers())[absl::AsciiStrToLower(name)] = value;
    });
    ReadPairs({"OTEL_RESOURCE_ATTRIBUTES"}, "resource_attributes", SetResourceAttribute);
    ReadText({"OTEL_SERVICE_NAME"}, "service_name", &Traces::mutable_service_name);
    ReadPropagators();
  }

 private:
  using Names = std::vector<std::string>;  // The first one that is set counts.
  struct Variable {
    std::string name;
    std::string value;  // Without blanks around it, never empty.
  };
  using Text = std::string* (Traces::*)();

  static Names Otlp(std::string_view setting) {
    return {absl::StrCat("OTEL_EXPORTER_OTLP_TRACES_", ToAbsl(setting)),
            absl::StrCat("OTEL_EXPORTER_OTLP_", ToAbsl(setting))};
  }

  std::optional<Variable> Find(const Names& names) const {
    for (const std::string& name : names) {
      const std::optional<std::string> value = environment_.value(name);
      if (!value.has_value()) continue;
      std::string text(absl::StripAsciiWhitespace(*value));
      if (!text.empty()) return Variable{name, std::move(text)};
    }
    return std::nullopt;
  }

  void Ignore(const Variable& variable, std::string_view what) const {
    warn_(variable.name, absl::StrCat(ToAbsl(what), "; the variable is ignored"));
  }

  // Applies `change`, unless the settings would then have a problem that they had not before.
  template <typename Change>
  void Set(const Variable& variable, std::string_view field, const Change& change) {
    Traces changed = traces_;
    change(changed);
    if (const std::optional<std::string> problem = NewProblem(traces_, changed)) return Ignore(variable, *problem);
    traces_ = std::move(changed);
    places_[absl::StrCat("traces.", ToAbsl(field))] = variable.name;
  }

  bool IsTrue(const Names& names) const {
    const std::optional<Variable> variable = Find(names);
    if (!variable.has_value()) return false;
    if (absl::EqualsIgnoreCase(variable->value, "true")) return true;
    if (!absl::EqualsIgnoreCase(variable->value, "false")) {
      Ignore(*variable, absl::StrCat("is ", Quoted(variable->value), "; must be true or false"));
    }
    return false;
  }

  // Whether traces are to be exported, and thus whether the other variables count.
  bool TurnOn() {
    if (IsTrue({"OTEL_SDK_DISABLED"})) {
      traces_.clear_endpoint();
      return false;
    }
    const std::optional<Variable> exporter = Find({"OTEL_TRACES_EXPORTER"});
    if (exporter.has_value() && absl::EqualsIgnoreCase(exporter->value, "none")) {
      traces_.clear_endpoint();
      return false;
    }
    asked_for_ = exporter.has_value() && IsOtlp(*exporter);
    return asked_for_ || !traces_.endpoint().empty() || Find(Otlp("ENDPOINT")).has_value();
  }

  // Whether OTLP is one of the exporters, of which there may be several.
  bool IsOtlp(const Variable& exporters) const {
    bool otlp = false;
    for (const absl::string_view name : absl::StrSplit(exporters.value, ',', absl::SkipWhitespace())) {
      if (absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(name), "otlp")) {
        otlp = true;
      } else {
        Ignore(exporters, absl::StrCat("has ", Quoted(FromAbsl(name)), "; must be otlp or none"));
      }
    }
    return otlp;
  }

  // The protocol decides what the endpoint may be. The endpoint of the configuration is for the protocol there, so both
  // count again when that of the variable is ignored.
  void ReadReceiver() {
    const std::optional<Variable> endpoint = Find(Otlp("ENDPOINT"));
    const Traces configured = traces_;
    const yaml::YamlPlaces places = places_;
    if (endpoint.has_value()) traces_.clear_endpoint();
    ReadProtocol();
    if (endpoint.has_value()) ReadEndpoint(*endpoint);
    if (traces_.endpoint().empty() && !configured.endpoint().empty()) {
      if (traces_.protocol() != configured.protocol()) {
        Ignore(*Find(Otlp("PROTOCOL")),
               absl::StrCat("is not for the endpoint of the configuration, which is used since ", endpoint->name,
                            " is ignored"));
      }
      traces_ = configured;
      places_ = places;
    }
    if (traces_.endpoint().empty() && asked_for_) {
      traces_.set_endpoint(IsHttp() ? kDefaultHttpEndpoint : kDefaultEndpoint);
    }
  }

  bool IsHttp() const { return traces_.protocol() == kHttpProtocol; }

  void ReadProtocol() {
    const std::optional<Variable> variable = Find(Otlp("PROTOCOL"));
    if (!variable.has_value()) return;
    std::string protocol = absl::AsciiStrToLower(variable->value);
    if (protocol == "http/json") {
      warn_(variable->name, "is http/json; http/protobuf, which receivers of it take too, is spoken instead");
      protocol = kHttpProtocol;
    }
    Set(*variable, "protocol", [&](Traces& traces) { traces.set_protocol(protocol); });
  }

  void ReadEndpoint(const Variable& variable) {
    std::string url = variable.value;
    const bool has_scheme = absl::StrContains(url, "://") || absl::StartsWith(url, "unix:");
    if (!has_scheme) url = absl::StrCat(IsTrue(Otlp("INSECURE")) ? "http://" : "https://", url);
    url = IsHttp() ? HttpEndpoint(variable, url) : GrpcEndpoint(variable, url);
    Set(variable, "endpoint", [&](Traces& traces) { traces.set_endpoint(url); });
  }

  // The variable for traces is the URL itself, the general one its beginning.
  static std::string HttpEndpoint(const Variable& variable, std::string_view url) {
    std::string whole = observability::otlp::WithPath(url, "/");
    if (variable.name == Otlp("ENDPOINT").front()) return whole;
    const size_t end = std::min(whole.find_first_of("?#"), whole.size());
    return whole.insert(end, absl::StrCat(whole[end - 1] == '/' ? "" : "/", ToAbsl(kTracesPath)));
  }

  std::string GrpcEndpoint(const Variable& variable, std::string_view url) const {
    const std::string_view origin = observability::otlp::OriginOf(url);
    const std::string_view rest = url.substr(origin.size());
    if (rest.empty() || rest == "/") return std::string(url);
    warn_(variable.name,
          "has a path or a query, which is ignored: OTLP over gRPC has no use for it; for OTLP over HTTP, set "
          "OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf");
    return std::string(origin);
  }

  void ReadSampler() {
    ReadName({"OTEL_TRACES_SAMPLER"}, "sampler", &Traces::mutable_sampler);
    const std::optional<Variable> argument = Find({"OTEL_TRACES_SAMPLER_ARG"});
    if (!argument.has_value() || !absl::EndsWith(traces_.sampler(), "traceidratio")) return;
    double ratio = 0;
    if (absl::SimpleAtod(argument->value, &ratio)) {
      Set(*argument, "sample_ratio", [&](Traces& traces) { traces.set_sample_ratio(ratio); });
    } else {
      Ignore(*argument, absl::StrCat("is ", Quoted(argument->value), "; must be a number from 0 to 1"));
    }
  }

  void ReadFiles() {
    if (const std::optional<Variable> ca = FindFile("CERTIFICATE", security::identity::ReadKeyFile)) {
      Set(*ca, "ca_file", [&](Traces& traces) { traces.set_ca_file(ca->value); });
    }
    // Neither is of use without the other.
    const std::optional<Variable> certificate = FindFile("CLIENT_CERTIFICATE", security::identity::ReadKeyFile);
    const std::optional<Variable> key = FindFile("CLIENT_KEY", security::identity::ReadSecretFile);
    if (!certificate.has_value() && !key.has_value()) return;
    Set(certificate.has_value() ? *certificate : *key,
        certificate.has_value() ? "client_certificate_file" : "client_key_file", [&](Traces& traces) {
          if (certificate.has_value()) traces.set_client_certificate_file(certificate->value);
          if (key.has_value()) traces.set_client_key_file(key->value);
        });
  }

  // The variable, if its file can be read.
  template <typename Read>
  std::optional<Variable> FindFile(std::string_view setting, const Read& read) const {
    std::optional<Variable> file = Find(Otlp(setting));
    if (!file.has_value() || !environment_.open_files) return file;
    const absl::Status status = read(file->value).status();
    if (status.ok()) return file;
    Ignore(*file, FromAbsl(status.message()));
    return std::nullopt;
  }

  void ReadBatches() {
    ReadMilliseconds({"OTEL_BSP_SCHEDULE_DELAY"}, "batch.delay",
                     [](Traces& traces) { return traces.mutable_batch()->mutable_delay(); });
    ReadMilliseconds({"OTEL_BSP_EXPORT_TIMEOUT"}, "batch.export_timeout",
                     [](Traces& traces) { return traces.mutable_batch()->mutable_export_timeout(); });
    // A shorter queue makes the batches smaller.
    ReadNumber({"OTEL_BSP_MAX_QUEUE_SIZE"}, "batch.max_queue", [](Traces& traces, int32_t size) {
      auto& batch = *traces.mutable_batch();
      batch.set_max_queue(size);
      batch.set_max_batch(std::min(batch.max_batch(), std::max(size, 1)));
    });
    ReadNumber({"OTEL_BSP_MAX_EXPORT_BATCH_SIZE"}, "batch.max_batch",
               [](Traces& traces, int32_t size) { traces.mutable_batch()->set_max_batch(size); });
  }

  void ReadPropagators() const {
    const std::optional<Variable> variable = Find({"OTEL_PROPAGATORS"});
    if (!variable.has_value()) return;
    for (const absl::string_view name : absl::StrSplit(variable->value, ',', absl::SkipWhitespace())) {
      const absl::string_view propagator = absl::StripAsciiWhitespace(name);
      if (propagator == "tracecontext" || propagator == "baggage") continue;
      Ignore(*variable, absl::StrCat("has ", Quoted(FromAbsl(propagator)), "; tracecontext is the one that is used"));
    }
  }

  static void SetResourceAttribute(Traces& traces, const std::string& name, const std::string& value) {
    if (name == kServiceName) {
      traces.set_service_name(value);
    } else {
      (*traces.mutable_resource_attributes())[name] = value;
    }
  }

  void ReadText(const Names& names, std::string_view field, Text text) {
    const std::optional<Variable> variable = Find(names);
    if (!variable.has_value()) return;
    Set(*variable, field, [&](Traces& traces) { *(traces.*text)() = variable->value; });
  }

  // One of several names, in any case.
  void ReadName(const Names& names, std::string_view field, Text text) {
    const std::optional<Variable> variable = Find(names);
    if (!variable.has_value()) return;
    Set(*variable, field, [&](Traces& traces) { *(traces.*text)() = absl::AsciiStrToLower(variable->value); });
  }

  template <typename Change>
  void ReadNumber(const Names& names, std::string_view field, const Change& change) {
    const std::optional<Variable> variable = Find(names);
    if (!variable.has_value()) return;
    int32_t number = 0;
    if (absl::SimpleAtoi(variable->value, &number)) {
      Set(*variable, field, [&](Traces& traces) { change(traces, number); });
    } else {
      Ignore(*variable, absl::StrCat("is ", Quoted(variable->value), "; must be a whole number"));
    }
  }

  template <typename Duration>
  void ReadMilliseconds(const Names& names, std::string_view field, const Duration& duration) {
    ReadNumber(names, field, [&](Traces& traces, int32_t number) {
      SetProtoDuration(absl::Milliseconds(number), *duration(traces));
    });
  }

  // "name=value,name=value". Values may be credentials, so nothing is quoted. One bad pair discards all, as the
  // specification says.
  template <typename SetPair>
  void ReadPairs(const Names& names, std::string_view field, const SetPair& set) {
    const std::optional<Variable> variable = Find(names);
    if (!variable.has_value()) return;
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const absl::string_view pair : absl::StrSplit(variable->value, ',', absl::SkipWhitespace())) {
      const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(pair, absl::MaxSplits('=', 1));
      const auto name = PercentDecoded(FromAbsl(absl::StripAsciiWhitespace(parts.first)));
      const auto value = PercentDecoded(FromAbsl(absl::StripAsciiWhitespace(parts.second)));
      if (!absl::StrContains(pair, '=') || !name.has_value() || name->empty() || !value.has_value()) {
        return Ignore(*variable, "has an entry that is not name=value, with %XX for special characters");
      }
      pairs.emplace_back(*name, *value);
    }
    Set(*variable, field, [&](Traces& traces) {
      for (const auto& [name, value] : pairs) set(traces, name, value);
    });
  }

  const OtelEnvironment& environment_;
  Traces& traces_;
  yaml::YamlPlaces& places_;
  const WarnOfVariable warn_;
  bool asked_for_ = false;  // OTEL_TRACES_EXPORTER names OTLP.
};

}  // namespace

void MergeOtelVariables(const OtelEnvironment& environment, Traces& traces, yaml::YamlPlaces& places,
                        WarnOfVariable warn) {
  VariableReader(environment, traces, places, warn).ReadAll();
}

}  // namespace toolgate::services::config
