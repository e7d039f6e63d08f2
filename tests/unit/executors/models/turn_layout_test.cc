#include "executors/models/turn_layout.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace toolgate::executors::models {
namespace {

Message Turn() {
  return {.role = Role::kAssistant,
          .text = "one two",
          .images = {{.media_type = "image/png", .bytes = "pix"}},
          .tool_uses = {{"a", "t", "{}"}, {"b", "t", "{}"}}};
}

std::string PartsShown(const Message& message) {
  std::string shown;
  for (const TurnPart& part : TurnLayout::Parts("p", message)) {
    switch (part.kind) {
      case TurnPart::Kind::kText:
        absl::StrAppend(&shown, "text ", part.size);
        break;
      case TurnPart::Kind::kImage:
        absl::StrAppend(&shown, "image ", part.index);
        break;
      case TurnPart::Kind::kToolUse:
        absl::StrAppend(&shown, "call ", part.index);
        break;
      case TurnPart::Kind::kOpaque:
        shown += "opaque";
        break;
    }
    shown += part.extra.empty() ? ";" : DumpJson(part.extra) + ";";
  }
  return shown;
}

constexpr char kDefault[] = "text 7;image 0;call 0;call 1;";

TEST(TurnLayoutTest, GivesBackOrderAndExtras) {
  TurnLayout layout;
  layout.AddOpaque({{"signed", true}});
  layout.AddToolUse(1);
  layout.AddText(2);
  layout.AddText(2);
  layout.AddText(0);
  layout.AddText(3, {{"s", 1}});
  layout.AddImage(0, {{"s", 2}});
  layout.AddToolUse(0);
  Message turn = Turn();
  turn.provider_state = layout.State("p", turn);
  EXPECT_EQ(PartsShown(turn), R"(opaque{"signed":true};call 1;text 4;text 3{"s":1};image 0{"s":2};call 0;)");
}

TEST(TurnLayoutTest, KeepsNoStateThatNobodyWants) {
  TurnLayout layout;
  layout.AddText(7);
  layout.AddToolUse(0);
  EXPECT_EQ(layout.State("p", Turn()), "");
}

TEST(TurnLayoutTest, KnowsItsStates) {
  TurnLayout layout;
  layout.AddOpaque({{"signed", true}});
  layout.AddText(7);
  EXPECT_TRUE(TurnLayout::IsIn(layout.State("p", Turn())));
  for (const char* other : {"", "state", "[]", "{}", R"({"openai":{"reasoningDetails":[]}})"}) {
    EXPECT_FALSE(TurnLayout::IsIn(other)) << other;
  }
}

struct UnfitState {
  const char* name;
  const char* state;
};

class UnfitStateTest : public ::testing::TestWithParam<UnfitState> {};

TEST_P(UnfitStateTest, CountsAsNone) {
  Message turn = Turn();
  turn.provider_state = GetParam().state;
  EXPECT_EQ(PartsShown(turn), kDefault);
}

INSTANTIATE_TEST_SUITE_P(
    States, UnfitStateTest,
    ::testing::Values(
        UnfitState{"None", ""}, UnfitState{"NoJson", "{"}, UnfitState{"NoObject", "[]"},
        UnfitState{"AnotherProvider", R"({"q":[{"text":7},{"image":0},{"toolUse":"b"},{"toolUse":"a"}]})"},
        UnfitState{"LessText", R"({"p":[{"text":6},{"image":0},{"toolUse":"b"},{"toolUse":"a"}]})"},
        UnfitState{"MoreText", R"({"p":[{"text":7},{"text":1},{"image":0},{"toolUse":"b"},{"toolUse":"a"}]})"},
        UnfitState{"HugeText", R"({"p":[{"text":18446744073709551615},{"image":0},{"toolUse":"b"},{"toolUse":"a"}]})"},
        UnfitState{"AnotherImage", R"({"p":[{"text":7},{"image":1},{"toolUse":"b"},{"toolUse":"a"}]})"},
        UnfitState{"AnotherCall", R"({"p":[{"text":7},{"image":0},{"toolUse":"b"},{"toolUse":"c"}]})"},
        UnfitState{"OneCallTwice", R"({"p":[{"text":7},{"image":0},{"toolUse":"b"},{"toolUse":"b"}]})"},
        UnfitState{"AMissingCall", R"({"p":[{"text":7},{"image":0},{"toolUse":"b"}]})"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace toolgate::executors::models
