#include "security/param_validation/param_validation.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::security::param_validation {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSchema = R"({"type":"object","required":["blockId"],"properties":{
  "blockId":{"type":"string","minLength":1},"limit":{"type":"integer","minimum":1,"maximum":50,"default":20},
  "due":{"type":"string","format":"date"},"data":{"type":"object"}}})";

class ParamValidationTest : public ::testing::Test {
 protected:
  ParamValidationTest() {
    for (const char* const schema : {R"({"type":"object"})", kSchema}) {
      executors::Tool& tool = tools_.emplace_back();
      tool.definition.id = "tool_" + std::to_string(tools_.size());
      tool.definition.argument_schema = Json::parse(schema);
      tool.index = tools_.size() - 1;
    }
    auto layer = ParamValidation::Create(tools_);
    EXPECT_TRUE(layer.ok()) << layer.status();
    layer_ = *std::move(layer);
  }

  // Runs the second tool's call through the layer.
  absl::StatusOr<ToolResult> Run(const char* arguments) {
    call_ = std::make_unique<ToolCall>();
    call_->tool = &tools_[1];
    call_->tool_id = tools_[1].definition.id;
    call_->SetArguments(Json::parse(arguments));
    ran_ = false;
    return layer_->Run(*call_, [this](ToolCall& call) -> absl::StatusOr<ToolResult> {
      ran_ = true;
      EXPECT_TRUE(call.frozen());
      return ToolResult();
    });
  }

  std::vector<executors::Tool> tools_;
  std::unique_ptr<ParamValidation> layer_;
  std::unique_ptr<ToolCall> call_;
  bool ran_ = false;
};

TEST_F(ParamValidationTest, FillsDefaultsFreezesAndGoesOn) {
  ASSERT_TRUE(Run(R"({"blockId":"b1","due":"2026-01-31"})").ok());
  EXPECT_TRUE(ran_);
  EXPECT_EQ(DumpJson(call_->arguments()), R"({"blockId":"b1","due":"2026-01-31","limit":20})");
}

TEST_F(ParamValidationTest, ReadsNullOfAnOptionalPropertyAsLeftOut) {
  ASSERT_TRUE(Run(R"({"blockId":"b1","due":null,"limit":null})").ok());
  EXPECT_EQ(DumpJson(call_->arguments()), R"({"blockId":"b1","limit":20})");
  const std::string digest = call_->arguments_digest();
  ASSERT_TRUE(Run(R"({"blockId":"b1"})").ok());
  EXPECT_EQ(call_->arguments_digest(), digest) << "idempotency keys and confirmations are bound to what was read";
}

TEST_F(ParamValidationTest, GuessesNothingElse) {
  for (const char* const arguments :
       {R"({"blockId":null})", R"({"blockId":"b1","limit":"5"})", R"({"blockId":"b1","limit":""})",
        R"({"blockId":"b1","due":""})", R"({"blockId":"b1","data":[]})", R"({"blockId":"b1","unknown":null})"}) {
    EXPECT_FALSE(Run(arguments).ok()) << arguments;
    EXPECT_FALSE(ran_);
  }
}

TEST_F(ParamValidationTest, RefusesWithEveryOffendingPath) {
  const auto result = Run(R"({"blockID":"s3cret","limit":99,"due":"tomorrow"})");
  EXPECT_FALSE(ran_);
  EXPECT_FALSE(call_->frozen());
  const auto error = GetToolError(result.status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kInvalidParams);
  ASSERT_EQ(error->violations.size(), 4u);
  EXPECT_EQ(
      error->message,
      "at \"/blockID\": unknown property \"blockID\"; did you mean \"blockId\"? at \"/limit\": expected at most 50, "
      "found integer (maximum). at \"/due\": expected date, for example 2026-01-31, found string of 8 characters "
      "(format). at \"/blockId\": the required property \"blockId\" is missing");
  EXPECT_THAT(error->message, Not(HasSubstr("s3cret")));
}

TEST_F(ParamValidationTest, SaysMissingRequiredOnlyWhenNothingElseIsWrong) {
  EXPECT_EQ(GetToolError(Run("{}").status())->code, ErrorCode::kMissingRequired);
  EXPECT_EQ(GetToolError(Run(R"({"limit":0})").status())->code, ErrorCode::kInvalidParams);
}

TEST_F(ParamValidationTest, RefusesPrototypeKeysWhereTheSchemaIsOpen) {
  const auto error = GetToolError(Run(R"({"blockId":"b","data":{"x":{"__proto__":1}}})").status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->violations[0].path, "/data/x/__proto__");
  EXPECT_FALSE(ran_);
}

TEST_F(ParamValidationTest, RefusesArgumentsThatAreNoObject) {
  EXPECT_EQ(GetToolError(Run("[1]").status())->violations[0].rule, "type");
  EXPECT_EQ(GetToolError(Run("null").status())->violations[0].rule, "type");
}

TEST_F(ParamValidationTest, PassesOnWhatComesBack) {
  ToolCall call;
  call.tool = &tools_[0];
  const auto result = layer_->Run(
      call, [](ToolCall&) -> absl::StatusOr<ToolResult> { return MakeError(ErrorCode::kTimeout, "too late"); });
  EXPECT_EQ(GetToolError(result.status())->code, ErrorCode::kTimeout);
}

TEST_F(ParamValidationTest, NamesTheToolWhoseSchemaIsRefused) {
  tools_[1].definition.argument_schema["properties"]["due"]["type"] = "date";
  const auto layer = ParamValidation::Create(tools_);
  ASSERT_EQ(layer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(
      layer.status().message(),
      "the argument schema of tool_2: /properties/due/type: must be null, boolean, integer, number, string, array or "
      "object, or a list of these");
}

TEST_F(ParamValidationTest, IsNamedAsMetricsKnowIt) { EXPECT_EQ(layer_->name(), "param_validation"); }

}  // namespace
}  // namespace toolgate::security::param_validation
