#include "services/config/otel_variables.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/proto_time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"

namespace toolgate::services::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using toolgate::config::v1::Traces;

using Variables = std::map<std::string, std::string>;

absl::StatusOr<toolgate::config::v1::Config> LoadWith(const Variables& variables) {
  return Load({.open_files = false, .environment = [&](std::string_view name) -> std::optional<std::string> {
                 const auto found = variables.find(std::string(name));
                 if (found == variables.end()) return std::nullopt;
                 return found->second;
               }});
}

Traces TracesWith(const Variables& variables) {
  const auto config = LoadWith(variables);
  EXPECT_TRUE(config.ok()) << config.status();
  return config.ok() ? config->traces() : Traces();
}

std::string ProblemsWith(Variables variables) {
  variables.emplace("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4317");
  return std::string(LoadWith(variables).status().message());
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

TEST(OtelVariablesTest, ProblemsNameTheVariable) {
  const struct {
    std::string variable;
    std::string value;
    std::string problem;
  } rows[] = {{"OTEL_TRACES_EXPORTER", "console", "must be otlp or none"},
              {"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf", "must be grpc"},
              {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://collector/v1/traces", "has a path"},
              {"OTEL_EXPORTER_OTLP_TIMEOUT", "10s", "must be a whole number"},
              {"OTEL_EXPORTER_OTLP_TIMEOUT", "-1", "must be from 1ms"},
              {"OTEL_EXPORTER_OTLP_COMPRESSION", "zstd", "must be none or gzip"},
              {"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "c.pem", "needs traces.client_key_file"},
              {"OTEL_TRACES_SAMPLER", "jaeger_remote", "must be always_on"},
              {"OTEL_BSP_MAX_QUEUE_SIZE", "0", "must be from 1"},
              {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4096", "more than traces.batch.max_queue"},
              {"OTEL_RESOURCE_ATTRIBUTES", "a", "not name=value"},
              {"OTEL_RESOURCE_ATTRIBUTES", "a=%zz", "not name=value"},
              {"OTEL_RESOURCE_ATTRIBUTES", "a=%ff", "not UTF-8"}};
  for (const auto& row : rows) {
    EXPECT_THAT(ProblemsWith({{row.variable, row.value}}),
                AllOf(StartsWith(row.variable + ": traces."), HasSubstr(row.problem), Not(HasSubstr("\n"))))
        << row.variable << "=" << row.value;
  }
  EXPECT_THAT(ProblemsWith({{"OTEL_TRACES_SAMPLER", "traceidratio"}, {"OTEL_TRACES_SAMPLER_ARG", "1.5"}}),
              StartsWith("OTEL_TRACES_SAMPLER_ARG: traces.sample_ratio: is 1.5; must be from 0 to 1"));
}

TEST(OtelVariablesTest, NoProblemQuotesACredential) {
  for (const char* const headers : {"hunter2", "authorization=hunter2%", "=hunter2", "a b=hunter2", "a=hunter2\x01"}) {
    const std::string problems = ProblemsWith({{"OTEL_EXPORTER_OTLP_HEADERS", headers}});
    EXPECT_THAT(problems, StartsWith("OTEL_EXPORTER_OTLP_HEADERS: traces.headers")) << headers;
    EXPECT_THAT(problems, Not(HasSubstr("hunter2")));
  }
}

TEST(OtelVariablesTest, CredentialsAreNotPrinted) {
  const auto config = LoadWith({{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector:4317"},
                                {"OTEL_EXPORTER_OTLP_HEADERS", "authorization=hunter2"}});
  ASSERT_TRUE(config.ok());
  EXPECT_THAT(ToYaml(*config), AllOf(HasSubstr("https://collector:4317"), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(DumpJson(ToJson(*config).value()), AllOf(HasSubstr("https://collector:4317"), Not(HasSubstr("hunter2"))));
}

}  // namespace
}  // namespace toolgate::services::config
