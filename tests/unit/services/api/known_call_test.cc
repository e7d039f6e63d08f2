#include "services/api/known_call.h"

#include "tests/support/test_tools.h"
#include "tests/unit/services/api/api_fixture.h"

namespace toolgate::services::api {
namespace {

using testing::CodeOf;

// One service, "planner", is known by its certificate. It may read blocks and no more.
class KnownCallTest : public ApiFixture {
 protected:
  KnownCallTest() : ApiFixture(WithPlanner()) {}

  static toolgate::config::v1::Config WithPlanner() {
    toolgate::config::v1::Config config;
    config.mutable_server()->mutable_tls()->set_certificate_file("server.pem");
    config.mutable_server()->mutable_tls()->set_client_ca_file("clients.pem");
    (*config.mutable_identity()->mutable_roles())["reader"].add_permissions("block:read");
    auto& planner = (*config.mutable_identity()->mutable_services())["planner"];
    planner.add_certificate_names("planner.internal");
    planner.add_roles("reader");
    planner.set_trusted(true);
    return config;
  }

  static InboundRpc FromPlanner() {
    InboundRpc inbound = Inbound();
    inbound.connection.certificate.emplace();
    inbound.connection.certificate->dns_names = {"planner.internal"};
    return inbound;
  }
};

TEST_F(KnownCallTest, BadCredentialsAreRefusedAndLogged) {
  InboundRpc inbound = Inbound();
  inbound.connection.bearer_token = "not-a-token";
  inbound.trace = {0x0af7651916cd43dd, 0x8448eb211c80319c, 0xb7ad6b7169203331, 1, {}};
  const auto known = KnownCall::Authenticate(runtime_, Rpc::kListTools, inbound);
  EXPECT_EQ(CodeOf(known.status()), ErrorCode::kUnauthorized);
  const Json line = log_.Last();
  EXPECT_EQ(line.value("message", ""), "rpc refused") << line.dump();
  EXPECT_EQ(line.value("method", ""), "toolgate.v1.ToolService/ListTools");
  EXPECT_EQ(line.value("code", ""), "UNAUTHORIZED");
  EXPECT_EQ(line.value("known", true), false);
  EXPECT_EQ(line.value("peer", ""), "ipv4:203.0.113.7:4711");
  EXPECT_EQ(line.value("trace_id", ""), "0af7651916cd43dd8448eb211c80319c");
}

TEST_F(KnownCallTest, BadCredentialsOfAToolCallAreLeftToThePipelineToRecord) {
  const auto known = KnownCall::Authenticate(runtime_, Rpc::kExecute, Inbound());
  EXPECT_EQ(CodeOf(known.status()), ErrorCode::kUnauthorized);
  EXPECT_TRUE(log_.lines().empty()) << log_.text();
}

TEST_F(KnownCallTest, GoodCredentialsAreNotKept) {
  const auto known = KnownCall::Authenticate(runtime_, Rpc::kListTools, FromPlanner());
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_FALSE(known->inbound().connection.certificate.has_value());
  EXPECT_NE(known->principal().service, nullptr);
  const auto caller = known->Admit(As<v1::ListToolsRequest>().caller());
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_EQ(caller->user_id, "ann");
  EXPECT_EQ(caller->service, "planner");
}

TEST_F(KnownCallTest, AMissingPermissionIsRefusedAndLogged) {
  const auto known = KnownCall::Authenticate(runtime_, Rpc::kListBreakers, FromPlanner());
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_EQ(CodeOf(known->Admit(As<v1::ListToolsRequest>().caller()).status()), ErrorCode::kForbidden);
  const Json line = log_.Last();
  EXPECT_EQ(line.value("method", ""), "toolgate.v1.AdminService/ListBreakers") << line.dump();
  EXPECT_EQ(line.value("code", ""), "FORBIDDEN");
  EXPECT_EQ(line.value("known", false), true);
  EXPECT_EQ(line.value("user_id", ""), "ann");
}

TEST_F(KnownCallTest, AnUnknownMethodNeedsCredentialsToo) {
  EXPECT_TRUE(AuthenticateUnknownMethod(runtime_, FromPlanner()).ok());
  EXPECT_TRUE(log_.lines().empty()) << log_.text();
  EXPECT_EQ(CodeOf(AuthenticateUnknownMethod(runtime_, Inbound())), ErrorCode::kUnauthorized);
  EXPECT_EQ(log_.Last().value("method", ""), "unknown");
}

}  // namespace
}  // namespace toolgate::services::api
