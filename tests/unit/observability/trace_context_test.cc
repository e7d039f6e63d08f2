#include "observability/trace_context.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "observability/trace_ids.h"

namespace toolgate::observability {
namespace {

constexpr std::string_view kGood = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceContextTest, ReadsAndWritesTheHeader) {
  const auto context = ParseTraceParent(kGood);
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->TraceIdHex(), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(context->SpanIdHex(), "b7ad6b7169203331");
  EXPECT_TRUE(context->sampled());
  EXPECT_EQ(context->ToTraceParent(), kGood);
}

struct HeaderCase {
  std::string_view name;
  std::string header;
  bool good;
};

TEST(TraceContextTest, KnowsWellFormedHeaders) {
  const HeaderCase cases[] = {
      {"as the standard shows it", std::string(kGood), true},
      {"blanks around it", absl::StrCat(" ", std::string(kGood), "\t"), true},
      {"not sampled", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", true},
      {"a later version", "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true},
      {"a later version with more", "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what", true},
      {"a later version with more but no dash", "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.what", false},
      {"empty", "", false},
      {"version ff", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false},
      {"version 00 with more", absl::StrCat(std::string(kGood), "-what"), false},
      {"upper case", "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", false},
      {"trace id of zeros", "00-00000000000000000000000000000000-b7ad6b7169203331-01", false},
      {"span id of zeros", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false},
      {"a digit short", "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01", false},
      {"not hex", "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01", false},
      {"version not hex", "0x-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false},
      {"flags not hex", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0.", false},
      {"wrong separators", "00_0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331_01", false},
  };
  for (const HeaderCase& test : cases) {
    EXPECT_EQ(ParseTraceParent(test.header).has_value(), test.good) << test.name;
  }
}

TEST(TraceContextTest, DropsFlagsItDoesNotKnow) {
  const auto context = ParseTraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-fe");
  ASSERT_TRUE(context.has_value());
  EXPECT_FALSE(context->sampled());
  EXPECT_TRUE(context->ToTraceParent().ends_with("-00"));
}

TEST(TraceStateTest, KeepsWellFormedListsAndDropsOthers) {
  struct Case {
    std::string_view name;
    std::string header;
    std::string kept;
  };
  std::string members_33;
  for (int i = 0; i < 33; ++i) absl::StrAppend(&members_33, i == 0 ? "" : ",", "k", i, "=v");
  const std::string members_32 = members_33.substr(0, members_33.rfind(','));
  const Case cases[] = {
      {"one member", "congo=t61rcWkgMzE", "congo=t61rcWkgMzE"},
      {"blanks and empty members", " rojo=1 ,, congo=2\t", "rojo=1,congo=2"},
      {"a tenant's key", "4fw@vendor=x", "4fw@vendor=x"},
      {"blank inside a value", "a=b c", "a=b c"},
      {"32 members", members_32, members_32},
      {"33 members", members_33, ""},
      {"too long", absl::StrCat("a=", std::string(255, 'x'), ",b=", std::string(255, 'y')), ""},
      {"a key twice", "a=1,a=2", ""},
      {"upper-case key", "A=1", ""},
      {"key starts with a digit", "1a=1", ""},
      {"no value", "a=", ""},
      {"no equals sign", "a", ""},
      {"equals sign in a value", "a=b=c", ""},
      {"control character", "a=\x01", ""},
      {"not ASCII", "a=\xc3\xa9", ""},
      {"empty tenant", "@vendor=x", ""},
  };
  for (const Case& test : cases) EXPECT_EQ(ParseTraceState(test.header), test.kept) << test.name;
}

TEST(TraceIdsTest, AChildStaysInTheTrace) {
  TraceIds ids(IdSource::Real());
  TraceContext parent = *ParseTraceParent(kGood);
  parent.trace_state = "congo=1";
  const TraceContext child = ids.NewChild(parent);
  EXPECT_EQ(child.TraceIdHex(), parent.TraceIdHex());
  EXPECT_NE(child.span_id, parent.span_id);
  EXPECT_TRUE(child.sampled());
  EXPECT_EQ(child.trace_state, "congo=1");
}

TEST(TraceIdsTest, AnInvalidParentStartsATrace) {
  TraceIds ids(IdSource::Real());
  EXPECT_TRUE(ids.NewChild(TraceContext()).valid());
}

TEST(TraceIdsTest, IdsDifferWithinAndBetweenSources) {
  std::set<std::string> seen;
  TraceIds first(IdSource::Real());
  TraceIds second(IdSource::Real());
  for (int i = 0; i < 1000; ++i) {
    for (TraceIds* ids : {&first, &second}) {
      const TraceContext context = ids->NewTrace();
      EXPECT_TRUE(context.valid());
      seen.insert(context.TraceIdHex());
      seen.insert(context.SpanIdHex());
    }
  }
  EXPECT_EQ(seen.size(), 4000u);
}

}  // namespace
}  // namespace toolgate::observability
