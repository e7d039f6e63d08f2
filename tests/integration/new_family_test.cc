// A family that is complete in its own folder (tests/support/gong) works in a service that has it in its list: nothing
// else in the tree knows it.
#include <string>
#include <vector>

#include "common/json.h"
#include "executors/family.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/gong/gong_family.h"
#include "tests/support/gong/settings.pb.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using testing::GongFamily;
using testing::GongSettings;
using ::testing::HasSubstr;
using testing::TestServer;

constexpr char kTool[] = "strike_gong";

v1::ExecuteRequest Strike(std::string_view user, bool guest = false, std::string_view arguments = "{}") {
  v1::ExecuteRequest request = TestServer::Request(kTool, arguments, user);
  request.mutable_caller()->set_is_guest(guest);
  return request;
}

// A role that grants it "gong:strike", and settings that are not the defaults.
void Adjust(config::v1::Config& config) {
  (*config.mutable_identity()->mutable_roles())["guest"].add_permissions("gong:strike");
  GongSettings& gong = *config.mutable_families()->MutableExtension(GongSettings::gong);
  gong.set_max_strokes(5);
  (*gong.mutable_volumes())["ann"] = 1;
  (*gong.mutable_volumes())["visitor"] = 0.5;
}

TEST(NewFamilyTest, ItsToolAnswersByItsSettings) {
  TestServer server(Adjust, nullptr, Clock::Real(), {GongFamily()});
  EXPECT_EQ(server.RunTool(kTool, "{}"), Json::parse(R"({"metal": "bronze", "strokes": 5})"));
}

TEST(NewFamilyTest, ARoleGrantsItsPermissionsOneByOne) {
  TestServer server(Adjust, nullptr, Clock::Real(), {GongFamily()});
  server.Run(Strike("visitor", /*guest=*/true));
  const grpc::Status refused = server.Refused(Strike("visitor", /*guest=*/true, R"({"loudly": true})"), "FORBIDDEN");
  EXPECT_THAT(refused.error_message(), HasSubstr("needs the permission gong:wake"));
  server.Run(Strike("ann", /*guest=*/false, R"({"loudly": true})"));
}

TEST(NewFamilyTest, NobodyHasItsPermissionsUnlessARoleGrantsThem) {
  TestServer server(nullptr, nullptr, Clock::Real(), {GongFamily()});
  const grpc::Status refused = server.Refused(Strike("visitor", /*guest=*/true), "FORBIDDEN");
  EXPECT_THAT(refused.error_message(), HasSubstr("needs the permission gong:strike"));
}

TEST(NewFamilyTest, ItsSwitchHidesItsTool) {
  TestServer server(Adjust, nullptr, Clock::Real(), {GongFamily()});
  server.Refused(Strike("bob"), "UNKNOWN_TOOL");
  for (const char* user : {"ann", "bob"}) {
    v1::ListToolsRequest request;
    *request.mutable_caller() = Strike(user).caller();
    request.add_modules("gong");
    v1::ListToolsResponse response;
    grpc::ClientContext context;
    const grpc::Status status = server.tools().ListTools(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response.tools_size(), user == std::string("ann") ? 1 : 0) << user;
  }
}

// A permission that no role could ever grant.
TEST(NewFamilyTest, AMisspeltPermissionStopsTheStart) {
  executors::Family family = GongFamily();
  family.permissions = {"gong:strik", "gong:wake"};
  testing::TempDir dir;
  testing::MemorySink sink;
  observability::Logger logger(sink, Clock::Real(), observability::LogLevel::kInfo, observability::LogFormat::kJson);
  std::vector<executors::Family> families = executors::registration::BuiltInFamilies();
  families.push_back(family);
  const auto config = services::config::Load(
      {.listen = "127.0.0.1:0", .metrics_listen = "off", .data_dir = dir.path() + "/data", .families = &families});
  ASSERT_TRUE(config.ok()) << config.status();
  const auto started = services::app::Application::Start(*config, {logger, Clock::Real(), IdSource::Real(), &families});
  EXPECT_THAT(std::string(started.status().message()),
              HasSubstr("tool strike_gong: permission \"gong:strike\": unknown action; the actions of gong are strik, "
                        "wake"));
}

}  // namespace
}  // namespace toolgate
