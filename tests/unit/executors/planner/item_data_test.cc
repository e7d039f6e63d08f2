#include "executors/planner/item_data.h"

#include <string>

#include "absl/status/status.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "gtest/gtest.h"
#include "tests/support/tool_matchers.h"

namespace toolgate::executors::planner {
namespace {

using testing::FailsWith;

TEST(ItemDataTest, TagsAreTrimmedAndKeptOnce) {
  EXPECT_EQ(NormalisedTags({" Work ", "", "  ", "home", "WORK", "Home", "Übung", "übung", "work out"}),
            Json({"Work", "home", "Übung", "work out"}));
  EXPECT_EQ(NormalisedTags(Json::array()), Json::array());
}

TEST(ItemDataTest, APatchRemovesWhatIsEmptyAndLeavesOutWhatIsNotGiven) {
  const Json arguments = {{"title", "T"},      {"body", ""},    {"dueDate", nullptr},
                          {"tags", {" ", ""}}, {"other", true}, {"eventLinks", Json::array()}};
  EXPECT_EQ(
      PatchOf(arguments, {"title", "body", "dueDate", "tags", "mood", "eventLinks"}),
      Json(
          {{"title", "T"}, {"body", nullptr}, {"dueDate", nullptr}, {"tags", nullptr}, {"eventLinks", Json::array()}}));
}

TEST(ItemDataTest, NewDataHasNothingEmpty) {
  const Json arguments = {{"title", "T"}, {"body", ""}, {"dueDate", nullptr}, {"tags", {"", "a"}}};
  EXPECT_EQ(DataOf(arguments, {"title", "body", "dueDate", "tags", "mood"}), Json({{"title", "T"}, {"tags", {"a"}}}));
  EXPECT_EQ(DataOf(arguments, {"mood"}), Json::object());
}

TEST(ItemDataTest, AnEmptyUpdateIsRefusedWithTheNamesOfWhatCouldChange) {
  EXPECT_THAT(CheckChanges({{"noteId", "n"}}, {"title", "body", "tags"}),
              FailsWith(ErrorCode::kMissingRequired, "title, body and tags", ""));
  EXPECT_EQ(CheckChanges({{"noteId", "n"}, {"body", nullptr}}, {"title", "body"}), absl::OkStatus());
}

TEST(ItemDataTest, ErrorsOfDataBecomeErrorsOfArguments) {
  EXPECT_THAT(OfArguments(InvalidArgument("/data/tags/0", "type", "no")),
              FailsWith(ErrorCode::kInvalidParams, "no", "/tags/0"));
  EXPECT_THAT(OfArguments(InvalidArgument("/database", "type", "no")),
              FailsWith(ErrorCode::kInvalidParams, "no", "/database"));
  EXPECT_EQ(OfArguments(absl::InternalError("x")), absl::InternalError("x"));
  EXPECT_EQ(OfArguments(absl::OkStatus()), absl::OkStatus());
}

}  // namespace
}  // namespace toolgate::executors::planner
