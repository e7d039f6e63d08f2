#include "cli/load/driver/driver.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"

namespace toolgate::cli::load::driver {
namespace {

double ToSeconds(int64_t nanos) { return static_cast<double>(nanos) * 1e-9; }

}  // namespace

Driver::Driver(Plan plan) : plan_(std::move(plan)), shared_(plan_) {
  for (int i = 0; i < plan_.threads; ++i) lanes_.push_back(std::make_unique<Lane>(shared_, i));
}

Driver::~Driver() {
  if (!started_) return;
  CancelAll();
  Join();
}

std::optional<std::string> Driver::Connect(absl::Duration timeout) {
  const auto deadline = std::chrono::system_clock::now() + absl::ToChronoNanoseconds(timeout);
  for (const auto& lane : lanes_) {
    if (std::optional<std::string> missing = lane->Connect(deadline)) return missing;
  }
  return std::nullopt;
}

std::optional<SetUpFailure> Driver::SetUp(const std::function<void(int64_t, int64_t)>& progress,
                                          const std::function<bool()>& stop) {
  return driver::SetUp(shared_, progress, stop);
}

void Driver::Start() {
  shared_.begin = NowNanos();
  shared_.measure_from = shared_.begin + absl::ToInt64Nanoseconds(plan_.warm_up);
  if (plan_.duration < absl::InfiniteDuration()) {
    shared_.stop_at = shared_.measure_from + absl::ToInt64Nanoseconds(plan_.duration);
  }
  started_ = true;
  for (const auto& lane : lanes_) lane->Start();
}

void Driver::Stop() {
  const int64_t now = NowNanos();
  int64_t stop_at = shared_.stop_at;
  while (now < stop_at && !shared_.stop_at.compare_exchange_weak(stop_at, now)) {
  }
}

void Driver::CancelAll() {
  Stop();
  for (const auto& lane : lanes_) lane->CancelAll();
}

bool Driver::done() const {
  return std::all_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane->done(); });
}

void Driver::Join() {
  Stop();
  for (const auto& lane : lanes_) lane->Join();
  started_ = false;
}

double Driver::elapsed() const { return ToSeconds(NowNanos() - shared_.begin); }

stats::Interval Driver::TakeInterval() {
  stats::Interval all;
  for (const auto& lane : lanes_) all.Merge(lane->TakeInterval());
  all.in_flight = shared_.in_flight;
  return all;
}

stats::Tally Driver::tally() const {
  stats::Tally all(plan_.profile.calls.size() * kPhases, plan_.targets.size());
  for (const auto& lane : lanes_) all.Merge(lane->tally());
  return all;
}

double Driver::measured_seconds() const {
  // A run that a number of calls ended has no other end than that of its last call.
  const bool by_calls = plan_.max_calls > 0 && shared_.next_call >= plan_.max_calls;
  const int64_t end = std::min<int64_t>(by_calls ? shared_.last_end.load() : NowNanos(), shared_.stop_at);
  return std::max(0.0, ToSeconds(end - shared_.measure_from));
}

std::vector<std::string> Driver::OperationNames() const {
  std::vector<std::string> names;
  for (const profile::CallKind& kind : plan_.profile.calls) {
    const bool deny = kind.confirm == profile::Confirm::kDeny;
    names.push_back(kind.name);
    names.push_back(absl::StrCat(kind.name, ": decision"));
    names.push_back(absl::StrCat(kind.name, deny ? ": denied call" : ": approved call"));
  }
  return names;
}

std::vector<std::string> Driver::OperationTools() const {
  std::vector<std::string> tools;
  for (const profile::CallKind& kind : plan_.profile.calls) {
    tools.insert(tools.end(), {kind.tool, "", kind.tool});
  }
  return tools;
}

}  // namespace toolgate::cli::load::driver
