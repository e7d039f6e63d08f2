#include "security/place_left.h"

#include <gtest/gtest.h>

#include <string>

namespace toolgate::security {
namespace {

class Place final : public RunningPlace {
 public:
  void StepAside() override { steps += "aside "; }
  void StepBack() override { steps += "back "; }

  std::string steps;
};

TEST(PlaceLeftTest, LeavesThePlaceForAsLongAsItLives) {
  Place place;
  ToolCall call;
  call.state.place = &place;
  {
    const PlaceLeft left(call);
    EXPECT_EQ(place.steps, "aside ");
  }
  EXPECT_EQ(place.steps, "aside back ");
}

TEST(PlaceLeftTest, ACallWithoutAPlaceHasNoneToLeave) {
  ToolCall call;
  const PlaceLeft left(call);
  EXPECT_EQ(call.state.place, nullptr);
}

}  // namespace
}  // namespace toolgate::security
