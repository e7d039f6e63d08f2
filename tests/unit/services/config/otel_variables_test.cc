#include "services/config/otel_variables.h"

#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/proto_time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "tests/support/temp_dir.h"

namespace toolgate::services::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using toolgate::config::v1::Traces;

using Variables = std::map<std::string, std::string>;

absl::StatusOr<PlacedConfig> LoadWith(const Variables& variables, bool open_files = false) {
  return LoadPlaced({.open_files = open_files, .environment = [&](std::string_view name) -> std::optional<std::string> {
                       const auto found = variables.find(std::string(name));
                       if (found == variables.end()) return std::nullopt;
                       return found->second;
                     }});
}

// Of variables that are all right.
Traces TracesWith(const Variables& variables) {
  const auto loaded = LoadWith(variables);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  if (!loaded.ok()) return {};
  EXPECT_THAT(loaded->warnings, IsEmpty());
  return loaded->config.traces();
}

// The service starts with these variables, to a receiver unless they name another.
PlacedConfig StartWith(Variables variables) {
  variables.emplace("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4317");
  auto loaded = LoadWith(variables);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? *std::move(loaded) : PlacedConfig();
}

TEST(OtelVariablesTest, WithoutVariablesTracesAreOff) {
  EXPECT_EQ(TracesWith({}).endpoint(), "");
  EXPECT_EQ(TracesWith({{"OTEL_SERVICE_NAME", "planner"}}).endpoint(), "");
}

TEST(OtelVariablesTest, TheEndpointForTracesCountsBeforeTheGeneralOne) {
  Variables variables = {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://general:4317"}};
  EXPECT_EQ(TracesWith(variables).endpoint(), "http://general:4317");
  variables["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = "";
  EXPECT_EQ(TracesWith(variables).endpoint(), "http://general:4317") << "an empty variable counts as absent";
  variables["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = "https://traces:443";
  EXPECT_EQ(TracesWith(variables).endpoint(), "https://traces:443");
}

TEST(OtelVariablesTest, WithoutASchemeInsecureDecides) {
  Variables variables = {{"OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"}};
  EXPECT_EQ(TracesWith(variables).endpoint(), "https://collector:4317");
  variables["OTEL_EXPORTER_OTLP_INSECURE"] = "TRUE";
  EXPECT_EQ(TracesWith(variables).endpoint(), "http://collector:4317");
  variables["OTEL_EXPORTER_OTLP_TRACES_INSECURE"] = "false";
  EXPECT_EQ(TracesWith(variables).endpoint(), "https://collector:4317");
  variables["OTEL_EXPORTER_OTLP_ENDPOINT"] = "unix:/run/otel.sock";
  EXPECT_EQ(TracesWith(variables).endpoint(), "unix:/run/otel.sock");
}

TEST(OtelVariablesTest, TracesCanBeTurnedOnAndOff) {
  EXPECT_EQ(TracesWith({{"OTEL_TRACES_EXPORTER", "otlp"}}).endpoint(), "http://localhost:4317");
  Variables variables = {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4317"}, {"OTEL_TRACES_EXPORTER", "none"}};
  EXPECT_EQ(TracesWith(variables).endpoint(), "");
  variables["OTEL_TRACES_EXPORTER"] = "otlp";
  EXPECT_EQ(TracesWith(variables).endpoint(), "http://collector:4317");
  variables["OTEL_SDK_DISABLED"] = "true";
  variables["OTEL_BSP_SCHEDULE_DELAY"] = "not read while traces are off";
  EXPECT_EQ(TracesWith(variables).endpoint(), "");
}

TEST(OtelVariablesTest, ReadsEverySetting) {
  const Traces traces = TracesWith({{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector:4317"},
                                    {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
                                    {"OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20a%3Db, x-tenant = t1"},
                                    {"OTEL_EXPORTER_OTLP_TIMEOUT", "2500"},
                                    {"OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"},
                                    {"OTEL_EXPORTER_OTLP_CERTIFICATE", "ca.pem"},
                                    {"OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE", "c.pem"},
                                    {"OTEL_EXPORTER_OTLP_CLIENT_KEY", "k.pem"},
                                    {"OTEL_TRACES_SAMPLER", "parentbased_traceidratio"},
                                    {"OTEL_TRACES_SAMPLER_ARG", "0.25"},
                                    {"OTEL_BSP_SCHEDULE_DELAY", "100"},
                                    {"OTEL_BSP_EXPORT_TIMEOUT", "200"},
                                    {"OTEL_BSP_MAX_QUEUE_SIZE", "300"},
                                    {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "30"},
                                    {"OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=a%2Cb,service.name=no"},
                                    {"OTEL_SERVICE_NAME", "planner"}});
  EXPECT_EQ(traces.endpoint(), "https://collector:4317");
  EXPECT_THAT(traces.headers(), UnorderedElementsAre(Pair("authorization", "Bearer a=b"), Pair("x-tenant", "t1")));
  EXPECT_EQ(FromProtoDuration(traces.timeout()), absl::Milliseconds(2500));
  EXPECT_EQ(traces.compression(), "gzip");
  EXPECT_EQ(traces.ca_file(), "ca.pem");
  EXPECT_EQ(traces.client_certificate_file(), "c.pem");
  EXPECT_EQ(traces.client_key_file(), "k.pem");
  EXPECT_EQ(traces.sampler(), "parentbased_traceidratio");
  EXPECT_EQ(traces.sample_ratio(), 0.25);
  EXPECT_EQ(FromProtoDuration(traces.batch().delay()), absl::Milliseconds(100));
  EXPECT_EQ(FromProtoDuration(traces.batch().export_timeout()), absl::Milliseconds(200));
  EXPECT_EQ(traces.batch().max_queue(), 300);
  EXPECT_EQ(traces.batch().max_batch(), 30);
  EXPECT_THAT(traces.resource_attributes(), ElementsAre(Pair("deployment.environment.name", "a,b")));
  EXPECT_EQ(traces.service_name(), "planner");
}

TEST(OtelVariablesTest, TheResourceNamesTheServiceUnlessItsOwnVariableDoes) {
  EXPECT_EQ(TracesWith({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:1"}, {"OTEL_RESOURCE_ATTRIBUTES", "service.name=a"}})
                .service_name(),
            "a");
}

TEST(OtelVariablesTest, AnArgumentIsForSamplersThatTakeOne) {
  EXPECT_EQ(TracesWith({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:1"}, {"OTEL_TRACES_SAMPLER_ARG", "endpoint=x"}})
                .sample_ratio(),
            1);
}

TEST(OtelVariablesTest, AValueThatCannotBeIsIgnoredWithAWarning) {
  const std::string defaults = StartWith({}).config.traces().ShortDebugString();
  const struct {
    std::string variable;
    std::string value;
    std::string problem;
  } rows[] = {{"OTEL_TRACES_EXPORTER", "console", "must be otlp or none"},
              {"OTEL_SDK_DISABLED", "yes", "must be true or false"},
              {"OTEL_EXPORTER_OTLP_PROTOCOL", "thrift", "must be grpc or http/protobuf"},
              {"OTEL_EXPORTER_OTLP_TIMEOUT", "10s", "must be a whole number"},
              {"OTEL_EXPORTER_OTLP_TIMEOUT", "-1", "must be from 1ms"},
              {"OTEL_EXPORTER_OTLP_COMPRESSION", "zstd", "must be none or gzip"},
              {"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "c.pem", "needs traces.client_key_file"},
              {"OTEL_EXPORTER_OTLP_CLIENT_KEY", "k.pem", "needs traces.client_key_file"},
              {"OTEL_TRACES_SAMPLER", "jaeger_remote", "must be always_on"},
              {"OTEL_BSP_SCHEDULE_DELAY", "soon", "must be a whole number"},
              {"OTEL_BSP_EXPORT_TIMEOUT", "9999999999", "must be a whole number"},
              {"OTEL_BSP_MAX_QUEUE_SIZE", "0", "must be from 1"},
              {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4096", "more than traces.batch.max_queue"},
              {"OTEL_RESOURCE_ATTRIBUTES", "a", "not name=value"},
              {"OTEL_RESOURCE_ATTRIBUTES", "team=a,b", "not name=value"},
              {"OTEL_RESOURCE_ATTRIBUTES", "a=%zz", "not name=value"},
              {"OTEL_RESOURCE_ATTRIBUTES", "a=%ff", "not UTF-8"},
              {"OTEL_SERVICE_NAME", "\xff", "not UTF-8"},
              {"OTEL_PROPAGATORS", "tracecontext,b3", "has \"b3\""}};
  for (const auto& row : rows) {
    const PlacedConfig loaded = StartWith({{row.variable, row.value}});
    EXPECT_THAT(loaded.warnings, ElementsAre(AllOf(StartsWith(row.variable + ": "), HasSubstr(row.problem),
                                                   EndsWith("the variable is ignored"), Not(HasSubstr("\n")))))
        << row.variable << "=" << row.value;
    EXPECT_EQ(loaded.config.traces().ShortDebugString(), defaults) << row.variable << "=" << row.value;
  }
  const PlacedConfig ratio = StartWith({{"OTEL_TRACES_SAMPLER", "traceidratio"}, {"OTEL_TRACES_SAMPLER_ARG", "1.5"}});
  EXPECT_THAT(ratio.warnings, ElementsAre(StartsWith("OTEL_TRACES_SAMPLER_ARG: traces.sample_ratio: is 1.5")));
  EXPECT_EQ(ratio.config.traces().sampler(), "traceidratio");
  EXPECT_EQ(ratio.config.traces().sample_ratio(), 1);
}

TEST(OtelVariablesTest, WhatIsWrongWithOneVariableLeavesTheOthers) {
  const PlacedConfig loaded = StartWith({{"OTEL_TRACES_SAMPLER", "jaeger_remote"},
                                         {"OTEL_RESOURCE_ATTRIBUTES", "team"},
                                         {"OTEL_SERVICE_NAME", "planner"}});
  EXPECT_THAT(loaded.warnings, SizeIs(2));
  EXPECT_EQ(loaded.config.traces().service_name(), "planner");
  EXPECT_EQ(loaded.config.traces().endpoint(), "http://collector:4317");
}

TEST(OtelVariablesTest, AnEndpointThatCannotBeLeavesTracesOff) {
  const auto loaded = LoadWith({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://ann:hunter2@collector:4317"}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.traces().endpoint(), "");
  EXPECT_THAT(loaded->warnings,
              ElementsAre(AllOf(StartsWith("OTEL_EXPORTER_OTLP_ENDPOINT: "), Not(HasSubstr("hunter2")))));
}

TEST(OtelVariablesTest, AFileThatCannotBeReadIsIgnoredWithAWarning) {
  const auto loaded = LoadWith({{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector:4317"},
                                {"OTEL_EXPORTER_OTLP_CERTIFICATE", "/nowhere/ca.pem"}},
                               /*open_files=*/true);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.traces().ca_file(), "");
  EXPECT_THAT(loaded->warnings, ElementsAre(StartsWith("OTEL_EXPORTER_OTLP_CERTIFICATE: ")));
}

TEST(OtelVariablesTest, OverHttpTheGeneralEndpointIsTheBeginningOfTheUrl) {
  Variables variables = {{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"},
                         {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318"}};
  EXPECT_EQ(TracesWith(variables).endpoint(), "http://collector:4318/v1/traces");
  EXPECT_EQ(TracesWith(variables).protocol(), "http/protobuf");
  variables["OTEL_EXPORTER_OTLP_ENDPOINT"] = "https://otlp.example.com/tenant/";
  EXPECT_EQ(TracesWith(variables).endpoint(), "https://otlp.example.com/tenant/v1/traces");
  variables["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = "https://otlp.example.com/take/these";
  EXPECT_EQ(TracesWith(variables).endpoint(), "https://otlp.example.com/take/these");
  variables["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = "https://otlp.example.com";
  EXPECT_EQ(TracesWith(variables).endpoint(), "https://otlp.example.com/");
  variables["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = "https://otlp.example.com?api-key=a/b";
  EXPECT_EQ(TracesWith(variables).endpoint(), "https://otlp.example.com/?api-key=a/b");
  variables.erase("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  variables["OTEL_EXPORTER_OTLP_ENDPOINT"] = "https://otlp.example.com?api-key=a/b";
  EXPECT_EQ(TracesWith(variables).endpoint(), "https://otlp.example.com/v1/traces?api-key=a/b");
  variables["OTEL_EXPORTER_OTLP_ENDPOINT"] = "https://otlp.example.com/tenant?api-key=a/";
  EXPECT_EQ(TracesWith(variables).endpoint(), "https://otlp.example.com/tenant/v1/traces?api-key=a/");
  EXPECT_EQ(TracesWith({{"OTEL_TRACES_EXPORTER", "otlp"}, {"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"}}).endpoint(),
            "http://localhost:4318/v1/traces");
}

TEST(OtelVariablesTest, ProtobufIsSpokenInPlaceOfJson) {
  const PlacedConfig loaded = StartWith(
      {{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"}, {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318"}});
  EXPECT_THAT(loaded.warnings, ElementsAre(StartsWith("OTEL_EXPORTER_OTLP_PROTOCOL: is http/json")));
  EXPECT_EQ(loaded.config.traces().protocol(), "http/protobuf");
  EXPECT_EQ(loaded.config.traces().endpoint(), "http://collector:4318/v1/traces");
}

TEST(OtelVariablesTest, APathIsIgnoredOverGrpc) {
  const PlacedConfig loaded = StartWith({{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://collector:4317/v1/traces"}});
  EXPECT_THAT(loaded.warnings, ElementsAre(HasSubstr("has a path")));
  EXPECT_EQ(loaded.config.traces().endpoint(), "http://collector:4317");
  const PlacedConfig query = StartWith({{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector:4317?api-key=hunter2"}});
  EXPECT_THAT(query.warnings, ElementsAre(AllOf(HasSubstr("query"), Not(HasSubstr("hunter2")))));
  EXPECT_EQ(query.config.traces().endpoint(), "https://collector:4317");
}

TEST(OtelVariablesTest, WithTheEndpointOfTheFileItsProtocolCounts) {
  testing::TempDir dir;
  const std::string file = dir.path() + "/toolgate.yaml";
  const struct {
    std::string endpoint;
    std::string protocol;
    std::string other;
  } rows[] = {{"http://collector:4317", "grpc", "http/protobuf"},
              {"unix:/run/otel.sock", "grpc", "http/protobuf"},
              {"http://collector:4318/v1/traces", "http/protobuf", "grpc"}};
  for (const auto& row : rows) {
    std::ofstream(file) << "traces: {endpoint: \"" << row.endpoint << "\", protocol: " << row.protocol << "}\n";
    const Variables variables = {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://ann:hunter2@other"},
                                 {"OTEL_EXPORTER_OTLP_PROTOCOL", row.other}};
    const auto loaded = LoadPlaced({.file = file, .open_files = false, .environment = [&](std::string_view name) {
                                      const auto found = variables.find(std::string(name));
                                      return found == variables.end() ? std::nullopt : std::optional(found->second);
                                    }});
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_EQ(loaded->config.traces().endpoint(), row.endpoint);
    EXPECT_EQ(loaded->config.traces().protocol(), row.protocol) << row.endpoint;
    EXPECT_THAT(loaded->warnings,
                ElementsAre(StartsWith("OTEL_EXPORTER_OTLP_ENDPOINT: "), StartsWith("OTEL_EXPORTER_OTLP_PROTOCOL: ")));
  }
}

TEST(OtelVariablesTest, AShortQueueMakesBatchesSmaller) {
  const Traces traces =
      TracesWith({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4317"}, {"OTEL_BSP_MAX_QUEUE_SIZE", "100"}});
  EXPECT_EQ(traces.batch().max_queue(), 100);
  EXPECT_EQ(traces.batch().max_batch(), 100);
}

TEST(OtelVariablesTest, ASettingOfTheFileStillStopsTheStart) {
  testing::TempDir dir;
  const std::string file = dir.path() + "/toolgate.yaml";
  std::ofstream(file) << "traces: {endpoint: \"http://collector:4317\", sampler: sometimes}\n";
  const auto loaded = LoadPlaced({.file = file, .open_files = false, .environment = [](std::string_view) {
                                    return std::optional<std::string>();
                                  }});
  EXPECT_THAT(std::string(loaded.status().message()), HasSubstr("traces.sampler: is \"sometimes\""));
}

TEST(OtelVariablesTest, NoProblemQuotesACredential) {
  for (const char* const headers : {"hunter2", "authorization=hunter2%", "=hunter2", "a b=hunter2", "a=hunter2\x01"}) {
    const PlacedConfig loaded = StartWith({{"OTEL_EXPORTER_OTLP_HEADERS", headers}});
    EXPECT_THAT(loaded.warnings,
                ElementsAre(AllOf(StartsWith("OTEL_EXPORTER_OTLP_HEADERS: "), Not(HasSubstr("hunter2")))))
        << headers;
    EXPECT_EQ(loaded.config.traces().headers_size(), 0);
  }
}

TEST(OtelVariablesTest, CredentialsAreNotPrinted) {
  const auto loaded = LoadWith({{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector:4317"},
                                {"OTEL_EXPORTER_OTLP_HEADERS", "authorization=hunter2"}});
  ASSERT_TRUE(loaded.ok());
  EXPECT_THAT(ToYaml(loaded->config), AllOf(HasSubstr("https://collector:4317"), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(DumpJson(ToJson(loaded->config).value()),
              AllOf(HasSubstr("https://collector:4317"), Not(HasSubstr("hunter2"))));
}

}  // namespace
}  // namespace toolgate::services::config
