#include "services/config/config.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/stored_json.h"
#include "common/yaml/config_rules.h"
#include "executors/family.h"
#include "executors/registration/registration.h"
#include "executors/sql/settings.pb.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "security/execution_tracking/result_cap.h"
#include "tests/support/gong/gong_family.h"
#include "tests/support/gong/settings.pb.h"
#include "toolgate/config/v1/options.pb.h"

namespace toolgate::services::config {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::util::MessageDifferencer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using toolgate::config::v1::Config;

class ConfigTest : public ::testing::Test {
 protected:
  ConfigTest() {
    std::string folder = ::testing::TempDir() + "/toolgate_config_XXXXXX";
    folder_ = mkdtemp(folder.data());
    options_.environment = [](std::string_view) { return std::nullopt; };
  }
  ~ConfigTest() override { std::filesystem::remove_all(folder_); }

  std::string Path() const { return folder_ + "/t.yaml"; }

  absl::StatusOr<Config> LoadText(std::string_view text) {
    std::ofstream(Path()) << text;
    options_.file = Path();
    return Load(options_);
  }

  // The problems of `text`, without the folder.
  std::string Problems(std::string_view text) {
    std::string problems(LoadText(text).status().message());
    for (size_t at; (at = problems.find(folder_ + "/")) != std::string::npos;) problems.erase(at, folder_.size() + 1);
    return problems;
  }

  std::string folder_;
  LoadOptions options_;
};

TEST_F(ConfigTest, NamesEveryFileThatIsNotThereAtOnce) {
  options_.open_files = true;
  const std::string problems = Problems(
      "server: {tls: {certificate_file: /absent/a, private_key_file: /absent/b, client_ca_file: "
      "/absent/c}}\nidentity: {services: {batch: {certificate_names: [\"cn:x\"], roles: [guest], workspaces: "
      "[acme]}}}\n");
  EXPECT_THAT(problems, HasSubstr("server.tls.certificate_file: "));
  EXPECT_THAT(problems, HasSubstr("server.tls.private_key_file: "));
  EXPECT_THAT(problems, HasSubstr("server.tls.client_ca_file: "));
}

TEST_F(ConfigTest, TheDefaultsLoad) {
  const auto config = Load(LoadOptions());
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->server().listen(), "127.0.0.1:50051");
  EXPECT_EQ(config->confirmation().ttl().seconds(), 300);
  EXPECT_THAT(config->identity().roles().at("developer").permissions(), ElementsAre("*", "system:*"));
}

// Rights that the defaults give everybody on a development listener must not be available to a caller with a token or a
// certificate.
TEST_F(ConfigTest, WithCredentialsThereIsNoDeveloperButTheOneThatTheFileWrites) {
  const std::string tokens = "identity: {jwt: {issuer: i, audiences: [a], jwks_file: k}";
  const std::string services =
      "server: {tls: {certificate_file: c, private_key_file: k, client_ca_file: a}}\n"
      "identity: {services: {s: {certificate_names: [s.internal], roles: [r], trusted: true}}";
  options_.open_files = false;
  for (const std::string& head : {tokens, services}) {
    const auto config = LoadText(head + ", roles: {r: {permissions: [\"block:read\"]}}}");
    ASSERT_TRUE(config.ok()) << config.status();
    EXPECT_FALSE(config->identity().roles().contains("developer")) << head;
    EXPECT_TRUE(config->identity().roles().contains("r")) << head;
    EXPECT_TRUE(config->identity().roles().contains("guest")) << head;
    const auto own = LoadText(head + ", roles: {r: {}, developer: {auto_approve: [delete_block]}}}");
    ASSERT_TRUE(own.ok()) << own.status();
    const auto& developer = own->identity().roles().at("developer");
    EXPECT_TRUE(developer.permissions().empty()) << "nothing but what is written: " << head;
    EXPECT_THAT(developer.auto_approve(), ElementsAre("delete_block"));
  }
  const auto development = LoadText("identity: {roles: {r: {}}}");
  ASSERT_TRUE(development.ok()) << development.status();
  EXPECT_TRUE(development->identity().roles().contains("developer"));
}

// Zero and the empty text are defaults that stand in the file like any other; they cannot be told from what is missing.
// Features that are off by default are empty.
bool MayBeZero(const std::string& path) {
  static const auto* const paths =
      new std::set<std::string, std::less<>>{"audit.retention.seconds",
                                             "coordination.redis.address",
                                             "coordination.redis.password_file",
                                             "coordination.redis.tls.certificate_file",
                                             "coordination.redis.tls.enabled",
                                             "coordination.redis.tls.private_key_file",
                                             "coordination.redis.tls.root_certificate_file",
                                             "coordination.redis.user",
                                             "http.listen",
                                             "identity.jwt.claims.permissions",
                                             "identity.jwt.issuer",
                                             "identity.jwt.jwks_ca_file",
                                             "identity.jwt.jwks_file",
                                             "identity.jwt.jwks_url",
                                             "identity.jwt.secret_file",
                                             "server.health_listen",
                                             "server.tls.certificate_file",
                                             "server.tls.client_ca_file",
                                             "server.tls.private_key_file",
                                             "storage.postgres.host",
                                             "storage.postgres.password_file",
                                             "storage.postgres.tls.certificate_file",
                                             "storage.postgres.tls.private_key_file",
                                             "storage.postgres.tls.root_certificate_file",
                                             "storage.postgres.transaction_pooler",
                                             "traces.ca_file",
                                             "traces.client_certificate_file",
                                             "traces.client_key_file",
                                             "traces.endpoint"};
  return paths->contains(path);
}

void ExpectEveryFieldSet(const Message& message, const std::string& path) {
  const auto& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = message.GetDescriptor()->field(i);
    const std::string name = absl::StrCat(path, path.empty() ? "" : ".", field->name());
    if (field->is_repeated() || MayBeZero(name)) continue;
    EXPECT_TRUE(reflection.HasField(message, field)) << name << " has no default";
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
        field->message_type() != google::protobuf::Duration::descriptor()) {
      ExpectEveryFieldSet(reflection.GetMessage(message, field), name);
    }
  }
}

TEST_F(ConfigTest, ThereAreMoreWorkersThanPlacesSoThatOneKindOfToolCannotHoldUpTheOthers) {
  const auto config = Load(LoadOptions());
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_GT(config->server().worker_threads(), config->execution_tracking().max_in_flight());
}

TEST_F(ConfigTest, EveryFieldHasADefault) {
  const Config config = Load(LoadOptions()).value();
  ExpectEveryFieldSet(config, "");
  for (const FieldDescriptor* section : executors::SettingsFields(executors::registration::BuiltInFamilies())) {
    ExpectEveryFieldSet(config.families().GetReflection()->GetMessage(config.families(), section), section->name());
  }
}

TEST_F(ConfigTest, AFileWinsOverTheDefaultsAndFlagsOverTheFile) {
  options_.data_dir = "/flag";
  options_.metrics_listen = "";
  options_.log_level = "debug";
  const auto config =
      LoadText("server: {listen: 127.0.0.1:1}\nstorage: {data_dir: /file}\nlogging: {level: error, format: json}\n");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->server().listen(), "127.0.0.1:1");
  EXPECT_EQ(config->server().metrics_listen(), "");
  EXPECT_EQ(config->storage().data_dir(), "/flag");
  EXPECT_EQ(config->logging().level(), "debug");
  EXPECT_EQ(config->logging().format(), "json");
  EXPECT_EQ(config->server().max_connections(), 1000);
}

TEST_F(ConfigTest, ProvenanceTakesEveryPolicyForAllAndForATool) {
  using namespace toolgate::config::v1;
  const auto defaults = LoadText("{}\n");
  EXPECT_EQ(defaults->provenance().open_world(), PROVENANCE_ACTION_ASK);
  EXPECT_EQ(defaults->provenance().irreversible(), PROVENANCE_ACTION_ASK);
  EXPECT_EQ(defaults->provenance().remembered(), PROVENANCE_ACTION_ASK);
  EXPECT_TRUE(defaults->provenance().tools().empty());
  for (const auto& [name, value] : {std::pair{"ALLOW", PROVENANCE_ACTION_ALLOW},
                                    {"ASK", PROVENANCE_ACTION_ASK},
                                    {"REFUSE", PROVENANCE_ACTION_REFUSE}}) {
    const auto config = LoadText(absl::StrCat("provenance: {open_world: ", name, "}\n"));
    ASSERT_TRUE(config.ok()) << config.status();
    EXPECT_EQ(config->provenance().open_world(), value);
    EXPECT_EQ(config->provenance().irreversible(), PROVENANCE_ACTION_ASK) << "the other one keeps its default";
    const auto both = LoadText(absl::StrCat("provenance: {irreversible: ", name, ", tools: {db_query: ", name, "}}\n"));
    ASSERT_TRUE(both.ok()) << both.status();
    EXPECT_EQ(both->provenance().irreversible(), value);
    EXPECT_EQ(both->provenance().tools().at("db_query"), value);
    const auto again = LoadText(ToYaml(*both));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_TRUE(MessageDifferencer::Equals(*both, *again));
  }
}

TEST_F(ConfigTest, PutsInTheEnvironment) {
  options_.environment = [](std::string_view name) -> std::optional<std::string> {
    if (name != "STATE") return std::nullopt;
    return "/from/" + std::string(name);
  };
  const auto config = LoadText("storage: {data_dir: \"${STATE}\"}\n");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->storage().data_dir(), "/from/STATE");
}

struct Broken {
  std::string_view text;
  std::string_view problem;
};

TEST_F(ConfigTest, ImpossibleValuesNameTheirLine) {
  const Broken cases[] = {
      {"server:\n  listen: 0.0.0.0:50051\n",
       "t.yaml:2:11: server.listen: \"0.0.0.0:50051\" can be reached from other machines; only loopback or a Unix "
       "socket "
       "may be used without TLS and credentials; write 127.0.0.1:port or unix:/path, or set up server.tls"},
      {"server:\n  listen: localhost\n",
       "t.yaml:2:11: server.listen: \"localhost\" is no address to listen on: no port; write host:port, for example "
       "127.0.0.1:50051, or unix:/path/of/socket"},
      {"server:\n  metrics_listen: unix:/x\n",
       "t.yaml:2:19: server.metrics_listen: is a Unix socket; metrics are served over TCP only; write host:port, or "
       "off for none"},
      {"server:\n  metrics_listen: \"[::1]:0\"\n",
       "t.yaml:2:19: server.metrics_listen: is an IPv6 address; metrics are served over IPv4 only; write "
       "127.0.0.1:9464, or off for none"},
      {"server:\n  metrics_listen: \"false\"\n",
       "t.yaml:2:19: server.metrics_listen: \"false\" is no address to listen on: no port; write host:port, for "
       "example "
       "127.0.0.1:50051, or unix:/path/of/socket, or off for none"},
      {"server:\n\n  max_connections: 0\n", "t.yaml:3:20: server.max_connections: is 0; must be from 1 to 1000000"},
      {"server: {drain_timeout: -1s}\n", "t.yaml:1:25: server.drain_timeout: is -1s; must be from 0s to 1h"},
      {"storage: {data_dir: \"\"}\n", "t.yaml:1:21: storage.data_dir: is empty; name a folder"},
      {"storage: {postgres: {host: db, tls: {mode: prefer}}}\n",
       "t.yaml:1:44: storage.postgres.tls.mode: is \"prefer\"; must be disable, require, verify-ca or verify-full"},
      {"storage: {postgres: {host: /run/postgresql, database: \"\"}}\n",
       "t.yaml:1:55: storage.postgres.database: is empty; name a database"},
      {"coordination: {redis: {address: nowhere}}\n",
       "t.yaml:1:33: coordination.redis.address: \"nowhere\" is no address of a server: no port; write host:port, for "
       "example 127.0.0.1:50051, or unix:/path/of/socket"},
      {"coordination: {redis: {address: \"db:6379\", tls: {certificate_file: a.pem}}}\n",
       "t.yaml:1:49: coordination.redis.tls: has one of certificate_file and private_key_file; name both or neither"},
      {"injection_defence: {threshold: 1.5}\n",
       "t.yaml:1:32: injection_defence.threshold: is 1.5; must be above 0 and at most 1"},
      {"rate_limiting: {circuit_breaker: {failure_ratio: 0}}\n",
       "t.yaml:1:50: rate_limiting.circuit_breaker.failure_ratio: is 0; must be above 0 and at most 1"},
      {"execution_tracking: {tool_timeout: 0s}\n",
       "t.yaml:1:36: execution_tracking.tool_timeout: is 0s; must be from 1ms to 1d"},
      {"identity:\n  roles:\n    a:\n      permissions:\n        - block:read\n        - block\n",
       "t.yaml:6:11: identity.roles.a.permissions[1]: permission \"block\": must be written as \"domain:action\", "
       "\"domain:*\" or \"*\""},
      {"identity:\n  roles:\n    a:\n      auto_approve: [delete_blok]\n",
       "t.yaml:4:22: identity.roles.a.auto_approve[0]: there is no tool \"delete_blok\"; did you mean "
       "\"delete_block\"?"},
      {"rate_limiting:\n  tools:\n    nothing.like.it: {}\n",
       "t.yaml:3:22: rate_limiting.tools[\"nothing.like.it\"]: there is no tool \"nothing.like.it\""},
      {"rate_limiting:\n  tools:\n    \"*\":\n      windows:\n        - {audience: users, max_calls: 1, window: 1h}\n",
       "t.yaml:5:22: rate_limiting.tools[\"*\"].windows[0].audience: is \"users\"; must be user, guest or any"},
      {"rate_limiting:\n  providers:\n    search:\n      windows:\n        - {audience: user, max_calls: 1, window: "
       "1h}\n",
       "t.yaml:4:7: rate_limiting.providers.search: no tool calls a provider \"search\"\n"
       "t.yaml:5:22: rate_limiting.providers.search.windows[0].audience: is \"user\"; a provider's limit is over all "
       "callers together and must be any"},
      {"rate_limiting:\n  tools:\n    \"*\":\n      windows:\n"
       "        - {audience: any, max_calls: 1, window: 1h, on_store_failure: OPEN}\n",
       "t.yaml:5:71: rate_limiting.tools[\"*\"].windows[0].on_store_failure: expected FAIL_CLOSED or "
       "FAIL_OPEN, found \"OPEN\""},
      // An omitted value is reported at its parent.
      {"rate_limiting:\n  tools:\n    \"*\":\n      windows:\n        - {audience: user, window: 1h}\n",
       "t.yaml:5:11: rate_limiting.tools[\"*\"].windows[0].max_calls: is 0; must be from 1 to 1000000; to "
       "forbid a tool, take its permission away"},
      {"confirmation: {require_for_tools: [\"\"]}\n",
       "t.yaml:1:36: confirmation.require_for_tools[0]: is empty; name a tool"},
      {"confirmation: {require_for_tools: [create_block, undo]}\n",
       "t.yaml:1:50: confirmation.require_for_tools[1]: nobody can be asked about \"undo\", whose answer has no place "
       "for a question"},
      {"provenance: {tools: {undo: ASK}}\n",
       "t.yaml:1:28: provenance.tools.undo: nobody can be asked about \"undo\", whose answer has no place for a "
       "question"},
      {"param_validation: {max_depth: 113}\n",
       "t.yaml:1:31: param_validation.max_depth: is 113; must be from 1 to 112"},
      {"provenance:\n  open_world: MAYBE\n",
       "t.yaml:2:15: provenance.open_world: expected ALLOW or ASK or REFUSE, found \"MAYBE\""},
      {"provenance:\n  irreversible: true\n",
       "t.yaml:2:17: provenance.irreversible: expected ALLOW or ASK or REFUSE, found \"true\""},
      {"provenance:\n  tools:\n    create_block: ask\n",
       "t.yaml:3:19: provenance.tools.create_block: expected ALLOW or ASK or REFUSE, found \"ask\"; did you mean ASK?"},
      {"provenance:\n  tools:\n    create_blok: ASK\n",
       "t.yaml:3:18: provenance.tools.create_blok: there is no tool \"create_blok\"; did you mean \"create_block\"?"},
      {"provenance:\n  closed_world: ASK\n",
       "t.yaml:2:3: provenance: no field \"closed_world\" here; there are open_world, irreversible, tools, remembered"},
      {"logging: {level: verbose}\n",
       "t.yaml:1:18: logging.level: is \"verbose\"; must be debug, info, warning or error"},
      {"logging: {max_repeats: -1}\n", "t.yaml:1:24: logging.max_repeats: is -1; must be from 0 to 1000000"},
      {"logging: {repeat_interval: 0s}\n", "t.yaml:1:28: logging.repeat_interval: is 0s; must be from 1s to 1h"},
      {"logging: {format: xml}\n", "t.yaml:1:19: logging.format: is \"xml\"; must be json, text or auto"},
      {"sql: {max_rows: 0}\n", "t.yaml:1:17: sql.max_rows: is 0; must be from 1 to 100000"},
      {"sql: {max_time: 2h}\n", "t.yaml:1:17: sql.max_time: is 2h; must be from 10ms to 1h"},
      {"families: {sql: {max_rows: 1}}\n",
       "t.yaml:1:1: no field \"families\" here; there are server, storage, identity, injection_defence, "
       "param_validation, rate_limiting, execution_tracking, confirmation, audit, logging, provenance, traces, http, "
       "coordination, sql, files, shell, code_graph, artifacts, web_search, images, chat"},
      {"loging: {}\n", "t.yaml:1:1: no field \"loging\" here; did you mean \"logging\"?"},
  };
  for (const Broken& test : cases) {
    EXPECT_EQ(Problems(test.text), test.problem) << test.text;
    EXPECT_EQ(LoadText(test.text).status().code(), absl::StatusCode::kInvalidArgument) << test.text;
  }
}

// Bounds that code relies on as well.
TEST_F(ConfigTest, RangesAreThoseThatTheCodeCanServe) {
  using toolgate::config::v1::ExecutionTracking;
  using toolgate::config::v1::integer_range;
  using toolgate::config::v1::ParamValidation;
  const FieldDescriptor* depth = ParamValidation::descriptor()->FindFieldByName("max_depth");
  EXPECT_EQ(depth->options().GetExtension(integer_range).max(), kMaxGivenDepth);
  const FieldDescriptor* bytes = ExecutionTracking::descriptor()->FindFieldByName("max_result_bytes");
  EXPECT_EQ(bytes->options().GetExtension(integer_range).min(),
            static_cast<int64_t>(security::execution_tracking::kMinResultBytes));
}

TEST_F(ConfigTest, TellsOfAllProblemsAtOnce) {
  EXPECT_EQ(Problems("server: {max_connections: 0}\nstorage: {sqlite: {readers: 0}}\n"),
            "t.yaml:1:27: server.max_connections: is 0; must be from 1 to 1000000\n"
            "t.yaml:2:29: storage.sqlite.readers: is 0; must be from 1 to 256");
}

TEST_F(ConfigTest, ATrustedFrontIsAnAddressOrANetwork) {
  EXPECT_EQ(Problems("server: {trusted_fronts: [192.0.2.7, 2001:db8::/32]}\n"), "");
  EXPECT_THAT(Problems("server: {trusted_fronts: [192.0.2.0/24, proxy.example]}\n"),
              HasSubstr("server.trusted_fronts[1]: \"proxy.example\" is no address and no network"));
}

TEST_F(ConfigTest, AWrongFlagIsNamed) {
  options_.listen = "[::]:1";
  EXPECT_THAT(std::string(Load(options_).status().message()), HasSubstr("--listen: server.listen: \"[::]:1\" can be"));
}

TEST_F(ConfigTest, NamesOfToolsAreThoseOfTheCatalogue) {
  EXPECT_THAT(Problems("confirmation: {require_for_tools: [my_own]}\n"), HasSubstr("there is no tool \"my_own\""));
  const std::vector<EmbeddedFile> definitions = {{"my_own.json", R"({"id": "my_own", "name": "T",
      "description": "T", "category": "read", "module": "test", "permissions": ["block:read"], "confirmation": "never",
      "annotations": {"readOnly": true}, "executor": {"kind": "native"}, "arguments": {"type": "object"},
      "result": {"type": "object"}, "examples": [{"description": "One", "arguments": {}, "result": {}}]})"}};
  const executors::ReadHandler answer = [](executors::ToolContext&, storage::ReadView&) {
    return executors::ToolOutput{.data_json = "{}"};
  };
  const std::vector<executors::Family> own = {
      {"my", &definitions, [&](const executors::FamilyContext&) -> absl::StatusOr<executors::FamilyTools> {
         return executors::FamilyTools{{{"my_own", answer}}};
       }}};
  options_.families = &own;
  EXPECT_EQ(Problems("confirmation: {require_for_tools: [my_own]}\n"), "");
  EXPECT_THAT(Problems("confirmation: {require_for_tools: [create_block]}\n"), HasSubstr("there is no tool"));
}

TEST_F(ConfigTest, AMetricsAddressMayBeReachableAndMayBeOff) {
  EXPECT_TRUE(LoadText("server: {metrics_listen: \"0.0.0.0:9464\"}\n").ok());
  EXPECT_TRUE(LoadText("server: {metrics_listen: \"\"}\n").ok());
  for (const char* off : {"off", "\"off\"", "'off'"}) {
    const auto config = LoadText(absl::StrCat("server: {metrics_listen: ", off, ", health_listen: ", off, "}\n"));
    ASSERT_TRUE(config.ok()) << off << config.status();
    EXPECT_EQ(config->server().metrics_listen(), "");
    EXPECT_EQ(config->server().health_listen(), "");
  }
  options_.metrics_listen = "off";
  const auto config = LoadText("server: {metrics_listen: 127.0.0.1:9464}\n");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->server().metrics_listen(), "") << "the flag wins";
  options_.metrics_listen = "nowhere";
  EXPECT_THAT(std::string(Load(options_).status().message()),
              HasSubstr("--metrics-listen: server.metrics_listen: \"nowhere\" is no address"));
}

TEST_F(ConfigTest, AFileThatCannotBeReadIsNamed) {
  options_.file = folder_ + "/nothing.yaml";
  EXPECT_EQ(Load(options_).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Load(options_).status().message()), HasSubstr("nothing.yaml: No such file or directory"));
  options_.file = folder_;
  EXPECT_THAT(std::string(Load(options_).status().message()), HasSubstr("Is a directory"));
}

TEST_F(ConfigTest, AFileThatIsTooLargeIsRefused) {
  EXPECT_THAT(Problems("#" + std::string(1 << 20, 'x')), HasSubstr("at most 1048576 are read"));
}

TEST_F(ConfigTest, WhatIsPrintedLoadsToTheSame) {
  const auto config = LoadText(
      "rate_limiting: {tools: {db_query: {windows: [{audience: any, max_calls: 3, window: 5h}, "
      "{audience: any, max_calls: 9, window: 24h, on_store_failure: FAIL_OPEN}]}}}\n"
      "server: {metrics_listen: \"\", reflection: false, drain_timeout: 0s}\n");
  ASSERT_TRUE(config.ok()) << config.status();
  const std::string printed = ToYaml(*config);
  const auto again = LoadText(printed);
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << printed;
  EXPECT_TRUE(MessageDifferencer::Equals(*config, *again)) << printed;
}

// Everything that a new family touches: its own folder, which is tests/support/gong here, and one list.
// tests/integration/new_family_test.cc has the same family in a service.
class NewFamilyTest : public ConfigTest {
 protected:
  NewFamilyTest() {
    families_.push_back(testing::GongFamily());
    options_.families = &families_;
  }

  std::vector<executors::Family> families_ = executors::registration::BuiltInFamilies();
};

TEST_F(NewFamilyTest, ItsSettingsAreReadOnTopOfItsDefaults) {
  const auto config = LoadText("gong:\n  metal: brass\nsql: {max_rows: 7}\n");
  ASSERT_TRUE(config.ok()) << config.status();
  const auto& gong = config->families().GetExtension(testing::GongSettings::gong);
  EXPECT_EQ(gong.metal(), "brass");
  EXPECT_EQ(gong.max_strokes(), 3);
  EXPECT_EQ(config->families().GetExtension(executors::sql::SqlSettings::sql).max_rows(), 7);
  const auto catalog = executors::MakeCatalog(families_, {.settings = config->families()});
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  EXPECT_NE((*catalog)->Find("strike_gong"), nullptr);
}

TEST_F(NewFamilyTest, ABadSettingNamesItsLine) {
  const Broken cases[] = {
      {"gong:\n  max_strokes: 13\n", "t.yaml:2:16: gong.max_strokes: is 13; must be from 1 to 12"},
      {"gong: {pause: 0s}\n", "t.yaml:1:15: gong.pause: is 0s; must be from 10ms to 1m"},
      {"gong: {volumes: {ada: 2}}\n", "t.yaml:1:23: gong.volumes.ada: is 2; must be above 0 and at most 1"},
      {"gong: {metal: wood}\n", "t.yaml:1:15: gong.metal: is no metal of gongs; must be bronze or brass"},
      {"gong: {max_strokes: many}\n",
       "t.yaml:1:21: gong.max_strokes: expected a whole number from -2147483648 to 2147483647, found \"many\""},
      {"gong: {max_stroks: 1}\n", "t.yaml:1:8: gong: no field \"max_stroks\" here; did you mean \"max_strokes\"?"},
      {"gnog: {}\n", "t.yaml:1:1: no field \"gnog\" here; did you mean \"gong\"?"},
  };
  for (const Broken& test : cases) EXPECT_EQ(Problems(test.text), test.problem) << test.text;
}

TEST_F(NewFamilyTest, ARoleMayGrantItsPermissions) {
  EXPECT_EQ(Problems("identity: {roles: {ringer: {permissions: [gong:strike, \"gong:*\"]}}}\n"), "");
  EXPECT_THAT(Problems("identity: {roles: {ringer: {permissions: [gong:strik]}}}\n"),
              HasSubstr("unknown action; the actions of gong are strike, wake"));
  options_.families = nullptr;
  EXPECT_THAT(Problems("identity: {roles: {ringer: {permissions: [gong:strike]}}}\n"), HasSubstr("unknown domain"));
}

TEST_F(NewFamilyTest, WithoutTheFamilyItsSectionIsUnknown) {
  options_.families = nullptr;
  EXPECT_THAT(Problems("gong: {metal: brass}\n"), HasSubstr("t.yaml:1:1: no field \"gong\" here"));
}

TEST_F(NewFamilyTest, WhatIsPrintedLoadsToTheSame) {
  const auto config = LoadText("gong: {metal: brass, volumes: {ada: 0.5}}\n");
  ASSERT_TRUE(config.ok()) << config.status();
  const std::string printed = ToYaml(*config);
  EXPECT_THAT(printed, HasSubstr("\ngong:\n  max_strokes: 3\n  pause: 1s\n  metal: brass\n  volumes:\n    ada: 0.5\n"));
  const auto again = LoadText(printed);
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << printed;
  EXPECT_TRUE(MessageDifferencer::Equals(*config, *again)) << printed;
}

TEST_F(NewFamilyTest, ItsSettingsArePrintedAsJson) {
  const auto config = LoadText("gong: {metal: brass}\n");
  ASSERT_TRUE(config.ok()) << config.status();
  const auto json = ToJson(*config);
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ((*json)["gong"]["metal"], "brass");
  EXPECT_EQ((*json)["sql"]["max_rows"], 1000);
  EXPECT_EQ((*json)["server"]["max_connections"], 1000);
  EXPECT_FALSE(json->contains("families"));
}

TEST_F(NewFamilyTest, AReloadTellsThatItsSettingsNeedARestart) {
  const auto at_start = LoadText("gong: {metal: brass}\n");
  const auto now = LoadText("gong: {metal: bronze}\nlogging: {level: debug}\n");
  ASSERT_TRUE(at_start.ok() && now.ok());
  EXPECT_THAT(yaml::ChangedFixedSettings(*at_start, *now), ElementsAre("gong.metal"));
}

}  // namespace
}  // namespace toolgate::services::config
