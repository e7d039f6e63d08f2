#include "services/http/routes.h"

#include <set>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "services/http/json_fields.h"
#include "toolgate/v1/admin_service.pb.h"

namespace toolgate::services::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "METHOD path" of the route that was found; "" if none.
std::string Found(std::string_view method, std::string_view path) {
  const PathMatch match = FindRoute(method, path);
  if (!match.route.has_value()) return "";
  return std::string(Routes()[match.route->index].path) + "=" + match.route->value;
}

TEST(RoutesTest, FindsRoutesAndTheirVariables) {
  const struct {
    std::string_view method;
    std::string_view path;
    std::string_view found;
  } rows[] = {
      {"POST", "/v1/tools/get_block:execute", "/v1/tools/{tool_id}:execute=get_block"},
      {"POST", "/v1/tools/browser.search:execute", "/v1/tools/{tool_id}:execute=browser.search"},
      {"POST", "/v1/tools/browser%2Esearch:executeStream", "/v1/tools/{tool_id}:executeStream=browser.search"},
      {"POST", "/v1/breakers/tool:Bash:reset", "/v1/breakers/{name}:reset=tool:Bash"},
      {"POST", "/v1/breakers/tool%3ABash:reset", "/v1/breakers/{name}:reset=tool:Bash"},
      {"GET", "/v1/auditEntries", "/v1/auditEntries="},
      {"GET", "/v1/auditEntries:verify", "/v1/auditEntries:verify="},
      {"GET", "/v1/auditEntries/01J", "/v1/auditEntries/{entry_id}=01J"},
      {"HEAD", "/v1/tools", "/v1/tools="},
      {"POST", "/v1/tools", ""},
      {"POST", "/v1/tools/a%00b:execute", ""},
      {"POST", "/v1/tools/a%2Fb:execute", "/v1/tools/{tool_id}:execute=a/b"},
      {"GET", "/v1/auditEntries/", ""},
      {"GET", "/v1", ""},
      {"GET", "", ""},
  };
  for (const auto& row : rows) EXPECT_EQ(Found(row.method, row.path), row.found) << row.method << " " << row.path;
}

TEST(RoutesTest, ListsTheMethodsOfAPath) {
  EXPECT_THAT(FindRoute("DELETE", "/v1/instruction").methods, ElementsAre("GET", "PATCH"));
  EXPECT_THAT(FindRoute("GET", "/nowhere").methods, IsEmpty());
}

// Every RPC has a route, but those whose streams gRPC carries alone.
TEST(RoutesTest, CoverTheRpcs) {
  std::set<api::Rpc> routed;
  for (const Route& route : Routes()) EXPECT_TRUE(routed.insert(route.rpc).second) << route.path;
  for (const api::RpcRow& row : api::kRpcTable) {
    const bool file_stream = row.service == api::kDataServiceName;
    EXPECT_EQ(routed.contains(row.rpc), !file_stream) << row.method;
  }
}

TEST(RoutesTest, HaveVariablesThatAreFieldsOfTheRequest) {
  static_cast<void>(v1::ListBreakersRequest::descriptor());  // Links the file's descriptors in.
  for (const Route& route : Routes()) {
    EXPECT_NE(route.unary == nullptr, route.stream == nullptr) << route.path;
    if (VariableOf(route).empty()) continue;
    const api::RpcRow& row = api::RowOf(route.rpc);
    const auto* service =
        google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(std::string(row.service));
    ASSERT_NE(service, nullptr) << row.service;
    const google::protobuf::Descriptor* request = service->FindMethodByName(std::string(row.method))->input_type();
    if (route.rpc == api::Rpc::kExecuteStream) request = request->FindFieldByName("request")->message_type();
    EXPECT_NE(FieldOf(*request, VariableOf(route)), nullptr) << route.path;
  }
}

}  // namespace
}  // namespace toolgate::services::http
