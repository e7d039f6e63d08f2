#include "executors/artifacts/artifact_request.h"

#include "common/tool_error.h"
#include "gtest/gtest.h"

namespace toolgate::executors::artifacts {
namespace {

TEST(ValidateParamsTest, ReadsAllArguments) {
  const auto request =
      ValidateParams({{"type", "code"}, {"prompt", "  a sort \n"}, {"title", "Sort"}, {"language", "go"}});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->type, ArtifactType::kCode);
  EXPECT_EQ(request->prompt, "a sort");
  EXPECT_EQ(request->title, "Sort");
  EXPECT_EQ(request->language, "go");
}

TEST(ValidateParamsTest, KnowsAllTypes) {
  for (const char* name : {"react", "html", "svg", "code", "mermaid", "markdown"}) {
    const auto request = ValidateParams({{"type", name}, {"prompt", "x"}});
    ASSERT_TRUE(request.ok()) << name;
    EXPECT_EQ(TypeName(request->type), name);
  }
  EXPECT_FALSE(TypeFromName("pdf").has_value());
}

TEST(ValidateParamsTest, RefusesBlanks) {
  const auto error = GetToolError(ValidateParams({{"type", "svg"}, {"prompt", " \n\t"}}).status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kInvalidParams);
  EXPECT_EQ(error->violations.front().path, "/prompt");
}

TEST(ValidateParamsTest, RefusesALanguageOfWhatIsNoCode) {
  const auto error = GetToolError(ValidateParams({{"type", "svg"}, {"prompt", "x"}, {"language", "c"}}).status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->violations.front().path, "/language");
}

}  // namespace
}  // namespace toolgate::executors::artifacts
