#include "observability/tracing/trace_recording.h"

#include <string>
#include <thread>
#include <vector>

#include "common/ids.h"
#include "gtest/gtest.h"
#include "observability/trace_ids.h"
#include "observability/tracing/attribute_names.h"
#include "tests/support/fake_clock.h"
#include "tests/support/kept_traces.h"

namespace toolgate::observability::tracing {
namespace {

using testing::FindSpan;
using testing::FindText;

constexpr uint64_t kCall = 77;

class TraceRecordingTest : public ::testing::Test {
 protected:
  uint64_t IdOf(std::string_view name) const { return FindSpan(recording_, name)->id; }
  uint64_t ParentOf(std::string_view name) const { return FindSpan(recording_, name)->parent_id; }

  testing::FakeClock clock_;
  TraceIds ids_{IdSource::Real()};
  TraceRecording recording_{{1, 2, 3, 1, {}}, ids_, clock_};
};

TEST_F(TraceRecordingTest, LayersNestBelowTheCallAndTakeWhatBeganInThem) {
  recording_.Add({.id = 100, .parent_id = kCall, .name = "early", .start_ns = 5, .end_ns = 8});
  recording_.Add({.id = 101, .parent_id = kCall, .name = "in_outer", .start_ns = 15, .end_ns = 16});
  recording_.Add({.id = 102, .parent_id = kCall, .name = "in_inner", .start_ns = 25, .end_ns = 26});
  recording_.Add({.id = 103, .parent_id = kCall, .name = "after_inner", .start_ns = 45, .end_ns = 46});
  recording_.Add({.id = 104, .parent_id = 9, .name = "of_another", .start_ns = 25, .end_ns = 26});
  const LayerTiming layers[] = {{0, "outer", 10, 50, 0, false}, {1, "inner", 20, 40, 0, false}};
  recording_.EndCall({.id = kCall, .parent_id = 3, .name = "call", .start_ns = 0, .end_ns = 60}, {}, layers, "");
  EXPECT_EQ(ParentOf("call"), 3u);
  EXPECT_EQ(ParentOf("outer"), kCall);
  EXPECT_EQ(ParentOf("inner"), IdOf("outer"));
  EXPECT_EQ(ParentOf("early"), kCall);
  EXPECT_EQ(ParentOf("in_outer"), IdOf("outer"));
  EXPECT_EQ(ParentOf("in_inner"), IdOf("inner"));
  EXPECT_EQ(ParentOf("after_inner"), IdOf("outer"));
  EXPECT_EQ(ParentOf("of_another"), 9u);
  EXPECT_EQ(recording_.spans().size(), 8u);
}

TEST_F(TraceRecordingTest, OnlyTheLayerThatRefusedFails) {
  const LayerTiming layers[] = {{0, "outer", 10, 50, 0, false}, {1, "inner", 20, 40, 0, true}};
  recording_.EndCall({.id = kCall, .name = "call", .failed = true, .start_ns = 0, .end_ns = 60}, {}, layers,
                     "FORBIDDEN");
  EXPECT_FALSE(FindSpan(recording_, "outer")->failed);
  EXPECT_TRUE(FindSpan(recording_, "inner")->failed);
  EXPECT_EQ(FindText(recording_, FindSpan(recording_, "outer"), kErrorType), "");
  EXPECT_EQ(FindText(recording_, FindSpan(recording_, "inner"), kErrorType), "FORBIDDEN");
}

TEST_F(TraceRecordingTest, AttributesStayWithTheirSpans) {
  const Attribute first[] = {{"a", std::string_view("1")}, {"b", int64_t{2}}};
  const Attribute third[] = {{"c", true}};
  recording_.Add({.id = 1, .name = "first"}, first);
  recording_.Add({.id = 2, .name = "second"});
  recording_.Add({.id = 3, .name = "third"}, third);
  ASSERT_EQ(recording_.AttributesOf(0).size(), 2u);
  EXPECT_EQ(recording_.AttributesOf(0)[1].name, "b");
  EXPECT_TRUE(recording_.AttributesOf(1).empty());
  ASSERT_EQ(recording_.AttributesOf(2).size(), 1u);
  EXPECT_EQ(recording_.AttributesOf(2)[0].name, "c");
}

TEST_F(TraceRecordingTest, KeptTextsOutliveTheirSource) {
  std::vector<std::string_view> kept;
  for (int i = 0; i < 1000; ++i) kept.push_back(recording_.Keep(std::to_string(i)));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(kept[static_cast<size_t>(i)], std::to_string(i));
}

TEST_F(TraceRecordingTest, SpansBeyondTheBoundAreCounted) {
  for (size_t i = 0; i < TraceRecording::kMaxSpans + 5; ++i) recording_.Add({.id = i + 1, .name = "step"});
  EXPECT_EQ(recording_.spans().size(), TraceRecording::kMaxSpans);
  EXPECT_EQ(recording_.dropped(), 5u);
}

TEST_F(TraceRecordingTest, TimesAreWallTimeOfTheStart) {
  const int64_t now = recording_.Now();
  const auto unix_start = static_cast<uint64_t>(absl::ToUnixNanos(clock_.Now()));
  EXPECT_EQ(recording_.UnixNanos(now), unix_start);
  EXPECT_EQ(recording_.UnixNanos(now + 1'500), unix_start + 1'500);
}

TEST_F(TraceRecordingTest, TakesSpansFromSeveralThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int j = 0; j < 50; ++j) {
        const Attribute attribute{"text", recording_.Keep("kept")};
        recording_.Add({.id = recording_.NewSpanId(), .name = "part"}, std::span(&attribute, 1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(recording_.spans().size(), 200u);
  for (size_t i = 0; i < 200; ++i) EXPECT_EQ(recording_.AttributesOf(i).size(), 1u);
}

}  // namespace
}  // namespace toolgate::observability::tracing
