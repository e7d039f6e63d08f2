#include "services/config/trace_checks.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"

namespace toolgate::services::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using toolgate::config::v1::Traces;

class TraceChecksTest : public ::testing::Test {
 protected:
  std::vector<std::pair<std::string, std::string>> Problems() const {
    std::vector<std::pair<std::string, std::string>> problems;
    CheckTraces(traces_, [&](std::string_view path, std::string_view what) { problems.emplace_back(path, what); });
    return problems;
  }

  Traces traces_ = Load({.environment = [](std::string_view) { return std::nullopt; }}).value().traces();
};

TEST_F(TraceChecksTest, TheDefaultsAreGoodWithAndWithoutAReceiver) {
  EXPECT_THAT(Problems(), IsEmpty());
  traces_.set_endpoint("http://collector:4317");
  EXPECT_THAT(Problems(), IsEmpty());
}

TEST_F(TraceChecksTest, AnEndpointNeedsAScheme) {
  traces_.set_endpoint("collector:4317");
  EXPECT_THAT(Problems(), ElementsAre(Pair("traces.endpoint", HasSubstr("write http://host:port"))));
}

TEST_F(TraceChecksTest, ARatioIsAShare) {
  traces_.set_sample_ratio(-0.1);
  EXPECT_THAT(Problems(), ElementsAre(Pair("traces.sample_ratio", "is -0.1; must be from 0 to 1")));
  traces_.set_sample_ratio(0);
  EXPECT_THAT(Problems(), IsEmpty());
}

TEST_F(TraceChecksTest, HeadersAreMetadata) {
  for (const char* const name : {"authorization", "x-tenant.id_1"}) {
    traces_.clear_headers();
    (*traces_.mutable_headers())[name] = "Bearer abc";
    EXPECT_THAT(Problems(), IsEmpty()) << name;
  }
  for (const char* const name : {"", "Authorization", "a b", "grpc-timeout", "token-bin", ":path"}) {
    traces_.clear_headers();
    (*traces_.mutable_headers())[name] = "value";
    EXPECT_THAT(Problems(), ElementsAre(Pair(HasSubstr("traces.headers"), HasSubstr("no name of metadata")))) << name;
  }
  traces_.clear_headers();
  (*traces_.mutable_headers())["authorization"] = "two\nlines";
  EXPECT_THAT(Problems(), ElementsAre(Pair("traces.headers.authorization", HasSubstr("printable ASCII"))));
}

TEST_F(TraceChecksTest, TheServiceHasAName) {
  traces_.set_service_name("");
  EXPECT_THAT(Problems(), ElementsAre(Pair("traces.service_name", HasSubstr("name the service"))));
}

}  // namespace
}  // namespace toolgate::services::config
