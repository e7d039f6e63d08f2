#include "cli/load/load_run.h"

#include <grpcpp/channel.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "cli/about_commands.h"
#include "cli/load/driver/driver.h"
#include "cli/load/interrupts.h"
#include "cli/load/live_line.h"
#include "cli/load/server_metrics/watch.h"
#include "cli/progress_bar.h"
#include "cli/rpc_error.h"
#include "common/absl_bridge.h"

namespace toolgate::cli::load {
namespace {

constexpr absl::Duration kConnectTimeout = absl::Seconds(5);
constexpr absl::Duration kPoll = absl::Milliseconds(10);
constexpr absl::Duration kScrapeInterval = absl::Seconds(1);
// Points of the plots over time, as far as the length of the run is known.
constexpr double kIntervals = 150;
constexpr double kShortestInterval = 0.1;
constexpr double kLongestInterval = 10;
constexpr double kUnknownInterval = 1;

double CpuSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string Machine() {
  utsname name = {};
  uname(&name);
  std::string processor;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; processor.empty() && std::getline(file, line);) {
    if (absl::StartsWith(line, "model name")) processor = line.substr(line.find(':') + 1);
  }
  return absl::StrCat(name.sysname, " ", name.release, ",", processor.empty() ? " unknown processor" : processor, ", ",
                      std::thread::hardware_concurrency(), " processors");
}

// Watches the driver from its start to its end.
class Monitor {
 public:
  Monitor(driver::Driver& driver, const LoadSetting& setting, const Session& session, report::Report& report)
      : driver_(driver),
        plan_(driver.plan()),
        setting_(setting),
        report_(report),
        live_(session.terminal(), !session.json()) {
    const absl::Duration length = plan_.warm_up + plan_.duration;
    if (length < absl::InfiniteDuration()) end_ = absl::ToDoubleSeconds(length);
    interval_length_ = end_ > 0 ? std::clamp(end_ / kIntervals, kShortestInterval, kLongestInterval) : kUnknownInterval;
    piece_length_ = std::min(interval_length_, LiveLine::kLongestPiece);
    warm_up_ = absl::ToDoubleSeconds(plan_.warm_up);
  }

  void Run() {
    const Interrupts interrupts;
    report_.started_at = absl::Now();
    if (warm_up_ == 0) BeginMeasurement(0);
    driver_.Start();
    if (!setting_.metrics_urls.empty()) {
      watch_ = std::make_unique<server_metrics::Watch>(setting_.metrics_urls, kScrapeInterval,
                                                       [this] { return driver_.elapsed(); });
    }
    while (!driver_.done()) {
      Step();
      absl::SleepFor(kPoll);
    }
    CutInterval();
    if (began_) EndMeasurement();
    report_.measured_seconds = driver_.measured_seconds();
    driver_.Join();
    if (watch_ != nullptr) report_.server.gauges = watch_->gauges();
  }

 private:
  void Step() {
    ObeyInterrupts();
    const double now = driver_.elapsed();
    if (!began_ && now >= warm_up_) {
      CutInterval();
      BeginMeasurement(now);
    }
    if (began_ && driver_.stopped()) EndMeasurement();
    if (now - interval_.end >= piece_length_) TakePiece(now);
    if (interval_.end - interval_.begin >= interval_length_) CutInterval();
    live_.Draw({.now = now, .end = end_, .warm_up = !began_, .stopped = driver_.stopped()});
  }

  void ObeyInterrupts() {
    const int count = Interrupts::count();
    if (count >= 1 && !report_.interrupted) {
      report_.interrupted = true;
      driver_.Stop();
    }
    if (count >= 2 && !cancelled_) {
      cancelled_ = true;
      driver_.CancelAll();
    }
  }

  void BeginMeasurement(double now) {
    began_ = true;
    cpu_ = CpuSeconds();
    if (!setting_.metrics_urls.empty()) before_ = Scrape();
    before_at_ = now;
  }

  void EndMeasurement() {
    if (ended_) return;
    ended_ = true;
    report_.harness.cpu_seconds = CpuSeconds() - cpu_;
    if (!before_.has_value()) return;
    const double seconds = driver_.elapsed() - before_at_;
    const std::optional<server_metrics::Scrape> after = Scrape();
    if (after.has_value()) report_.server.numbers = server_metrics::Difference(*before_, *after, seconds);
  }

  std::optional<server_metrics::Scrape> Scrape() {
    absl::StatusOr<server_metrics::Scrape> scrape = server_metrics::ScrapeAll(setting_.metrics_urls);
    if (scrape.ok()) return *std::move(scrape);
    report_.server.problem = absl::StrCat("The service's own numbers are missing: ", scrape.status().message());
    return std::nullopt;
  }

  // Adds the counts since the last piece to the present interval.
  void TakePiece(double now) {
    stats::Interval piece = driver_.TakeInterval();
    piece.begin = interval_.end;
    piece.end = now;
    interval_.Merge(piece);
    interval_.end = now;
    interval_.in_flight = piece.in_flight;
    live_.Add(piece);
  }

  void CutInterval() {
    const double now = driver_.elapsed();
    if (now - interval_.begin < kShortestInterval / 4) return;  // Too short for a rate.
    TakePiece(now);
    interval_.warm_up = now <= warm_up_ + kShortestInterval / 2;
    report_.timeline.push_back(report::PointOf(interval_, IntendedRate(interval_)));
    interval_ = stats::Interval();
    interval_.begin = interval_.end = now;
  }

  double IntendedRate(const stats::Interval& interval) const {
    if (!plan_.schedule.has_value()) return 0;
    const schedule::Schedule schedule = plan_.schedule->WithWarmUp(plan_.warm_up);
    const double end = end_ > 0 ? std::min(interval.end, end_) : interval.end;
    const double calls = schedule.CallsBefore(end) - schedule.CallsBefore(std::min(interval.begin, end));
    return calls / (interval.end - interval.begin);
  }

  driver::Driver& driver_;
  const driver::Plan& plan_;
  const LoadSetting& setting_;
  report::Report& report_;
  LiveLine live_;
  std::unique_ptr<server_metrics::Watch> watch_;
  double end_ = 0;  // Planned end in seconds; 0: unknown.
  double warm_up_ = 0;
  double interval_length_ = 0;  // In seconds, of the points of the plots.
  double piece_length_ = 0;     // Of the parts in which an interval is counted.
  stats::Interval interval_;    // The present one, until the last piece.
  bool began_ = false;
  bool ended_ = false;
  bool cancelled_ = false;
  double cpu_ = 0;
  std::optional<server_metrics::Scrape> before_;
  double before_at_ = 0;
};

void FillHead(const LoadSetting& setting, report::Report& report) {
  const driver::Plan& plan = setting.plan;
  report.version = Version();
  report.profile = plan.profile.name;
  report.description = plan.profile.description;
  report.load = setting.load;
  report.open_loop = plan.open_loop();
  report.seed = plan.seed;
  report.run_id = plan.run_id;
  report.targets_given = plan.targets;
  report.callers = plan.callers.size();
  report.workspaces = plan.callers.workspace_count();
  report.warm_up_seconds = absl::ToDoubleSeconds(plan.warm_up);
  report.machine = Machine();
  report.server.urls = setting.metrics_urls;
  report.harness.threads = plan.threads;
  report.harness.connections = plan.threads * plan.connections * static_cast<int>(plan.targets.size());
  report.harness.processors = static_cast<int>(std::thread::hardware_concurrency());
}

RunFailure SetUpProblem(const driver::SetUpFailure& failure, const ClientOptions& client) {
  RunFailure problem;
  problem.message =
      absl::StrCat("the set-up of workspace ", failure.workspace, " failed at ", failure.tool, ": ", failure.message);
  problem.code = ExitCode::kToolFailed;
  if (!failure.status.ok()) {
    const RpcError error = DecodeRpcError(failure.status, client.address, client.tls());
    problem.code = error.exit_code;
    problem.hint = error.hint;
  }
  if (absl::StrContains(failure.message, "RATE_LIMITED")) {
    problem.hint = "run the service with deploy/load/unlimited.yaml to measure it without limits";
  }
  return problem;
}

// Returns the first target where nothing answers, as soon as that is known.
std::optional<std::string> FindUnreachable(const driver::Plan& plan) {
  const auto deadline = std::chrono::system_clock::now() + absl::ToChronoNanoseconds(kConnectTimeout);
  for (const std::string& target : plan.targets) {
    const std::shared_ptr<grpc::Channel> channel = plan.open_channel(target);
    for (grpc_connectivity_state state = channel->GetState(true); state != GRPC_CHANNEL_READY;
         state = channel->GetState(true)) {
      if (state == GRPC_CHANNEL_TRANSIENT_FAILURE || !channel->WaitForStateChange(state, deadline)) return target;
    }
  }
  return std::nullopt;
}

std::optional<RunFailure> Prepare(driver::Driver& driver, const LoadSetting& setting, const Session& session) {
  std::optional<std::string> missing = FindUnreachable(setting.plan);
  if (!missing.has_value()) missing = driver.Connect(kConnectTimeout);
  if (missing.has_value()) {
    return RunFailure{ExitCode::kUnreachable, absl::StrCat("cannot connect to ", *missing),
                      "start the service with `toolgate serve`, or give its address with --address or --target"};
  }
  if (!setting.metrics_urls.empty()) {
    const auto scrape = server_metrics::ScrapeAll(setting.metrics_urls);
    if (!scrape.ok()) {
      return RunFailure{ExitCode::kUnreachable, std::string(FromAbsl(scrape.status().message())),
                        "the service's log line \"serving\" names the address of its metrics"};
    }
  }
  const Interrupts interrupts;
  ProgressBar bar(session.terminal(), !session.json(), "preparing workspaces", "calls");
  const auto failure = driver.SetUp(
      [&](int64_t done, int64_t total) { bar.Update(done, static_cast<double>(done) / static_cast<double>(total)); },
      [] { return Interrupts::count() > 0; });
  if (failure.has_value()) return SetUpProblem(*failure, session.options());
  if (Interrupts::count() > 0) return RunFailure{ExitCode::kServiceFault, "interrupted before the first call", ""};
  return std::nullopt;
}

}  // namespace

std::optional<RunFailure> RunLoad(const LoadSetting& setting, const Session& session, report::Report& report) {
  FillHead(setting, report);
  driver::Driver driver(setting.plan);
  if (std::optional<RunFailure> failure = Prepare(driver, setting, session)) return failure;
  Monitor(driver, setting, session, report).Run();
  report::FillFromTally(driver.tally(), driver.OperationNames(), driver.OperationTools(), setting.plan.targets, report);
  for (const report::Threshold& threshold : setting.thresholds) report.thresholds.push_back(threshold.Check(report));
  report::AddWarnings(report);
  return std::nullopt;
}

}  // namespace toolgate::cli::load
