#include "executors/cypher/functions/strings.h"

#include <gtest/gtest.h>

#include "executors/cypher/syntax/cypher_error.h"

namespace toolgate::executors::cypher::functions {
namespace {

using syntax::FunctionId;
using values::Value;

constexpr size_t kMaxBytes = 1000;

std::string Text(FunctionId function, const std::vector<Value>& arguments) {
  return CallString(function, arguments, kMaxBytes)->string();
}

std::string DetailOf(FunctionId function, const std::vector<Value>& arguments) {
  const absl::StatusOr<Value> result = CallString(function, arguments, kMaxBytes);
  return result.ok() ? "" : syntax::GetCypherError(result.status())->detail;
}

TEST(StringsTest, CountCharactersNotBytes) {
  EXPECT_EQ(Text(FunctionId::kLeft, {Value("äöü"), Value(2)}), "äö");
  EXPECT_EQ(Text(FunctionId::kRight, {Value("äöü"), Value(1)}), "ü");
  EXPECT_EQ(Text(FunctionId::kSubstring, {Value("äöüß"), Value(1), Value(2)}), "öü");
  EXPECT_EQ(Reversed("añb").string(), "bña");
}

TEST(StringsTest, CaseIsUnicode) {
  EXPECT_EQ(Text(FunctionId::kToUpper, {Value("éß")}), "Éẞ");
  EXPECT_EQ(Text(FunctionId::kToLower, {Value("ÉΣ")}), "éσ");
}

TEST(StringsTest, LengthsBeyondTheTextTakeAllOfIt) {
  EXPECT_EQ(Text(FunctionId::kLeft, {Value("ab"), Value(9)}), "ab");
  EXPECT_EQ(Text(FunctionId::kRight, {Value("ab"), Value(9)}), "ab");
  EXPECT_EQ(Text(FunctionId::kSubstring, {Value("ab"), Value(5)}), "");
}

TEST(StringsTest, WrongArgumentsAreErrors) {
  EXPECT_EQ(DetailOf(FunctionId::kLeft, {Value("a"), Value(-1)}), "NegativeIntegerArgument");
  EXPECT_EQ(DetailOf(FunctionId::kLeft, {Value("a"), Value("b")}), "InvalidArgumentType");
  EXPECT_EQ(DetailOf(FunctionId::kTrim, {Value(1)}), "InvalidArgumentType");
  EXPECT_TRUE(CallString(FunctionId::kTrim, std::vector<Value>{Value()}, kMaxBytes)->is_null());
}

TEST(StringsTest, ResultsThatWouldBeTooLargeAreRefused) {
  const Value text(std::string(200, 'x'));
  EXPECT_EQ(DetailOf(FunctionId::kReplace, {text, Value("x"), Value("0123456789")}), "MemoryLimitExceeded");
  EXPECT_EQ(DetailOf(FunctionId::kSplit, {text, Value("")}), "MemoryLimitExceeded");
  EXPECT_EQ(DetailOf(FunctionId::kReplace, {text, Value("x"), Value("y")}), "");
}

}  // namespace
}  // namespace toolgate::executors::cypher::functions
