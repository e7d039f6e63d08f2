#include "services/config/config_checks.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/config_path.h"
#include "common/ip_network.h"
#include "common/yaml/config_rules.h"
#include "executors/internal_tool.h"
#include "security/authorization/authorization.h"
#include "security/config_check.h"
#include "security/confirmation/confirmation.h"
#include "security/execution_tracking/execution_checks.h"
#include "security/identity/identity_factory.h"
#include "security/identity/key_files.h"
#include "security/identity/tls_material.h"
#include "security/identity/token_issuers.h"
#include "security/injection_defence/injection_defence.h"
#include "security/param_validation/argument_policies.h"
#include "security/provenance/provenance.h"
#include "security/rate_limit/limit_checks.h"
#include "services/config/http_checks.h"
#include "services/config/identity_checks.h"
#include "services/config/listen_address.h"
#include "services/config/trace_checks.h"

namespace toolgate::services::config {
namespace {

using executors::Tool;
using security::Quoted;
using security::ReportProblem;
using security::authorization::PermissionTable;
using toolgate::config::v1::Config;

// The one tool whose RPC cannot return a question to a person.
constexpr std::string_view kNeverAsks = executors::IdOf(executors::InternalTool::kUndo);

std::string WrongAddress(std::string_view address, const absl::Status& status) {
  return absl::StrCat(Quoted(address), " is no address to listen on: ", status.message());
}

// A fixed port, or a socket's file: nothing else can listen there.
bool IsSameAddress(const std::string& address, const std::string& other) {
  const auto parsed = ParseListenAddress(address);
  return address == other && parsed.ok() && (parsed->port != 0 || !parsed->unix_path.empty());
}

void CheckListen(const toolgate::config::v1::Server& server, yaml::ReportProblem report) {
  const auto listen = ParseListenAddress(server.listen());
  if (!listen.ok()) {
    report("server.listen", WrongAddress(server.listen(), listen.status()));
  } else if (!listen->is_local() && server.tls().certificate_file().empty()) {
    report("server.listen",
           absl::StrCat(Quoted(server.listen()),
                        " can be reached from other machines; only loopback or a Unix socket may be used without TLS "
                        "and credentials; write 127.0.0.1:port or unix:/path, or set up server.tls"));
  }
}

void CheckMetricsListen(const toolgate::config::v1::Server& server, yaml::ReportProblem report) {
  const std::string& address = server.metrics_listen();
  if (address.empty()) return;
  const auto metrics = ParseListenAddress(address);
  if (!metrics.ok()) {
    report("server.metrics_listen", absl::StrCat(WrongAddress(address, metrics.status()), ", or off for none"));
  } else if (!metrics->unix_path.empty()) {
    report("server.metrics_listen",
           "is a Unix socket; metrics are served over TCP only; write host:port, or off for none");
  } else if (metrics->host.find(':') != std::string::npos) {
    report("server.metrics_listen",
           "is an IPv6 address; metrics are served over IPv4 only; write 127.0.0.1:9464, or off for none");
  } else if (IsSameAddress(address, server.listen()) || IsSameAddress(address, server.health_listen())) {
    report("server.metrics_listen", "is where another of the server's listeners is; write another address, or off");
  }
}

void CheckServer(const toolgate::config::v1::Server& server, yaml::ReportProblem report) {
  CheckListen(server, report);
  CheckMetricsListen(server, report);
  for (int i = 0; i < server.trusted_fronts_size(); ++i) {
    const absl::Status parsed = IpNetwork::Parse(server.trusted_fronts(i)).status();
    if (!parsed.ok()) report(absl::StrCat("server.trusted_fronts[", i, "]"), std::string(parsed.message()));
  }
}

void CheckPostgres(const toolgate::config::v1::Postgres& postgres, yaml::ReportProblem report) {
  if (postgres.host().empty()) return;
  if (postgres.database().empty()) report("storage.postgres.database", "is empty; name a database");
  if (postgres.user().empty()) report("storage.postgres.user", "is empty; name a user of the server");
  const auto& tls = postgres.tls();
  const bool verifies = tls.mode() == "verify-ca" || tls.mode() == "verify-full";
  if (tls.mode() != "disable" && tls.mode() != "require" && !verifies) {
    report("storage.postgres.tls.mode",
           absl::StrCat("is ", Quoted(tls.mode()), "; must be disable, require, verify-ca or verify-full"));
  }
  // A socket in a folder is not encrypted, whatever the mode.
  if (verifies && tls.root_certificate_file().empty() && !postgres.host().starts_with('/')) {
    report("storage.postgres.tls.root_certificate_file",
           "is empty; name the certificate of the server's authority, by which it is verified");
  }
  if (tls.certificate_file().empty() != tls.private_key_file().empty()) {
    report("storage.postgres.tls", "has one of certificate_file and private_key_file; name both or neither");
  }
}

void CheckStorage(const toolgate::config::v1::Storage& storage, yaml::ReportProblem report) {
  if (storage.data_dir().empty()) report("storage.data_dir", "is empty; name a folder");
  CheckPostgres(storage.postgres(), report);
}

void CheckRedis(const toolgate::config::v1::Redis& redis, yaml::ReportProblem report) {
  if (redis.address().empty()) return;
  if (const auto target = ParseListenAddress(redis.address()); !target.ok()) {
    report("coordination.redis.address",
           absl::StrCat(Quoted(redis.address()), " is no address of a server: ", target.status().message()));
  }
  const auto& tls = redis.tls();
  if (tls.certificate_file().empty() != tls.private_key_file().empty()) {
    report("coordination.redis.tls", "has one of certificate_file and private_key_file; name both or neither");
  }
}

// Layers do not distinguish tools; this check knows the tools that cannot return a question.
void CheckQuestions(const Config& config, yaml::ReportProblem report) {
  const auto refuse = [&](std::string_view path) {
    report(path, absl::StrCat("nobody can be asked about ", Quoted(kNeverAsks),
                              ", whose answer has no place for a question"));
  };
  const auto& required = config.confirmation().require_for_tools();
  for (int i = 0; i < required.size(); ++i) {
    if (required[i] == kNeverAsks) refuse(absl::StrCat("confirmation.require_for_tools[", i, "]"));
  }
  const auto& actions = config.provenance().tools();
  const auto action = actions.find(std::string(kNeverAsks));
  if (action != actions.end() && action->second == toolgate::config::v1::PROVENANCE_ACTION_ASK) {
    refuse(yaml::YamlPathOfKey("provenance.tools", kNeverAsks));
  }
  const auto& findings = config.injection_defence().tools();
  const auto of_tool = findings.find(std::string(kNeverAsks));
  if (of_tool == findings.end()) return;
  const auto asks = [](const auto& consequence) { return consequence == toolgate::config::v1::FINDING_ACTION_ASK; };
  const auto& fields = of_tool->second.fields();
  if (asks(of_tool->second.action()) ||
      std::any_of(fields.begin(), fields.end(), [&](const auto& field) { return asks(field.second); })) {
    refuse(yaml::YamlPathOfKey("injection_defence.tools", kNeverAsks));
  }
}

void CheckLogging(const toolgate::config::v1::Logging& logging, yaml::ReportProblem report) {
  const auto one_of = [&](std::string_view path, const std::string& value,
                          std::initializer_list<std::string_view> known, std::string_view list) {
    if (std::find(known.begin(), known.end(), value) != known.end()) return;
    report(path, absl::StrCat("is ", Quoted(value), "; must be ", ToAbsl(list)));
  };
  one_of("logging.level", logging.level(), {"debug", "info", "warning", "error"}, "debug, info, warning or error");
  one_of("logging.format", logging.format(), {"json", "text", "auto"}, "json, text or auto");
}

}  // namespace

void CheckConfig(const Config& config, const std::vector<executors::Family>& families, const std::vector<Tool>& tools,
                 const PermissionTable& permissions, yaml::ReportProblem report) {
  yaml::CheckRanges(config, "", report);
  CheckServer(config.server(), report);
  CheckStorage(config.storage(), report);
  CheckRedis(config.coordination().redis(), report);
  security::authorization::CheckGrants(tools, permissions, config.identity(), report);
  security::param_validation::CheckPolicies(tools, config.identity(), report);
  CheckIdentity(config, report);
  CheckHttp(config, report);
  security::injection_defence::CheckInjectionDefence(tools, config.injection_defence(), report);
  security::provenance::CheckProvenance(tools, config.provenance(), report);
  security::rate_limit::CheckRateLimiting(tools, config.rate_limiting(), config.identity(), report);
  security::execution_tracking::CheckExecutionTracking(tools, config.execution_tracking(), report);
  security::confirmation::CheckConfirmation(tools, config.confirmation(), report);
  CheckQuestions(config, report);
  CheckLogging(config.logging(), report);
  CheckTraces(config.traces(), report);
  executors::CheckFamilies(families, config.families(), report);
}

void CheckConfigFiles(const Config& config, absl::Time now, yaml::ReportProblem report) {
  const auto tell = [&](const absl::Status& status) {
    const std::string path = ConfigPathOf(status);
    // The message begins with the path.
    if (!status.ok()) report(path, FromAbsl(status.message()).substr(path.size() + 2));
  };
  using security::identity::ReadKeyFile;
  using security::identity::ReadSecretFile;
  const auto& tls = config.server().tls();
  if (!tls.certificate_file().empty() && !tls.private_key_file().empty()) {
    // Each file separately first, so that all missing ones are reported at once.
    const std::array<absl::Status, 3> read = {
        AtConfigPath("server.tls.certificate_file", ReadKeyFile(tls.certificate_file()).status()),
        AtConfigPath("server.tls.private_key_file", ReadSecretFile(tls.private_key_file()).status()),
        tls.client_ca_file().empty()
            ? absl::OkStatus()
            : AtConfigPath("server.tls.client_ca_file", ReadKeyFile(tls.client_ca_file()).status())};
    for (const absl::Status& status : read) tell(status);
    const bool all = std::all_of(read.begin(), read.end(), [](const absl::Status& status) { return status.ok(); });
    if (all) tell(security::identity::LoadTlsMaterial(tls, now).status());
  }
  const auto& traces = config.traces();
  if (!traces.ca_file().empty()) tell(AtConfigPath("traces.ca_file", ReadKeyFile(traces.ca_file()).status()));
  if (!traces.client_key_file().empty()) {
    tell(AtConfigPath("traces.client_certificate_file", ReadKeyFile(traces.client_certificate_file()).status()));
    tell(AtConfigPath("traces.client_key_file", ReadSecretFile(traces.client_key_file()).status()));
  }
  for (const auto& issuer : security::identity::IssuersOf(config.identity().jwt())) {
    tell(security::identity::CheckKeyFile(issuer));
  }
}

std::string PlaceOf(const yaml::YamlPlaces& places, std::string_view path) {
  while (!path.empty()) {
    const auto place = places.find(path);
    if (place != places.end()) return place->second;
    const size_t parent = path.find_last_of(".[");
    path = path.substr(0, parent == std::string_view::npos ? 0 : parent);
  }
  return "default";
}

}  // namespace toolgate::services::config
