#include "security/param_validation/argument_parser.h"

#include <string>
#include <string_view>
#include <vector>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::security::param_validation {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

config::v1::ParamValidation Config() {
  config::v1::ParamValidation config;
  config.set_max_bytes(200);
  config.set_max_depth(4);
  config.set_max_keys(5);
  return config;
}

TEST(ArgumentParserTest, ReadsAnObject) {
  const auto parsed = ArgumentParser(Config()).Parse(R"({"b":1,"a":[{"c":null}]})");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(DumpJson(*parsed), R"({"b":1,"a":[{"c":null}]})");
  EXPECT_EQ(*ArgumentParser(Config()).Parse(""), Json::object());
}

TEST(ArgumentParserTest, TellsTheLimitThatLongArgumentsHit) {
  config::v1::ParamValidation config = Config();
  config.set_max_bytes(1 << 20);
  const std::string text = "{\"file\":\"a\",\"content\":\"" + std::string(2'200'000, 'x') + "\"}";
  const auto error = GetToolError(ArgumentParser(config).Parse(text).status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kInvalidParams);
  for (const char* const part : {"2.1 MiB", "1 MiB", "param_validation.max_bytes", "in parts"}) {
    EXPECT_THAT(error->message, HasSubstr(part));
  }
  EXPECT_THAT(error->facts, ::testing::Contains(std::pair<std::string, std::string>("limit", "1048576")));
}

TEST(ArgumentParserTest, RefusesEverythingElseWithOneViolation) {
  struct Row {
    std::string text;
    std::string_view rule;
    std::string_view says;
  };
  for (const Row& row : std::vector<Row>{{"[1]", "type", "array of 1 item"},
                                         {"\"s3cret\"", "type", "string of 6 characters"},
                                         {"{\"a\":\"s3cret\"", "json", "not well-formed"},
                                         {"{\"a\":1}{}", "json", "not well-formed"},
                                         {"{\"a\":1,\"a\":\"s3cret\"}", "json", "given twice"},
                                         {"{\"a\":{\"__proto__\":\"s3cret\"}}", "prototypeKey", "/a/__proto__"},
                                         {"{\"a\":[[[[1]]]]}", "json", "deeper than 4"},
                                         {"{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1}", "json", "more than 5"},
                                         {"{\"a\":\"" + std::string(200, 'x') + "\"}", "json", "at most 200"},
                                         {"{\"a\":\"\xFF\"}", "json", "UTF-8"},
                                         {"{\"a\":1e400}", "json", "range of a double"},
                                         {"   ", "json", "not well-formed"}}) {
    const auto parsed = ArgumentParser(Config()).Parse(row.text);
    const auto error = GetToolError(parsed.status());
    ASSERT_TRUE(error.has_value()) << row.text;
    EXPECT_EQ(error->code, ErrorCode::kInvalidParams) << row.text;
    ASSERT_EQ(error->violations.size(), 1u) << row.text;
    EXPECT_EQ(error->violations[0].rule, row.rule) << row.text;
    EXPECT_THAT(error->message, HasSubstr(std::string(row.says))) << row.text;
    EXPECT_THAT(error->message, Not(HasSubstr("s3cret"))) << row.text;
  }
}

}  // namespace
}  // namespace toolgate::security::param_validation
