#include "cli/load/profile/profile.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/load/profile/load_shipped_profiles.h"
#include "cli/load/profile/profile_file.pb.h"
#include "cli/load/schedule/schedule.h"
#include "common/absl_bridge.h"
#include "common/embedded_file.h"
#include "common/json.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/yaml/yaml_proto.h"

namespace toolgate::cli::load::profile {
namespace {

constexpr int kMostWorkspaces = 10'000;
constexpr int kMostUsers = 100'000;
constexpr int kMostRepeats = 1'000'000;
constexpr int kMostInFlight = 1'000'000;
constexpr int kMostSteps = 200;
constexpr size_t kLongestName = 64;
constexpr JsonLimits kResultLimits = {.max_bytes = size_t{64} << 20, .max_keys = 1'000'000, .max_values = 10'000'000};

// Turns the message into a profile and collects all problems, with their places.
class Compiler {
 public:
  Compiler(const ProfileFile& file, const yaml::YamlPlaces& places, std::string_view name)
      : file_(file), places_(places), name_(name) {}

  absl::StatusOr<Profile> Compile() {
    profile_.name = name_;
    profile_.description = file_.description();
    profile_.workspaces = Count("workspaces", file_.workspaces(), kMostWorkspaces);
    profile_.users = Count("users", file_.users(), kMostUsers);
    CompileLoad();
    DeclarePools();
    for (int i = 0; i < file_.setup_size(); ++i) CompileSetup(i);
    if (file_.steps().empty()) Report("steps", "is empty; a profile needs at least one step");
    if (file_.steps_size() > kMostSteps) Report("steps", absl::StrCat("has more than ", kMostSteps, " entries"));
    for (int i = 0; i < file_.steps_size(); ++i) CompileStep(i);
    if (!problems_.empty()) return absl::InvalidArgumentError(absl::StrJoin(problems_, "\n"));
    return std::move(profile_);
  }

 private:
  // Finds the place of `path`, or of the nearest value around it.
  void Report(const std::string& path, std::string_view what) {
    std::string place(name_);
    for (std::string at = path; !at.empty();) {
      const auto found = places_.find(at);
      if (found != places_.end()) {
        place = found->second;
        break;
      }
      const size_t cut = at.find_last_of(".[");
      at.resize(cut == std::string::npos ? 0 : cut);
    }
    problems_.push_back(absl::StrCat(place, ": ", path, ": ", ToAbsl(what)));
  }

  int Count(const std::string& path, int value, int most) {
    if (value < 0 || value > most) Report(path, absl::StrCat("is ", value, "; must be from 1 to ", most));
    return value == 0 ? 1 : value;
  }

  absl::Duration Span(const std::string& path, const google::protobuf::Duration& value) {
    const absl::Duration span = FromProtoDuration(value);
    if (span < absl::ZeroDuration()) Report(path, "must not be negative");
    return span;
  }

  void CompileLoad() {
    const ProfileFile::Load& load = file_.load();
    LoadDefaults& out = profile_.load;
    if (load.concurrency() != 0) out.concurrency = Count("load.concurrency", load.concurrency(), kMostInFlight);
    if (load.max_in_flight() != 0) out.max_in_flight = Count("load.max_in_flight", load.max_in_flight(), kMostInFlight);
    if (load.concurrency() != 0 && !load.schedule().empty()) {
      Report("load.schedule", "cannot be combined with concurrency: a test is either an open or a closed loop");
    }
    out.schedule = load.schedule();
    if (!out.schedule.empty()) {
      const auto schedule = schedule::Schedule::Parse(out.schedule);
      if (!schedule.ok()) Report("load.schedule", FromAbsl(schedule.status().message()));
    }
    if (load.arrivals() == ProfileFile::ARRIVALS_EVEN) out.arrivals = schedule::Pattern::kEven;
    if (load.arrivals() == ProfileFile::ARRIVALS_POISSON) out.arrivals = schedule::Pattern::kPoisson;
    out.warm_up = Span("load.warm_up", load.warm_up());
    out.duration = Span("load.duration", load.duration());
    out.think_time = Span("load.think_time", load.think_time());
    out.thresholds = {load.thresholds().begin(), load.thresholds().end()};
  }

  // A pool exists if some step captures into it, wherever that step stands.
  void DeclarePools() {
    std::set<std::string> names;
    for (const ProfileFile::Setup& step : file_.setup()) {
      if (step.has_capture()) names.insert(step.capture().pool());
    }
    for (const ProfileFile::Step& step : file_.steps()) {
      if (step.has_capture()) names.insert(step.capture().pool());
    }
    profile_.pools = {names.begin(), names.end()};
    if (names.size() > Pools::kMostPools) {
      Report("steps", absl::StrCat("have more than ", Pools::kMostPools, " pools"));
      profile_.pools.resize(Pools::kMostPools);
    }
  }

  absl::StatusOr<size_t> FindPool(std::string_view name) const {
    const auto found = std::find(profile_.pools.begin(), profile_.pools.end(), name);
    if (found != profile_.pools.end()) return static_cast<size_t>(found - profile_.pools.begin());
    return absl::InvalidArgumentError(absl::StrCat("no step captures into the pool \"", ToAbsl(name), "\""));
  }

  Template CompileTemplate(const std::string& path, const std::string& text) {
    auto compiled = Template::Parse(text.empty() ? "{}" : text, [this](auto name) { return FindPool(name); });
    if (compiled.ok()) return *std::move(compiled);
    Report(path, FromAbsl(compiled.status().message()));
    return Template();
  }

  template <typename Message>
  std::optional<Capture> CompileCapture(const std::string& path, const Message& step) {
    if (!step.has_capture()) return std::nullopt;
    const auto& capture = step.capture();
    if (capture.pool().empty() || capture.pool().find_first_of(" {}'") != std::string::npos) {
      Report(path + ".capture.pool", "must be a word");
      return std::nullopt;
    }
    if (!capture.from().starts_with('/')) {
      Report(path + ".capture.from", "must be a JSON pointer such as /blockId");
      return std::nullopt;
    }
    const absl::StatusOr<size_t> pool = FindPool(capture.pool());
    if (!pool.ok()) return std::nullopt;
    return Capture{*pool, capture.from()};
  }

  void CompileSetup(int index) {
    const ProfileFile::Setup& step = file_.setup(index);
    const std::string path = absl::StrCat("setup[", index, "]");
    if (step.tool().empty()) Report(path, "needs a tool");
    profile_.setup.push_back({.tool = step.tool(),
                              .arguments = CompileTemplate(path + ".arguments", step.arguments()),
                              .repeat = Count(path + ".repeat", step.repeat(), kMostRepeats),
                              .capture = CompileCapture(path, step)});
  }

  void CompileStep(int index) {
    const ProfileFile::Step& step = file_.steps(index);
    const std::string path = absl::StrCat("steps[", index, "]");
    if (step.tool().empty()) Report(path, "needs a tool");
    CallKind call;
    call.tool = step.tool();
    call.name = step.name().empty() ? step.tool() : step.name();
    if (!names_.insert(call.name).second) {
      Report(path + ".name",
             absl::StrCat("\"", call.name, "\" is the name of an earlier step; give one of them a name"));
    }
    if (call.name.size() > kLongestName) Report(path + ".name", "is longer than 64 bytes");
    if (!std::isfinite(step.weight()) || step.weight() < 0 || step.weight() > 1e9) {
      Report(path + ".weight", "must be above 0 and at most 1000000000");
    }
    call.weight = step.weight() == 0 ? 1 : step.weight();
    call.arguments = CompileTemplate(path + ".arguments", step.arguments());
    call.stream = step.stream();
    call.dry_run = step.dry_run();
    call.idempotency_key = step.idempotency_key();
    call.model = step.model();
    call.expect_finding = step.expect_finding();
    if (step.confirm() == ProfileFile::CONFIRM_APPROVE) call.confirm = Confirm::kApprove;
    if (step.confirm() == ProfileFile::CONFIRM_DENY) call.confirm = Confirm::kDeny;
    if (call.stream && call.confirm != Confirm::kIgnore) {
      Report(path + ".confirm", "cannot be combined with stream: write a step for each");
    }
    call.capture = CompileCapture(path, step);
    call.expect = {step.expect().begin(), step.expect().end()};
    if (call.expect.empty()) {
      call.expect = {"OK"};
      if (step.confirm() == ProfileFile::CONFIRM_IGNORE) call.expect.emplace_back("CONFIRMATION_REQUIRED");
      if (step.confirm() == ProfileFile::CONFIRM_DENY) call.expect = {"CANCELLED"};
    }
    profile_.calls.push_back(std::move(call));
  }

  const ProfileFile& file_;
  const yaml::YamlPlaces& places_;
  const std::string_view name_;
  Profile profile_;
  std::set<std::string> names_;
  std::vector<std::string> problems_;
};

}  // namespace

std::optional<std::string> Capture::Read(std::string_view data_json) const {
  const absl::StatusOr<Json> parsed = ParseJson(data_json, kResultLimits);
  if (!parsed.ok()) return std::nullopt;
  const Json* at = &*parsed;
  for (const absl::string_view step : absl::StrSplit(absl::string_view(pointer).substr(1), '/')) {
    const std::string key = absl::StrReplaceAll(step, {{"~1", "/"}, {"~0", "~"}});
    size_t index = 0;
    if (at->is_object() && at->contains(key)) {
      at = &(*at)[key];
    } else if (at->is_array() && absl::SimpleAtoi(key, &index) && index < at->size()) {
      at = &(*at)[index];
    } else {
      return std::nullopt;
    }
  }
  return at->is_string() ? std::optional(at->get<std::string>()) : std::nullopt;
}

bool CallKind::Expects(std::string_view code) const {
  return std::any_of(expect.begin(), expect.end(), [&](const std::string& row) { return row == code || row == "*"; });
}

size_t Profile::DrawCall(schedule::Random& random) const {
  double sum = 0;
  for (const CallKind& call : calls) sum += call.weight;
  double at = random.Unit() * sum;
  for (size_t i = 0; i + 1 < calls.size(); ++i) {
    at -= calls[i].weight;
    if (at < 0) return i;
  }
  return calls.size() - 1;
}

absl::StatusOr<Profile> ParseProfile(std::string_view name, std::string_view text) {
  ProfileFile file;
  yaml::YamlPlaces places;
  RETURN_IF_ERROR(yaml::MergeYaml(name, text, {}, file, places));
  return Compiler(file, places, name).Compile();
}

absl::StatusOr<Profile> SingleCallProfile(std::string_view tool, std::string_view arguments) {
  ProfileFile file;
  ProfileFile::Step& step = *file.add_steps();
  step.set_tool(std::string(tool));
  step.set_arguments(std::string(arguments));
  file.set_description(absl::StrCat("calls of ", ToAbsl(tool)));
  auto profile = Compiler(file, {}, "--arguments").Compile();
  if (profile.ok()) profile->name = tool;
  return profile;
}

std::vector<ShippedProfile> ShippedProfiles() {
  std::vector<ShippedProfile> shipped;
  for (const EmbeddedFile& file : ShippedProfileFiles()) {
    const size_t begin = file.path.rfind('/') + 1;
    const auto profile = ParseProfile(file.path, file.text);
    shipped.push_back({.name = std::string(file.path.substr(begin, file.path.rfind('.') - begin)),
                       .description = profile.ok() ? profile->description : "",
                       .text = file.text});
  }
  std::sort(shipped.begin(), shipped.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return shipped;
}

}  // namespace toolgate::cli::load::profile
