#include "cli/load/load_options.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/connection.h"
#include "cli/load/report/format.h"
#include "cli/load/schedule/schedule.h"
#include "cli/load/server_metrics/fetch.h"
#include "common/absl_bridge.h"
#include "common/duration_text.h"
#include "common/status_macros.h"

namespace toolgate::cli::load {
namespace {

constexpr char kDefaultProfile[] = "read-mostly";
constexpr int64_t kDefaultConcurrency = 16;
constexpr int64_t kDefaultMaxInFlight = 1000;
constexpr absl::Duration kDefaultDuration = absl::Seconds(30);
constexpr absl::Duration kDefaultWarmUp = absl::Seconds(5);
constexpr absl::Duration kDefaultTimeout = absl::Seconds(30);
constexpr int64_t kMostInFlight = 1'000'000;
constexpr int64_t kMostThreads = 256;
constexpr int64_t kMostConnections = 10'000;

// Reads a whole number; `out` keeps its value if the flag was not given.
absl::Status Whole(std::string_view flag, const std::string& text, int64_t max, int64_t& out) {
  if (text.empty()) return absl::OkStatus();
  int64_t number = 0;
  if (!absl::SimpleAtoi(text, &number) || number < 1 || number > max) {
    return absl::InvalidArgumentError(
        absl::StrCat(ToAbsl(flag), ": \"", text, "\" is not a whole number from 1 to ", max));
  }
  out = number;
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.is_open() && (file.good() || file.eof())) return text;
  return absl::NotFoundError(absl::StrCat("cannot read the file ", path, ": ", std::strerror(errno)));
}

// Assembles a setting step by step.
class Maker {
 public:
  Maker(const LoadOptions& options, const ClientOptions& client, const profile::Profile& profile, IdSource& ids,
        absl::Time now)
      : options_(options), client_(client), profile_(profile), ids_(ids), now_(now) {}

  absl::StatusOr<LoadSetting> Make() {
    driver::Plan& plan = setting_.plan;
    plan.profile = profile_;
    plan.call_timeout = client_.timeout > absl::ZeroDuration() ? client_.timeout : kDefaultTimeout;
    plan.run_id = ids_.NewId(now_);
    plan.today = absl::ToCivilDay(now_, absl::UTCTimeZone());
    RETURN_IF_ERROR(MakeSeed());
    RETURN_IF_ERROR(MakeTargets());
    RETURN_IF_ERROR(MakePace());
    RETURN_IF_ERROR(MakeTimes());
    RETURN_IF_ERROR(MakeThreads());
    RETURN_IF_ERROR(MakeCallers());
    RETURN_IF_ERROR(MakeConditions());
    return std::move(setting_);
  }

 private:
  absl::Status MakeSeed() {
    uint64_t& seed = setting_.plan.seed;
    if (options_.seed.empty()) {
      // Short enough to be typed.
      const std::string bytes = ids_.RandomBytes(4);
      for (const char byte : bytes) seed = seed << 8 | static_cast<unsigned char>(byte);
      seed &= 0xffffffff;
      return absl::OkStatus();
    }
    if (absl::SimpleAtoi(options_.seed, &seed)) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("--seed: \"", options_.seed, "\" is not a whole number"));
  }

  absl::Status MakeTargets() {
    driver::Plan& plan = setting_.plan;
    plan.targets = options_.targets.empty() ? std::vector<std::string>{client_.address} : options_.targets;
    plan.balance =
        options_.balance == "least-in-flight" ? driver::Balance::kLeastInFlight : driver::Balance::kRoundRobin;
    for (const std::string& target : plan.targets) {
      ClientOptions one = client_;
      one.address = target;
      RETURN_IF_ERROR(one.Check());
      if (!StaysOnThisMachine(target) && !options_.yes) {
        return absl::FailedPreconditionError(
            absl::StrCat(target, " is not on this machine; give --yes if you may put load on it"));
      }
    }
    plan.open_channel = [client = client_](const std::string& target) {
      ClientOptions one = client;
      one.address = target;
      return OpenOwnChannel(one);
    };
    return absl::OkStatus();
  }

  absl::Status MakePace() {
    driver::Plan& plan = setting_.plan;
    const profile::LoadDefaults& defaults = profile_.load;
    if (!options_.rate.empty() && !options_.concurrency.empty()) {
      return absl::InvalidArgumentError("--rate is an open loop and --concurrency a closed one; give one of them");
    }
    std::string rate = options_.rate;
    if (rate.empty() && options_.concurrency.empty()) rate = defaults.schedule;
    if (rate.empty()) return MakeClosedLoop();
    if (options_.think_time != kNotGiven) {
      return absl::InvalidArgumentError("--think-time is for the closed loop; the rate of an open loop says it all");
    }
    ASSIGN_OR_RETURN(plan.schedule, schedule::Schedule::Parse(rate));
    plan.pattern = defaults.arrivals.value_or(schedule::Pattern::kPoisson);
    if (!options_.arrivals.empty()) {
      plan.pattern = options_.arrivals == "even" ? schedule::Pattern::kEven : schedule::Pattern::kPoisson;
    }
    int64_t most = defaults.max_in_flight > 0 ? defaults.max_in_flight : kDefaultMaxInFlight;
    RETURN_IF_ERROR(Whole("--max-in-flight", options_.max_in_flight, kMostInFlight, most));
    plan.max_in_flight = static_cast<int>(most);
    setting_.load = absl::StrCat("Open loop, ", plan.pattern == schedule::Pattern::kEven ? "even" : "Poisson",
                                 " arrivals, ", rate, rate.find('/') == std::string::npos ? " calls a second" : "",
                                 ", at most ", report::FormatCount(most), " in flight");
    return absl::OkStatus();
  }

  absl::Status MakeClosedLoop() {
    driver::Plan& plan = setting_.plan;
    int64_t concurrency = profile_.load.concurrency > 0 ? profile_.load.concurrency : kDefaultConcurrency;
    RETURN_IF_ERROR(Whole("--concurrency", options_.concurrency, kMostInFlight, concurrency));
    plan.concurrency = static_cast<int>(concurrency);
    plan.think_time = options_.think_time != kNotGiven ? options_.think_time : profile_.load.think_time;
    if (plan.think_time < absl::ZeroDuration()) return absl::InvalidArgumentError("--think-time must not be negative");
    if (!options_.arrivals.empty() || !options_.max_in_flight.empty()) {
      return absl::InvalidArgumentError("--arrivals and --max-in-flight are for an open loop, which needs --rate");
    }
    setting_.load = absl::StrCat("Closed loop, ", report::FormatCount(concurrency), " in flight");
    if (plan.think_time > absl::ZeroDuration()) {
      absl::StrAppend(&setting_.load, ", think time ", DurationText(plan.think_time));
    }
    return absl::OkStatus();
  }

  absl::Status MakeTimes() {
    driver::Plan& plan = setting_.plan;
    const profile::LoadDefaults& defaults = profile_.load;
    RETURN_IF_ERROR(Whole("--requests", options_.requests, INT64_MAX, plan.max_calls));
    const bool finite = plan.schedule.has_value() && plan.schedule->length() < absl::InfiniteDuration();
    absl::Duration duration = options_.duration;
    if (duration == kNotGiven && defaults.duration > absl::ZeroDuration()) duration = defaults.duration;
    if (duration == kNotGiven && plan.max_calls > 0) duration = absl::InfiniteDuration();
    if (duration == kNotGiven && !finite) duration = kDefaultDuration;
    if (finite)
      duration = duration == kNotGiven ? plan.schedule->length() : std::min(duration, plan.schedule->length());
    if (duration <= absl::ZeroDuration()) return absl::InvalidArgumentError("--duration must be above 0");
    plan.duration = duration;
    // With a number of calls every call counts, unless a warm-up was asked for.
    plan.warm_up = options_.warm_up != kNotGiven             ? options_.warm_up
                   : defaults.warm_up > absl::ZeroDuration() ? defaults.warm_up
                   : plan.max_calls > 0                      ? absl::ZeroDuration()
                                                             : std::min(kDefaultWarmUp, duration / 4);
    if (plan.warm_up < absl::ZeroDuration()) return absl::InvalidArgumentError("--warm-up must not be negative");
    return absl::OkStatus();
  }

  absl::Status MakeThreads() {
    driver::Plan& plan = setting_.plan;
    const auto processors = static_cast<int64_t>(std::max(1U, std::thread::hardware_concurrency()));
    int64_t threads = std::clamp<int64_t>(processors / 2, 1, 8);
    int64_t connections = 1;
    RETURN_IF_ERROR(Whole("--threads", options_.threads, kMostThreads, threads));
    RETURN_IF_ERROR(Whole("--connections", options_.connections, kMostConnections, connections));
    // A thread without callers would do nothing.
    if (!plan.open_loop()) threads = std::min<int64_t>(threads, plan.concurrency);
    plan.threads = static_cast<int>(threads);
    plan.connections = static_cast<int>(connections);
    return absl::OkStatus();
  }

  absl::Status MakeCallers() {
    driver::Plan& plan = setting_.plan;
    plan.caller.set_user_name(client_.user_name);
    plan.caller.set_conversation_id(client_.conversation);
    plan.caller.set_ai_model(client_.model);
    plan.caller.set_time_zone(client_.time_zone);
    int64_t workspaces = profile_.workspaces;
    int64_t users = profile_.users;
    RETURN_IF_ERROR(Whole("--workspaces", options_.workspaces, 10'000, workspaces));
    RETURN_IF_ERROR(Whole("--users", options_.users, 100'000, users));
    if (!options_.callers_file.empty()) {
      ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(options_.callers_file));
      auto callers = driver::Callers::Parse(text);
      if (!callers.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(options_.callers_file, ": ", callers.status().message()));
      }
      plan.callers = *std::move(callers);
      return CheckTokensStaySecret();
    }
    const bool many = !options_.workspaces.empty() || !options_.users.empty();
    if (!client_.token.empty() && !many) {
      // A token says who calls.
      plan.callers = driver::Callers::Single(client_.workspace, client_.user, client_.token);
      return absl::OkStatus();
    }
    // A fresh run meets fresh workspaces, and a repeated seed meets those of its first run.
    plan.callers =
        driver::Callers::Generated(client_.workspace.empty() ? absl::StrCat("load-", plan.seed) : client_.workspace,
                                   client_.user.empty() ? "user" : client_.user, static_cast<size_t>(workspaces),
                                   static_cast<size_t>(users), client_.token);
    return absl::OkStatus();
  }

  // As ClientOptions::Check does for the token of a flag.
  absl::Status CheckTokensStaySecret() const {
    if (client_.tls() || !setting_.plan.callers.have_tokens()) return absl::OkStatus();
    for (const std::string& target : setting_.plan.targets) {
      if (StaysOnThisMachine(target)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(options_.callers_file, ": the tokens would be sent unencrypted to ", target, "; give --tls-ca"));
    }
    return absl::OkStatus();
  }

  absl::Status MakeConditions() {
    for (const std::string& text : options_.metrics) {
      ASSIGN_OR_RETURN(std::string url, server_metrics::MetricsUrl(text));
      setting_.metrics_urls.push_back(std::move(url));
    }
    for (const std::string& text : options_.thresholds.empty() ? profile_.load.thresholds : options_.thresholds) {
      ASSIGN_OR_RETURN(report::Threshold threshold, report::Threshold::Parse(text));
      const std::string& step = threshold.step();
      const bool known =
          step.empty() || std::any_of(profile_.calls.begin(), profile_.calls.end(), [&](const auto& call) {
            return step == call.tool || step == call.name || step.starts_with(absl::StrCat(call.name, ": "));
          });
      if (!known) {
        return absl::InvalidArgumentError(
            absl::StrCat("threshold \"", text, "\": the profile has no step or tool \"", step, "\""));
      }
      setting_.thresholds.push_back(std::move(threshold));
    }
    return absl::OkStatus();
  }

  const LoadOptions& options_;
  const ClientOptions& client_;
  const profile::Profile& profile_;
  IdSource& ids_;
  const absl::Time now_;
  LoadSetting setting_;
};

}  // namespace

void LoadOptions::Declare(FlagSet& flags) {
  flags.Value("--profile", "NAME", &profile, "shipped profile or YAML file; default read-mostly").not_empty = true;
  flags.Value("--tool", "TOOL", &tool, "call only this tool, instead of a profile").not_empty = true;
  flags.Value("--arguments", "TEMPLATE", &arguments, "arguments for --tool, with placeholders");
  flags.Value("--concurrency", "N", &concurrency, "closed loop: calls in flight; default 16");
  flags.Value("--rate", "RATE", &rate, "open loop: calls a second, or a schedule such as ramp:0-2000/60s").not_empty =
      true;
  flags.Value("--arrivals", "PATTERN", &arrivals, "distances between calls of the open loop; default poisson")
      .choices = {"even", "poisson"};
  flags.Value("--max-in-flight", "N", &max_in_flight, "open loop: most calls in flight, default 1000");
  flags.Value("--duration", "DURATION", &duration, "measured time; default 30s, or that of the schedule");
  flags.Value("--warm-up", "DURATION", &warm_up, "time before it, whose calls do not count; default 5s");
  flags.Value("--requests", "N", &requests, "end after this many calls");
  flags.Value("--think-time", "DURATION", &think_time, "closed loop: pause between two calls of a caller");
  flags.Value("--workspaces", "N", &workspaces, "number of workspaces; default that of the profile");
  flags.Value("--users", "N", &users, "number of users in each; default that of the profile");
  flags.Value("--callers", "FILE", &callers_file, "JSON Lines with workspace, user and token of each caller");
  flags.Value("--target", "ADDR", &targets, "address of a service, instead of --address; may be repeated");
  flags.Value("--balance", "WAY", &balance, "way to choose among targets").choices = {"round-robin", "least-in-flight"};
  flags.Value("--threads", "N", &threads, "threads of the harness; default half the processors");
  flags.Value("--connections", "N", &connections, "connections of each thread to each target; default 1");
  flags.Value("--seed", "N", &seed, "repeats the calls of an earlier run; default random");
  flags.Value("--metrics", "URL", &metrics, "metrics of a service, to show beside the client's; may be repeated");
  flags.Value("--threshold", "CONDITION", &thresholds, "such as p99<50ms, or exit code 12; may be repeated");
  flags.Value("--html", "FILE", &html_file, "write the report as a page for a browser").not_empty = true;
  flags.Value("--json-file", "FILE", &json_file, "write the report as JSON, beside the text").not_empty = true;
  flags.Switch("--force", &force, "replace existing files");
  flags.Switch("--yes", &yes, "allow targets on other machines");
  flags.Switch("--list-profiles", &list_profiles, "list the shipped profiles");
  flags.Switch("--print-profile", &print_profile, "print the profile, as a start for one of your own");
}

absl::StatusOr<profile::Profile> ReadProfile(const LoadOptions& options) {
  if (!options.tool.empty()) {
    if (!options.profile.empty()) return absl::InvalidArgumentError("--tool and --profile cannot be combined");
    return profile::SingleCallProfile(options.tool, options.arguments);
  }
  if (!options.arguments.empty()) return absl::InvalidArgumentError("--arguments needs --tool");
  const std::string name = options.profile.empty() ? kDefaultProfile : options.profile;
  std::vector<std::string> names;
  for (const profile::ShippedProfile& shipped : profile::ShippedProfiles()) {
    if (shipped.name == name) return profile::ParseProfile(name, shipped.text);
    names.push_back(shipped.name);
  }
  const absl::StatusOr<std::string> text = ReadWholeFile(name);
  if (text.ok()) return profile::ParseProfile(name, *text);
  return absl::NotFoundError(
      absl::StrCat(text.status().message(), "; the shipped profiles are ", absl::StrJoin(names, ", ")));
}

absl::StatusOr<LoadSetting> MakeSetting(const LoadOptions& options, const ClientOptions& client,
                                        const profile::Profile& profile, IdSource& ids, absl::Time now) {
  return Maker(options, client, profile, ids, now).Make();
}

}  // namespace toolgate::cli::load
