#include "executors/providers/content_type.h"

#include "common/tool_error.h"
#include "gtest/gtest.h"

namespace toolgate::executors::providers {
namespace {

http::ResponseHead Typed(const char* type) { return {.status = 200, .headers = {{"content-type", type}}}; }

TEST(ContentTypeTest, ComparesTheTypeAlone) {
  EXPECT_TRUE(HasContentType(Typed("application/json"), "application/json"));
  EXPECT_TRUE(HasContentType(Typed("Application/JSON ; charset=utf-8"), "application/json"));
  EXPECT_TRUE(HasContentType(Typed("application/problem+json"), "application/json"));
  EXPECT_TRUE(HasContentType(Typed("text/event-stream;charset=utf-8"), "text/event-stream"));
  EXPECT_FALSE(HasContentType(Typed("text/html"), "application/json"));
  EXPECT_FALSE(HasContentType(Typed("application/jsonp"), "application/json"));
  EXPECT_FALSE(HasContentType({.status = 200}, "application/json"));
}

TEST(ContentTypeTest, AnotherTypeIsTheProvidersFailure) {
  EXPECT_TRUE(CheckContentType("zai", Typed("application/json"), "application/json").ok());
  const auto error = GetToolError(CheckContentType("zai", Typed("text/html"), "application/json"));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kExecutionError);
  EXPECT_EQ(error->message, "zai sent a response that is not of type application/json");
}

}  // namespace
}  // namespace toolgate::executors::providers
