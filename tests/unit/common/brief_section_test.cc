#include "common/brief_section.h"

#include <thread>

#include "gtest/gtest.h"

namespace toolgate {
namespace {

TEST(BriefSectionTest, CountsWhatHappensInOne) {
  const uint64_t before = BriefSection::noted();
  BriefSection::Note("outside");
  EXPECT_EQ(BriefSection::noted(), before);
  {
    const BriefSection section;
    BriefSection::Note("a wait");
    {
      const BriefSection inner;
      BriefSection::Note("a file");
    }
    BriefSection::Note("a scan");
    std::thread([] { BriefSection::Note("another thread"); }).join();
  }
  BriefSection::Note("outside");
  EXPECT_EQ(BriefSection::noted(), before + 3);
  EXPECT_EQ(BriefSection::last(), "a scan");
}

}  // namespace
}  // namespace toolgate
