#include "observability/tracing/resource.h"

#include <unistd.h>

#include "gtest/gtest.h"

namespace toolgate::observability::tracing {
namespace {

std::string Text(const Resource& resource, const std::string& name) {
  const auto found = resource.find(name);
  return found == resource.end() ? "" : std::get<std::string>(found->second);
}

TEST(ResourceTest, DescribesThisProcess) {
  const Resource resource = MakeResource("planner", "1.2.3", "instance-1", {});
  EXPECT_EQ(Text(resource, "service.name"), "planner");
  EXPECT_EQ(Text(resource, "service.version"), "1.2.3");
  EXPECT_EQ(Text(resource, "service.instance.id"), "instance-1");
  EXPECT_EQ(Text(resource, "telemetry.sdk.name"), "toolgate");
  EXPECT_EQ(Text(resource, "telemetry.sdk.language"), "cpp");
  EXPECT_EQ(Text(resource, "telemetry.sdk.version"), "1.2.3");
  EXPECT_NE(Text(resource, "host.name"), "");
  EXPECT_EQ(std::get<int64_t>(resource.at("process.pid")), getpid());
}

TEST(ResourceTest, TheOperatorsAttributesAddAndReplace) {
  const Resource resource = MakeResource("planner", "1.2.3", "instance-1",
                                         {{"deployment.environment.name", "test"},
                                          {"host.name", "h1"},
                                          {"service.instance.id", "pod-7"},
                                          {"service.name", "no"},
                                          {"telemetry.sdk.name", "no"}});
  EXPECT_EQ(Text(resource, "deployment.environment.name"), "test");
  EXPECT_EQ(Text(resource, "host.name"), "h1");
  EXPECT_EQ(Text(resource, "service.instance.id"), "pod-7");
  EXPECT_EQ(Text(resource, "service.name"), "planner");
  EXPECT_EQ(Text(resource, "telemetry.sdk.name"), "toolgate");
}

}  // namespace
}  // namespace toolgate::observability::tracing
