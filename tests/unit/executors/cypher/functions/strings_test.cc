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

TEST(StringsTest, FindsPartsInAnyText) {
  EXPECT_EQ(Find("abcabc", "ca"), 2u);
  EXPECT_EQ(Find("abcabc", "abc", 1), 3u);
  EXPECT_EQ(Find("abc", "c", 3), std::string_view::npos);
  EXPECT_EQ(Find("abc", "c", 9), std::string_view::npos);
  EXPECT_EQ(Find("abc", ""), 0u);
  EXPECT_EQ(Find("", "a"), std::string_view::npos);
  const std::string almost = std::string(300'000, 'a') + "b";
  EXPECT_EQ(Find(std::string(2'000'000, 'a'), almost), std::string_view::npos);
  EXPECT_EQ(Find(std::string(2'000'000, 'a') + "b", almost), 1'700'000u);
}

TEST(StringsTest, ReplacesAndSplitsFromTheLeft) {
  EXPECT_EQ(Text(FunctionId::kReplace, {Value("aaaxaa"), Value("aa"), Value("b")}), "baxb");
  EXPECT_EQ(Text(FunctionId::kReplace, {Value("abc"), Value("x"), Value("y")}), "abc");
  EXPECT_EQ(Text(FunctionId::kReplace, {Value("abab"), Value("ab"), Value("")}), "");
  EXPECT_EQ(CallString(FunctionId::kSplit, std::vector<Value>{Value("aaa,,b"), Value(",")}, kMaxBytes)->list().size(),
            3u);
  EXPECT_EQ(
      CallString(FunctionId::kSplit, std::vector<Value>{Value("aaa"), Value("aa")}, kMaxBytes)->list().back().string(),
      "a");
}

TEST(StringsTest, ResultsThatWouldBeTooLargeAreRefused) {
  const Value text(std::string(200, 'x'));
  EXPECT_EQ(DetailOf(FunctionId::kReplace, {text, Value("x"), Value("0123456789")}), "MemoryLimitExceeded");
  EXPECT_EQ(DetailOf(FunctionId::kSplit, {text, Value("")}), "MemoryLimitExceeded");
  EXPECT_EQ(DetailOf(FunctionId::kReplace, {text, Value("x"), Value("y")}), "");
}

}  // namespace
}  // namespace toolgate::executors::cypher::functions
