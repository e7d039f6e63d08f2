#include "services/config/config_checks.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/duration_text.h"
#include "common/edit_distance.h"
#include "common/json.h"
#include "common/proto_time.h"
#include "common/stored_json.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/message.h"
#include "security/param_validation/argument_policies.h"
#include "services/config/identity_checks.h"
#include "services/config/listen_address.h"

namespace toolgate::services::config {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using toolgate::config::v1::ArgumentPolicy;
using toolgate::config::v1::Config;
using toolgate::config::v1::Role;
using toolgate::config::v1::ToolLimits;

struct IntegerRange {
  std::string_view path;
  int32_t min;
  int32_t max;
};

constexpr int32_t kMany = 1'000'000'000;

// The one tool whose RPC has no place for a question to a person.
constexpr std::string_view kNeverAsks = "undo";

constexpr IntegerRange kIntegers[] = {
    {"server.max_message_bytes", 1024, 1 << 30},
    {"server.max_metadata_bytes", 1024, 1 << 20},
    {"server.max_streams_per_connection", 1, 1'000'000},
    {"server.max_connections", 1, 1'000'000},
    {"server.worker_threads", 1, 10'000},
    {"storage.sqlite.max_batch", 1, 10'000},
    {"storage.sqlite.readers", 1, 256},
    {"storage.sqlite.cache_kib", 64, 16 << 20},
    {"injection_defence.max_decoded_bytes", 1024, 16 << 20},
    {"injection_defence.max_decode_depth", 0, 16},
    {"param_validation.max_bytes", 1, 1 << 30},
    {"param_validation.max_depth", 1, kMaxGivenDepth},
    {"param_validation.max_keys", 1, kMany},
    {"rate_limiting.circuit_breaker.min_calls", 1, kMany},
    {"rate_limiting.circuit_breaker.consecutive_failures", 1, kMany},
    {"rate_limiting.circuit_breaker.half_open_probes", 1, 10'000},
    {"rate_limiting.max_tracked_users", 1, kMany},
    {"execution_tracking.max_calls_per_request", 1, kMany},
    {"execution_tracking.max_tracked_requests", 1, kMany},
    {"execution_tracking.max_in_flight", 1, 1'000'000},
    {"execution_tracking.max_queued", 0, 1'000'000},
    {"execution_tracking.max_result_bytes", 1024, 1 << 30},
    {"audit.max_pending", 1, kMany},
    {"sql.max_rows", 1, 100'000},
    {"sql.max_answer_bytes", 1024, 64 << 20},
    {"sql.max_database_bytes", 64 << 10, 1 << 30},
    {"sql.max_memory_bytes", 4 << 20, 1 << 30},
    {"sql.max_undo_bytes", 64 << 10, 256 << 20},
};

// Numbers above 0 and up to 1.
constexpr std::string_view kShares[] = {"injection_defence.threshold", "rate_limiting.circuit_breaker.failure_ratio"};

struct DurationRange {
  std::string_view path;
  absl::Duration min;
  absl::Duration max;
};

const std::vector<DurationRange>& Durations() {
  static const auto* const durations = new std::vector<DurationRange>{
      {"server.tls.refresh_interval", absl::ZeroDuration(), absl::Hours(24)},
      {"identity.jwt.clock_skew", absl::ZeroDuration(), absl::Minutes(5)},
      {"identity.jwt.max_lifetime", absl::ZeroDuration(), absl::Hours(24 * 366)},
      {"identity.jwt.refresh_interval", absl::Seconds(1), absl::Hours(24)},
      {"identity.jwt.refetch_interval", absl::Milliseconds(100), absl::Hours(1)},
      {"identity.jwt.max_key_age", absl::Seconds(1), absl::Hours(24 * 31)},
      {"identity.jwt.fetch_timeout", absl::Milliseconds(100), absl::Minutes(1)},
      {"server.drain_timeout", absl::ZeroDuration(), absl::Hours(1)},
      {"rate_limiting.circuit_breaker.window", absl::Milliseconds(100), absl::Hours(24)},
      {"rate_limiting.circuit_breaker.open_duration", absl::Milliseconds(1), absl::Hours(24)},
      {"execution_tracking.tool_timeout", absl::Milliseconds(1), absl::Hours(24)},
      {"execution_tracking.max_execution_time_per_request", absl::Milliseconds(1), absl::Hours(24)},
      {"execution_tracking.request_memory", absl::Seconds(1), absl::Hours(24)},
      {"execution_tracking.max_queue_time", absl::ZeroDuration(), absl::Hours(1)},
      {"confirmation.ttl", absl::Seconds(1), absl::Hours(24 * 7)},
      {"sql.max_time", absl::Milliseconds(10), absl::Hours(1)},
      {"audit.retention", absl::ZeroDuration(), absl::Hours(24 * 36525)},
      {"audit.flush_interval", absl::Milliseconds(1), absl::Seconds(10)},
  };
  return *durations;
}

std::string Quoted(std::string_view text) { return DumpJson(Json(std::string(text))); }

bool IsWord(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool IsPermission(std::string_view text) {
  if (text == "*") return true;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view action = text.substr(colon + 1);
  return IsWord(text.substr(0, colon)) && (action == "*" || IsWord(action));
}

class Checker {
 public:
  Checker(const Config& config, const YamlPlaces& places, const std::vector<std::string>& tools)
      : config_(config), places_(places), tools_(tools.begin(), tools.end()) {}

  std::vector<std::string> Run() && {
    CheckListening();
    CheckNumbers();
    if (config_.storage().data_dir().empty()) Problem("storage.data_dir", "is empty; name a folder");
    CheckRoles();
    CheckIdentity(config_, [this](std::string_view path, std::string_view what) { Problem(path, what); });
    CheckLimits();
    CheckConfirmation();
    CheckProvenance();
    CheckLogging();
    return std::move(problems_);
  }

 private:
  void Problem(std::string_view path, std::string_view what) {
    problems_.push_back(absl::StrCat(PlaceOf(path), ": ", ToAbsl(path), ": ", ToAbsl(what)));
  }

  std::string PlaceOf(std::string_view path) const {
    while (!path.empty()) {
      const auto place = places_.find(path);
      if (place != places_.end()) return place->second;
      const size_t parent = path.find_last_of(".[");
      path = path.substr(0, parent == std::string_view::npos ? 0 : parent);
    }
    return "default";
  }

  // The message that holds the field at `path`, and the field. The paths are those of the tables above.
  std::pair<const Message*, const FieldDescriptor*> Find(std::string_view path) const {
    const Message* message = &config_;
    for (;;) {
      const size_t dot = path.find('.');
      const FieldDescriptor* field = message->GetDescriptor()->FindFieldByName(std::string(path.substr(0, dot)));
      if (dot == std::string_view::npos || field == nullptr) return {message, field};
      message = &message->GetReflection()->GetMessage(*message, field);
      path.remove_prefix(dot + 1);
    }
  }

  void CheckNumbers() {
    for (const IntegerRange& range : kIntegers) {
      const auto [message, field] = Find(range.path);
      const int32_t value = message->GetReflection()->GetInt32(*message, field);
      if (value >= range.min && value <= range.max) continue;
      Problem(range.path, absl::StrCat("is ", value, "; must be from ", range.min, " to ", range.max));
    }
    for (const std::string_view path : kShares) {
      const auto [message, field] = Find(path);
      const double value = message->GetReflection()->GetDouble(*message, field);
      if (!(value > 0 && value <= 1)) Problem(path, absl::StrCat("is ", value, "; must be above 0 and at most 1"));
    }
    for (const DurationRange& range : Durations()) {
      const auto [message, field] = Find(range.path);
      google::protobuf::Duration value;
      value.CopyFrom(message->GetReflection()->GetMessage(*message, field));
      CheckDuration(range.path, FromProtoDuration(value), range.min, range.max);
    }
  }

  void CheckDuration(std::string_view path, absl::Duration value, absl::Duration min, absl::Duration max) {
    if (value >= min && value <= max) return;
    Problem(path,
            absl::StrCat("is ", DurationText(value), "; must be from ", DurationText(min), " to ", DurationText(max)));
  }

  void CheckListening() {
    const auto& server = config_.server();
    if (const auto listen = ParseListenAddress(server.listen()); !listen.ok()) {
      Problem("server.listen", WrongAddress(server.listen(), listen.status()));
    } else if (!listen->is_local() && server.tls().certificate_file().empty()) {
      Problem(
          "server.listen",
          absl::StrCat(Quoted(server.listen()),
                       " can be reached from other machines; only loopback or a Unix socket may be used without TLS "
                       "and credentials; write 127.0.0.1:port or unix:/path, or set up server.tls"));
    }
    if (server.metrics_listen().empty()) return;
    const auto metrics = ParseListenAddress(server.metrics_listen());
    if (!metrics.ok()) {
      Problem("server.metrics_listen",
              absl::StrCat(WrongAddress(server.metrics_listen(), metrics.status()), ", or off for none"));
    } else if (!metrics->unix_path.empty()) {
      Problem("server.metrics_listen",
              "is a Unix socket; metrics are served over TCP only; write host:port, or off for none");
    }
  }

  static std::string WrongAddress(std::string_view address, const absl::Status& status) {
    return absl::StrCat(Quoted(address), " is no address to listen on: ", status.message());
  }

  void CheckRoles() {
    const std::map<std::string, Role> roles(config_.identity().roles().begin(), config_.identity().roles().end());
    for (const auto& [name, role] : roles) {
      const std::string path = YamlPathOfKey("identity.roles", name);
      if (name.empty()) Problem(path, "has an empty name");
      for (int i = 0; i < role.permissions_size(); ++i) {
        if (IsPermission(role.permissions(i))) continue;
        Problem(absl::StrCat(path, ".permissions[", i, "]"),
                absl::StrCat(Quoted(role.permissions(i)), " is no permission; write domain:action, domain:* or \"*\""));
      }
      CheckTools(path + ".auto_approve", role.auto_approve());
      CheckRoleTools(path, role);
    }
  }

  void CheckRoleTools(const std::string& path, const Role& role) {
    const std::map<std::string, ToolLimits> limits(role.limits().begin(), role.limits().end());
    for (const auto& [tool, windows] : limits) {
      const std::string of_tool = YamlPathOfKey(path + ".limits", tool);
      CheckTool(of_tool, tool);
      for (int i = 0; i < windows.windows_size(); ++i) {
        CheckWindow(absl::StrCat(of_tool, ".windows[", i, "]"), windows.windows(i));
      }
    }
    const std::map<std::string, ArgumentPolicy> policies(role.arguments().begin(), role.arguments().end());
    for (const auto& [tool, policy] : policies) {
      const std::string of_tool = YamlPathOfKey(path + ".arguments", tool);
      CheckTool(of_tool, tool);
      if (policy.schema().empty() && policy.bind().empty()) {
        Problem(of_tool, "restricts nothing; write schema or bind");
      }
      if (policy.schema().empty()) continue;
      const absl::Status status = security::param_validation::CompilePolicySchema(policy.schema()).status();
      if (!status.ok()) Problem(of_tool + ".schema", absl::StrCat("cannot be used: ", status.message()));
    }
  }

  template <typename Names>
  void CheckTools(const std::string& path, const Names& names) {
    for (int i = 0; i < names.size(); ++i) CheckTool(absl::StrCat(path, "[", i, "]"), names[i]);
  }

  void CheckTool(const std::string& path, const std::string& name) {
    if (name.empty()) return Problem(path, "is empty; name a tool");
    if (tools_.empty() || std::find(tools_.begin(), tools_.end(), name) != tools_.end()) return;
    const std::string_view nearest = NearestName(name, tools_);
    Problem(path, absl::StrCat("there is no tool ", Quoted(name),
                               nearest.empty() ? "" : absl::StrCat("; did you mean ", Quoted(nearest), "?")));
  }

  void CheckLimits() {
    const auto& tools = config_.rate_limiting().tools();
    const std::map<std::string, ToolLimits> limits(tools.begin(), tools.end());
    for (const auto& [name, tool] : limits) {
      const std::string path = YamlPathOfKey("rate_limiting.tools", name);
      if (name != "*") CheckTool(path, name);
      for (int i = 0; i < tool.windows_size(); ++i) {
        CheckWindow(absl::StrCat(path, ".windows[", i, "]"), tool.windows(i));
      }
    }
    const auto& throttles = config_.rate_limiting().providers();
    const std::map<std::string, ToolLimits> providers(throttles.begin(), throttles.end());
    for (const auto& [name, provider] : providers) {
      const std::string path = YamlPathOfKey("rate_limiting.providers", name);
      for (int i = 0; i < provider.windows_size(); ++i) {
        CheckProviderWindow(absl::StrCat(path, ".windows[", i, "]"), provider.windows(i));
      }
    }
  }

  void CheckProviderWindow(const std::string& path, const toolgate::config::v1::Window& window) {
    CheckWindow(path, window);
    if (window.audience() != "user" && window.audience() != "guest") return;
    Problem(path + ".audience", absl::StrCat("is ", Quoted(window.audience()),
                                             "; a provider's limit is over all callers together and must be any"));
  }

  void CheckWindow(const std::string& path, const toolgate::config::v1::Window& window) {
    const std::string& audience = window.audience();
    if (audience != "user" && audience != "guest" && audience != "any") {
      Problem(path + ".audience", absl::StrCat("is ", Quoted(audience), "; must be user, guest or any"));
    }
    if (window.max_calls() < 1) {
      Problem(path + ".max_calls", absl::StrCat("is ", window.max_calls(), "; must be at least 1"));
    }
    CheckDuration(path + ".window", FromProtoDuration(window.window()), absl::Seconds(1), absl::Hours(24 * 366));
  }

  void CheckConfirmation() {
    const auto& confirmation = config_.confirmation();
    CheckTools("confirmation.require_for_tools", confirmation.require_for_tools());
    for (int i = 0; i < confirmation.require_for_tools_size(); ++i) {
      CheckMayAsk(absl::StrCat("confirmation.require_for_tools[", i, "]"), confirmation.require_for_tools(i));
    }
    for (int i = 0; i < confirmation.critical_fields_size(); ++i) {
      if (!confirmation.critical_fields(i).empty()) continue;
      Problem(absl::StrCat("confirmation.critical_fields[", i, "]"), "is empty; name a field");
    }
  }

  void CheckProvenance() {
    const auto& tools = config_.provenance().tools();
    const std::map<std::string, toolgate::config::v1::ProvenanceAction> actions(tools.begin(), tools.end());
    for (const auto& [name, action] : actions) {
      const std::string path = YamlPathOfKey("provenance.tools", name);
      CheckTool(path, name);
      if (action == toolgate::config::v1::PROVENANCE_ACTION_ASK) CheckMayAsk(path, name);
    }
  }

  void CheckMayAsk(const std::string& path, std::string_view tool) {
    if (tool != kNeverAsks) return;
    Problem(path,
            absl::StrCat("nobody can be asked about ", Quoted(tool), ", whose answer has no place for a question"));
  }

  void CheckLogging() {
    const std::string levels[] = {"debug", "info", "warning", "error"};
    CheckOneOf("logging.level", config_.logging().level(), levels, "debug, info, warning or error");
    const std::string formats[] = {"json", "text", "auto"};
    CheckOneOf("logging.format", config_.logging().format(), formats, "json, text or auto");
  }

  void CheckOneOf(std::string_view path, const std::string& value, std::span<const std::string> known,
                  std::string_view list) {
    if (std::find(known.begin(), known.end(), value) != known.end()) return;
    Problem(path, absl::StrCat("is ", Quoted(value), "; must be ", ToAbsl(list)));
  }

  const Config& config_;
  const YamlPlaces& places_;
  const std::vector<std::string_view> tools_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> CheckConfig(const Config& config, const YamlPlaces& places,
                                     const std::vector<std::string>& tools) {
  return Checker(config, places, tools).Run();
}

}  // namespace toolgate::services::config
