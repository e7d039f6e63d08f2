#include "services/api/rpc_table.h"

#include <algorithm>
#include <string_view>
#include <type_traits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "security/authorization/permissions.h"

namespace toolgate::services::api {
namespace {

using ::testing::Contains;

// Code that must not compile: a row, or an array with one row too few, without permissions.
template <typename Row>
concept MayOmitPermissions = requires {
  Row{Rpc::kExecute, "unary", "service", "Method"};
};
template <typename Table>
concept MayOmitRows = requires {
  Table{};
};
static_assert(!std::is_default_constructible_v<RpcPermissions>);
static_assert(!MayOmitPermissions<RpcRow>);
static_assert(!MayOmitRows<decltype(kRpcTable)>);

TEST(RpcTableTest, EachRowStatesItsPermissionsInOneOfThreeWays) {
  for (const RpcRow& row : kRpcTable) {
    const int ways = static_cast<int>(!row.permissions.names().empty()) +
                     static_cast<int>(row.permissions.of_its_tool()) +
                     static_cast<int>(!row.permissions.reason().empty());
    EXPECT_EQ(ways, 1) << row.method;
  }
}

TEST(RpcTableTest, NamesPermissionsThatThereAre) {
  const auto known = security::authorization::PermissionTable::Create({}).value().DomainPatterns();
  for (const RpcRow& row : kRpcTable) {
    for (const std::string_view permission : row.permissions.names()) {
      EXPECT_THAT(known, Contains(permission)) << row.method;
    }
  }
}

}  // namespace
}  // namespace toolgate::services::api
