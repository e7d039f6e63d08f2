#include "executors/code_graph/index/file_facts.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate::executors::code_graph::index {
namespace {

MentionList SomeMentions() {
  MentionList list;
  list.names = {"alpha", "", std::string(300, 'x')};
  list.mentions = {{-1, 0, Mention::kNoName, RelationshipType::kCalls, false, 1, 1},
                   {70'000, 2, 0, RelationshipType::kExtends, true, 1'000'000, 300}};
  return list;
}

TEST(FileFactsTest, PacksAndUnpacksMentions) {
  const absl::StatusOr<MentionList> unpacked = UnpackMentions(PackMentions(SomeMentions()));
  ASSERT_TRUE(unpacked.ok()) << unpacked.status();
  EXPECT_EQ(*unpacked, SomeMentions());
}

TEST(FileFactsTest, RefusesEveryCutAndAlteredText) {
  const std::string packed = PackMentions(SomeMentions());
  for (size_t size = 0; size < packed.size(); ++size) {
    EXPECT_TRUE(absl::IsDataLoss(UnpackMentions(packed.substr(0, size)).status())) << size;
  }
  for (size_t i = 0; i < packed.size(); ++i) {
    std::string altered = packed;
    altered[i] = '\xFF';
    (void)UnpackMentions(altered).ok();  // Any answer, but no crash.
  }
  EXPECT_TRUE(absl::IsDataLoss(UnpackMentions(packed + "x").status()));
}

TEST(FileFactsTest, FindsNamesInPackedMentions) {
  const std::string packed = PackMentions(SomeMentions());
  EXPECT_TRUE(MentionsAny(packed, {"alpha", "beta"}));
  EXPECT_FALSE(MentionsAny(packed, {"beta", "alph"}));
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
