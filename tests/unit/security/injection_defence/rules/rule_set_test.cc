#include "security/injection_defence/rules/rule_set.h"

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace toolgate::security::injection_defence::rules {
namespace {

TEST(RuleSetTest, SaysWhatIsWrong) {
  for (
      const char* text :
      {"[]", R"({"rules":[{"id":"a"}]})",
       R"({"rules":[{"id":"a","family":"f","rationale":"r","weight":2,"all":["x"],"match":["x"]}]})",
       R"({"rules":[{"id":"a","family":"f","rationale":"r","weight":1,"all":["@no"],"match":["x"]}]})",
       R"({"rules":[{"id":"a","family":"f","rationale":"r","weight":1,"all":["x"]}]})",
       R"({"rules":[{"id":"a","family":"f","rationale":"r","weight":1,"all":["x","y"],"phrase":[0],"match":["x"]}]})",
       R"({"rules":[{"id":"a","family":"f","rationale":"r","weight":1,"all":["x","y"],"phrase":[0,2],"match":["x"]}]})",
       R"({"rules":[{"id":"a","family":"f","rationale":"r","weight":1,"all":["x","y"],"phrase":[1,1],"match":["x"]}]})",
       R"({"rules":[{"id":"a","family":"f","rationale":"r","weight":1,"all":["x","y"],"ordered":true,"phrase":[0,1],
        "match":["x"]}]})",
       R"({"classes":{"a":["x"]}})"}) {
    EXPECT_EQ(RuleSet::Parse({{"x.json", text}}).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace toolgate::security::injection_defence::rules
