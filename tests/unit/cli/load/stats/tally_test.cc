#include "cli/load/stats/tally.h"

#include <gtest/gtest.h>

#include <string>

namespace toolgate::cli::load::stats {
namespace {

Result Make(size_t operation, int64_t intended, int64_t started, int64_t ended) {
  Result result;
  result.operation = operation;
  result.intended = intended;
  result.started = started;
  result.ended = ended;
  return result;
}

Result Failed(size_t operation, const std::string& code, const std::string& message) {
  Result result = Make(operation, 0, 0, 10);
  result.outcome = {OutcomeKind::kRefused, code, "RESOURCE_EXHAUSTED"};
  result.expected = false;
  result.message = message;
  return result;
}

TEST(TallyTest, LatencyCountsFromTheIntendedStartAndServiceTimeFromTheActualOne) {
  Tally tally(1, 1);
  tally.Add(Make(0, 0, 40, 60));
  EXPECT_EQ(tally.operations[0].Latency().max(), 60);
  EXPECT_EQ(tally.operations[0].service.max(), 20);
}

TEST(TallyTest, OutcomesAreCountedByCodeAndKeepTheFirstMessage) {
  Tally tally(2, 1);
  tally.Add(Make(0, 0, 0, 5));
  tally.Add(Failed(1, "RATE_LIMITED", "first"));
  tally.Add(Failed(1, "RATE_LIMITED", "second"));
  tally.Add(Failed(1, "OVERLOADED", "other"));
  const auto& outcomes = tally.operations[1].outcomes;
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes.at({OutcomeKind::kRefused, "RATE_LIMITED", "RESOURCE_EXHAUSTED"}).unexpected, 2);
  EXPECT_EQ(outcomes.at({OutcomeKind::kRefused, "RATE_LIMITED", "RESOURCE_EXHAUSTED"}).first_message, "first");
  EXPECT_EQ(tally.unexpected(), 3);
  EXPECT_EQ(tally.count(), 4);
  EXPECT_EQ(tally.targets[0].unexpected, 3);
}

TEST(TallyTest, OnlyResultsWithinTheMeasuredTimeCountForTheRate) {
  Tally tally(1, 1);
  Result late = Make(0, 0, 0, 5);
  late.in_window = false;
  tally.Add(late);
  tally.Add(Make(0, 0, 0, 5));
  EXPECT_EQ(tally.count(), 2);
  EXPECT_EQ(tally.in_window(), 1);
}

TEST(TallyTest, MergingAddsEverything) {
  Tally left(2, 1), right(2, 1);
  left.Add(Make(0, 0, 0, 5));
  right.Add(Make(0, 0, 0, 7));
  right.Add(Failed(1, "TIMEOUT", "slow"));
  right.missed_starts = 3;
  right.start_lag.Record(11);
  left.Merge(right);
  EXPECT_EQ(left.operations[0].count(), 2);
  EXPECT_EQ(left.operations[0].Latency().max(), 7);
  EXPECT_EQ(left.in_window(), 3);
  EXPECT_EQ(left.unexpected(), 1);
  EXPECT_EQ(left.missed_starts, 3);
  EXPECT_EQ(left.start_lag.count(), 1);
  EXPECT_EQ(left.operations[1].outcomes.begin()->second.first_message, "slow");
}

TEST(IntervalTest, CountsErrorsByCode) {
  Interval interval;
  interval.Add(Make(0, 0, 0, 5));
  interval.Add(Failed(0, "TIMEOUT", ""));
  Interval more;
  more.Add(Failed(0, "TIMEOUT", ""));
  more.Add(Failed(0, "CONFLICT", ""));
  interval.Merge(more);
  EXPECT_EQ(interval.completed, 4);
  EXPECT_EQ(interval.unexpected, 3);
  EXPECT_EQ(interval.errors.at("TIMEOUT"), 2);
  EXPECT_EQ(interval.errors.at("CONFLICT"), 1);
}

}  // namespace
}  // namespace toolgate::cli::load::stats
