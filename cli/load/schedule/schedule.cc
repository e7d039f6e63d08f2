#include "cli/load/schedule/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/duration_text.h"
#include "common/status_macros.h"

namespace toolgate::cli::load::schedule {
namespace {

constexpr double kHighestRate = 10'000'000;
constexpr size_t kMostStages = 1000;
constexpr double kForever = std::numeric_limits<double>::infinity();

absl::Status Invalid(std::string_view text, std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("schedule \"", ToAbsl(text), "\": ", ToAbsl(what),
                   "; write for example 500, 100/30s,100-500/1m, ramp:0-2000/60s, step:100-1000/5/60s or "
                   "spike:100-2000/60s"));
}

bool ReadRate(std::string_view text, double& rate) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
  return digits && absl::SimpleAtod(ToAbsl(text), &rate) && rate <= kHighestRate;
}

// Reads "FROM-TO", or "RATE" for both.
bool ReadRates(std::string_view text, double& from, double& to) {
  const size_t dash = text.find('-');
  if (!ReadRate(text.substr(0, dash), from)) return false;
  if (dash != std::string_view::npos) return ReadRate(text.substr(dash + 1), to);
  to = from;
  return true;
}

bool ReadSeconds(std::string_view text, double& seconds) {
  const std::optional<absl::Duration> duration = ParseDurationText(text);
  if (!duration.has_value() || *duration <= absl::ZeroDuration()) return false;
  seconds = absl::ToDoubleSeconds(*duration);
  return true;
}

// Calls due in the first `seconds` of a stage.
double CallsIn(const Stage& stage, double seconds) {
  if (std::isinf(stage.seconds)) return stage.from * seconds;
  return stage.from * seconds + (stage.to - stage.from) / (2 * stage.seconds) * seconds * seconds;
}

// Seconds until `calls` are due in a stage that has as many.
double SecondsFor(const Stage& stage, double calls) {
  if (calls <= 0) return 0;
  const double slope = std::isinf(stage.seconds) ? 0 : (stage.to - stage.from) / stage.seconds;
  if (std::abs(slope) < 1e-12) return calls / stage.from;
  // The form without cancellation of from*t + slope/2*t*t = calls.
  const double root = std::sqrt(std::max(0.0, stage.from * stage.from + 2 * slope * calls));
  return 2 * calls / (stage.from + root);
}

absl::StatusOr<std::vector<Stage>> ParseStages(std::string_view text) {
  std::vector<Stage> stages;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(text), ',')) {
    const std::vector<std::string> fields = absl::StrSplit(part, '/');
    Stage stage;
    if (fields.size() != 2 || !ReadRates(fields[0], stage.from, stage.to) || !ReadSeconds(fields[1], stage.seconds)) {
      return Invalid(text, absl::StrCat("\"", part, "\" is no stage RATE/DURATION or FROM-TO/DURATION"));
    }
    stages.push_back(stage);
    if (stages.size() > kMostStages) return Invalid(text, "more than 1000 stages");
  }
  return stages;
}

absl::StatusOr<std::vector<Stage>> ParseSteps(std::string_view text, std::string_view fields_text) {
  const std::vector<std::string> fields = absl::StrSplit(ToAbsl(fields_text), '/');
  Stage all;
  int steps = 0;
  if (fields.size() != 3 || !ReadRates(fields[0], all.from, all.to) || !absl::SimpleAtoi(fields[1], &steps) ||
      steps < 2 || static_cast<size_t>(steps) > kMostStages || !ReadSeconds(fields[2], all.seconds)) {
    return Invalid(text, "step needs FROM-TO/STEPS/DURATION, with 2 to 1000 steps");
  }
  std::vector<Stage> stages;
  for (int i = 0; i < steps; ++i) {
    const double rate = all.from + (all.to - all.from) * i / (steps - 1);
    stages.push_back({rate, rate, all.seconds / steps});
  }
  return stages;
}

}  // namespace

Schedule Schedule::Constant(double rate) { return Schedule({{rate, rate, kForever}}); }

absl::StatusOr<Schedule> Schedule::Parse(std::string_view text) {
  double rate = 0;
  if (ReadRate(text, rate)) {
    if (rate <= 0) return Invalid(text, "the rate must be above 0");
    return Constant(rate);
  }
  std::vector<Stage> stages;
  if (text.starts_with("step:")) {
    ASSIGN_OR_RETURN(stages, ParseSteps(text, text.substr(5)));
  } else if (text.starts_with("ramp:")) {
    ASSIGN_OR_RETURN(stages, ParseStages(text.substr(5)));
  } else if (text.starts_with("spike:")) {
    ASSIGN_OR_RETURN(stages, ParseStages(text.substr(6)));
    if (stages.size() != 1) return Invalid(text, "spike needs one BASE-PEAK/DURATION");
    const Stage all = stages.front();
    const double part = all.seconds / 5;
    stages = {{all.from, all.from, 2 * part}, {all.to, all.to, part}, {all.from, all.from, 2 * part}};
  } else {
    ASSIGN_OR_RETURN(stages, ParseStages(text));
  }
  Schedule schedule(std::move(stages));
  if (schedule.highest_rate() <= 0) return Invalid(text, "no stage has a rate above 0");
  return schedule;
}

Schedule Schedule::WithWarmUp(absl::Duration warm_up) const {
  if (warm_up <= absl::ZeroDuration()) return *this;
  std::vector<Stage> stages = stages_;
  const double rate = stages.front().from;
  stages.insert(stages.begin(), {rate, rate, absl::ToDoubleSeconds(warm_up)});
  return Schedule(std::move(stages));
}

absl::Duration Schedule::length() const {
  double sum = 0;
  for (const Stage& stage : stages_) sum += stage.seconds;
  return absl::Seconds(sum);
}

double Schedule::RateAt(double seconds) const {
  for (const Stage& stage : stages_) {
    if (seconds < stage.seconds) {
      return std::isinf(stage.seconds) ? stage.from : stage.from + (stage.to - stage.from) * seconds / stage.seconds;
    }
    seconds -= stage.seconds;
  }
  return 0;
}

double Schedule::highest_rate() const {
  double highest = 0;
  for (const Stage& stage : stages_) highest = std::max({highest, stage.from, stage.to});
  return highest;
}

double Schedule::CallsBefore(double seconds) const {
  double calls = 0;
  for (const Stage& stage : stages_) {
    calls += CallsIn(stage, std::min(seconds, stage.seconds));
    seconds -= stage.seconds;
    if (seconds <= 0) break;
  }
  return calls;
}

std::optional<double> Schedule::TimeOf(double calls) const {
  double begin = 0;
  for (const Stage& stage : stages_) {
    const double in_stage = std::isinf(stage.seconds) ? kForever : CallsIn(stage, stage.seconds);
    if (calls < in_stage) return begin + SecondsFor(stage, calls);
    calls -= in_stage;
    begin += stage.seconds;
  }
  return std::nullopt;
}

}  // namespace toolgate::cli::load::schedule
