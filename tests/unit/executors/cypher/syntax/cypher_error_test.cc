#include "executors/cypher/syntax/cypher_error.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"

namespace toolgate::executors::cypher::syntax {
namespace {

TEST(CypherErrorTest, CountsLinesAndCharacters) {
  const CypherError error = MakeSyntaxError("UndefinedVariable", "No", "MATCH (ü)\nRETURN ö, x", 21);
  EXPECT_EQ(error.offset, 21u);
  EXPECT_EQ(error.line, 2u);
  EXPECT_EQ(error.column, 10u);  // "ö" has two bytes.
}

TEST(CypherErrorTest, KeepsThePositionInsideOfTheText) {
  const CypherError error = MakeSyntaxError("UnexpectedSyntax", "No", "RETURN", 100);
  EXPECT_EQ(error.offset, 6u);
  EXPECT_EQ(error.column, 7u);
}

TEST(CypherErrorTest, TravelsInAStatus) {
  CypherError error = MakeSyntaxError("UndefinedVariable", "The variable \x1f is odd", "RETURN x", 7);
  const absl::Status status = ToStatus(error);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  const std::optional<CypherError> back = GetCypherError(status);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->phase, ErrorPhase::kCompile);
  EXPECT_EQ(back->kind, "SyntaxError");
  EXPECT_EQ(back->detail, "UndefinedVariable");
  EXPECT_EQ(back->message, error.message);
  EXPECT_EQ(back->offset, 7u);
  EXPECT_EQ(back->line, 1u);
  EXPECT_EQ(back->column, 8u);
}

TEST(CypherErrorTest, TellsRuntimeFromCompileTime) {
  CypherError error;
  error.phase = ErrorPhase::kRuntime;
  error.kind = "TypeError";
  error.message = "No number";
  const absl::Status status = ToStatus(error);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(GetCypherError(status)->phase, ErrorPhase::kRuntime);
  EXPECT_EQ(ToString(error), "TypeError: No number");
}

TEST(CypherErrorTest, FindsNoneInAnotherStatus) {
  EXPECT_FALSE(GetCypherError(absl::InternalError("SyntaxError")).has_value());
  EXPECT_FALSE(GetCypherError(absl::OkStatus()).has_value());
}

TEST(CypherErrorTest, ReadsAsOneSentence) {
  EXPECT_EQ(ToString(MakeSyntaxError("UnexpectedSyntax", "Expected RETURN", "MATCH (n)\nX", 10)),
            "SyntaxError (UnexpectedSyntax) at line 2, column 1: Expected RETURN");
}

}  // namespace
}  // namespace toolgate::executors::cypher::syntax
