#include "executors/shell/bash.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <ctime>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/text/cut_text.h"
#include "common/text/visible_text.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/directory/name_search.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"
#include "executors/outside_quote.h"
#include "executors/shell/change_plan.h"
#include "executors/shell/command_output.h"
#include "executors/shell/git_guard.h"
#include "executors/shell/launcher/job.h"
#include "executors/shell/sandbox/upper_layer.h"

namespace toolgate::executors::shell {
namespace {

using directory::Change;
using directory::Directory;
using directory::FileKind;
using launcher::Cause;
using sandbox::Ending;
using sandbox::SandboxedCommand;

constexpr size_t kMaxDescribed = 200;
// Workspaces whose folders are remembered, and their folders together, some 200 bytes each.
constexpr size_t kMaxSearches = 256;
constexpr size_t kMaxRememberedFolders = 200'000;
constexpr absl::Duration kTimeToAnswer = absl::Seconds(1);
constexpr absl::Duration kRetryAfter = absl::Seconds(1);
// A shell's exit code for a command that a signal ended.
constexpr int kSignalBase = 128;
constexpr std::string_view kStreamCut = "\n[… further output is left out …]\n";

std::string_view SignalName(int exit_code) {
  constexpr std::pair<int, std::string_view> kNames[] = {
      {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"},
      {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"},
      {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"}, {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},
      {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"}};
  for (const auto& [number, name] : kNames) {
    if (exit_code == kSignalBase + number) return name;
  }
  return "";
}

std::string_view CauseName(const Ending& ending) {
  switch (ending.cause) {
    case Cause::kTimeout:
      return "timeout";
    case Cause::kMemory:
      return "memory";
    case Cause::kProcesses:
      return "processes";
    case Cause::kDisk:
      return "disk";
    case Cause::kNone:
      break;
  }
  return ending.stopped ? "killed" : "";
}

absl::Status ToToolError(const absl::Status& status) {
  if (GetToolError(status).has_value()) return status;
  if (status.code() == absl::StatusCode::kResourceExhausted) {
    return MakeError(ErrorCode::kQuotaExceeded, FromAbsl(status.message()));
  }
  return status;
}

absl::Status TooManyCommands(fairness::Bound bound) {
  const std::string_view whose = bound == fairness::Bound::kUser        ? " of this user"
                                 : bound == fairness::Bound::kWorkspace ? " of this workspace"
                                                                        : "";
  ToolError error;
  error.code = ErrorCode::kOverloaded;
  error.message = absl::StrCat("too many commands", ToAbsl(whose), " are running already; try again later");
  error.retryable = true;
  error.retry_after = kRetryAfter;
  return ToStatus(error);
}

absl::Status NotStarted(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kInvalidArgument) {
    return InvalidArgument("/command", "maxLength", FromAbsl(status.message()));
  }
  ToolError error;
  const bool is_full = status.code() == absl::StatusCode::kResourceExhausted;
  error.code = is_full ? ErrorCode::kOverloaded : ErrorCode::kExecutionError;
  error.message = is_full ? absl::StrCat(status.message(), "; try again later") : "the sandbox could not be started";
  error.retryable = true;
  return is_full ? ToStatus(error) : status;
}

std::string_view ChangeName(const Change& change) {
  if (change.before.kind == FileKind::kMissing) return "added";
  if (change.after.kind == FileKind::kMissing) return "removed";
  directory::FileState other_mode = change.before;
  other_mode.mode = change.after.mode;
  return other_mode == change.after ? "mode" : "changed";
}

std::string_view TypeName(const Change& change) {
  const bool removed = change.after.kind == FileKind::kMissing;
  switch (removed ? change.before.kind : change.after.kind) {
    case FileKind::kFolder:
      return "folder";
    case FileKind::kLink:
      return "link";
    default:
      return "file";
  }
}

Json ChangesJson(const std::vector<Change>& changes, size_t most) {
  Json list = Json::array();
  for (const Change& change : changes) {
    if (list.size() == most) break;
    list.push_back(
        Json{{"path", directory::ShownPath(change.path)}, {"change", ChangeName(change)}, {"type", TypeName(change)}});
  }
  return list;
}

Json NotKeptJson(const std::vector<NotKept>& not_kept, size_t most) {
  Json list = Json::array();
  for (const NotKept& row : not_kept) {
    if (list.size() == most) break;
    list.push_back(Json{{"path", directory::ShownPath(row.path)}, {"reason", row.reason}});
  }
  return list;
}

std::string FirstLine(std::string_view command) {
  return text::CutText(std::string(command.substr(0, command.find('\n'))), kMaxDescribed);
}

// The outcome of a command whose changes are made.
Acted ActedBy(const Json& arguments, std::string answer, size_t changes, directory::KeptChanges kept) {
  Acted acted;
  acted.output.data_json = std::move(answer);
  acted.output.untrusted = true;
  acted.output.reversible = kept.reversible;
  acted.output.description = absl::StrCat("Ran \"", FirstLine(StringArgument(arguments, "command")),
                                          "\", which changed ", changes, changes == 1 ? " path" : " paths");
  acted.settle = [effect = std::move(kept.effect)](storage::Transaction& tx) { return tx.RecordEffect(effect); };
  return acted;
}

}  // namespace

// One call, on the stack of its thread.
class Bash::Call {
 public:
  Call(Bash& bash, ToolContext& context, EffectSession& session)
      : bash_(bash),
        context_(context),
        session_(session),
        outputs_{CommandOutput(bash.options_.max_output_bytes), CommandOutput(bash.options_.max_output_bytes)} {}

  absl::StatusOr<Acted> Run() {
    ASSIGN_OR_RETURN(directory_, bash_.directories_->Of(context_.caller.workspace_id));
    const absl::StatusOr<std::string> cwd = ResolveCwd();
    if (!cwd.ok()) return ShowQuotes(cwd.status());
    absl::StatusOr<HiddenPaths::Found> found =
        bash_.HiddenFrom(context_.caller.workspace_id, *directory_, context_.cancellation);
    if (!found.ok()) return ToToolError(found.status());
    const fairness::SharedCount::Taken ticket =
        bash_.commands_.TryTake({context_.caller.workspace_id, context_.caller.user_id});
    if (const auto* const bound = std::get_if<fairness::Bound>(&ticket)) {
      bash_.CountFailure("too_many");
      return TooManyCommands(*bound);
    }
    // Needs a file in the directory, which a dry run does not write.
    if (!context_.dry_run) {
      ASSIGN_OR_RETURN(const directory::DirectoryLock lock, directory_->Lock(session_));
      RETURN_IF_ERROR(directory::ChangeSet::RemoveLeftovers(*directory_, session_));
      ASSIGN_OR_RETURN(start_, directory_->Stamp());
    }
    const absl::Duration started_at = Clock::Real().Monotonic();
    absl::StatusOr<std::unique_ptr<SandboxedCommand>> command = bash_.sandbox_->Start(
        {directory_->root(), *cwd, std::string(StringArgument(context_.arguments, "command")), std::move(found->hidden),
         Timeout(), MakeGuards(*directory_, found->git, bash_.options_.git)});
    if (!command.ok()) {
      CountNotStarted(command.status());
      return NotStarted(command.status());
    }
    ASSIGN_OR_RETURN(const Ending ending, Attend(**command));
    if (!ending.built.ok()) bash_.CountFailure("not_started");
    RETURN_IF_ERROR(ending.built);
    bash_.CountFailure(CauseName(ending));
    Describe(ending, Clock::Real().Monotonic() - started_at);
    if (ending.stopped || ending.cause != Cause::kNone) return Discard();
    return Collect((*command)->TakeUpperLayer().get());
  }

 private:
  // A command that cannot be passed on is its caller's fault, and not counted.
  void CountNotStarted(const absl::Status& status) {
    if (absl::IsInvalidArgument(status)) return;
    bash_.CountFailure(absl::IsResourceExhausted(status) ? "too_many" : "not_started");
  }

  // Names of folders are untrusted text, as the output is.
  absl::Status ShowQuotes(const absl::Status& failed) {
    const std::optional<ToolError> error = GetToolError(failed);
    if (error.has_value() && QuotesOutside(*error)) RETURN_IF_ERROR(session_.Output("stderr", error->message));
    return failed;
  }

  // The canonical path, without links, of the folder in which the command begins.
  absl::StatusOr<std::string> ResolveCwd() const {
    const std::string_view written = StringArgument(context_.arguments, "cwd");
    if (written.empty()) return std::string();
    ASSIGN_OR_RETURN(const std::string path, directory::ParseFolderPath("cwd", written));
    if (path.empty()) return path;
    ASSIGN_OR_RETURN(const std::string meant, directory::FindAlike(*directory_, path));
    ASSIGN_OR_RETURN(const directory::Resolved folder, directory_->Resolve(meant));
    RETURN_IF_ERROR(directory_->CheckAllowed(folder.path));
    if (folder.kind() == FileKind::kFolder) return folder.path;
    const std::string_view problem = folder.handle.valid() ? "is not a folder" : "does not exist";
    return directory::WithNearest(*directory_, meant, directory::PathError(ErrorCode::kNotFound, path, problem));
  }

  // Leaves time to answer before the call's own deadline: what a killed command has written is worth an answer.
  absl::Duration Timeout() const {
    const absl::Duration wanted = absl::Milliseconds(IntegerArgument(context_.arguments, "timeoutMs"));
    const absl::Duration left = context_.cancellation.Remaining();
    return std::min(wanted, left - std::min(kTimeToAnswer, left / 4));
  }

  // Passes output on until the command has ended.
  absl::StatusOr<Ending> Attend(SandboxedCommand& command) {
    for (;;) {
      for (const sandbox::OutputPiece& piece : command.Take()) RETURN_IF_ERROR(PassOn(piece));
      if (const std::optional<Ending> ending = command.ending(); ending.has_value()) return *ending;
      RETURN_IF_ERROR(session_.Wait(command.news()).status());
    }
  }

  absl::Status PassOn(const sandbox::OutputPiece& piece) {
    const bool is_stdout = piece.channel == sandbox::Channel::kStdout;
    outputs_[is_stdout ? 0 : 1].Add(piece.bytes);
    if (streamed_ > bash_.options_.max_streamed_bytes) return absl::OkStatus();
    streamed_ += static_cast<int64_t>(piece.bytes.size());
    const bool is_last = streamed_ > bash_.options_.max_streamed_bytes;
    return session_.Output(is_stdout ? "stdout" : "stderr", is_last ? kStreamCut : std::string_view(piece.bytes));
  }

  void Describe(const Ending& ending, absl::Duration took) {
    const std::string_view killed = CauseName(ending);
    if (killed.empty()) {
      answer_["exitCode"] = ending.exit_code;
      if (const std::string_view signal = SignalName(ending.exit_code); !signal.empty()) answer_["signal"] = signal;
    } else {
      answer_["killed"] = killed;
    }
    answer_["stdout"] = outputs_[0].Text();
    answer_["stderr"] = outputs_[1].Text();
    if (outputs_[0].is_cut()) answer_["stdoutBytes"] = outputs_[0].total_bytes();
    if (outputs_[1].is_cut()) answer_["stderrBytes"] = outputs_[1].total_bytes();
    if (const int64_t bytes = outputs_[0].ReplacedBytes(); bytes > 0) answer_["stdoutReplacedBytes"] = bytes;
    if (const int64_t bytes = outputs_[1].ReplacedBytes(); bytes > 0) answer_["stderrReplacedBytes"] = bytes;
    answer_["durationMs"] = absl::ToInt64Milliseconds(took);
  }

  void ListChanges(const std::vector<Change>& changes, const std::vector<NotKept>& not_kept) {
    const size_t most = bash_.options_.max_listed_changes;
    answer_["changes"] = ChangesJson(changes, most);
    if (changes.size() > most) answer_["changesInAll"] = changes.size();
    if (!not_kept.empty()) answer_["notKept"] = NotKeptJson(not_kept, most);
  }

  absl::StatusOr<Acted> Discard() {
    ListChanges({}, {});
    return Answer();
  }

  absl::StatusOr<Acted> Collect(int upper) {
    absl::StatusOr<std::vector<sandbox::UpperEntry>> entries =
        sandbox::ReadUpperLayer(upper, bash_.sandbox_->limits().max_changed_files, context_.cancellation);
    if (!entries.ok()) return ToToolError(entries.status());
    if (entries->empty()) return Discard();
    return context_.dry_run ? Compare(*entries, upper) : Commit(*entries, upper);
  }

  absl::StatusOr<ChangePlan> Plan(const std::vector<sandbox::UpperEntry>& entries, int upper) const {
    const GitUse use = bash_.options_.git;
    ASSIGN_OR_RETURN(ChangePlan plan, PlanChanges(*directory_, entries, use == GitUse::kKeep, context_.cancellation));
    RETURN_IF_ERROR(CheckGit(*directory_, entries, upper, use, plan, context_.cancellation));
    return plan;
  }

  absl::StatusOr<Acted> Compare(const std::vector<sandbox::UpperEntry>& entries, int upper) {
    ASSIGN_OR_RETURN(const ChangePlan plan, Plan(entries, upper));
    ASSIGN_OR_RETURN(const std::vector<Change> changes,
                     CompareChanges(plan, upper, *directory_, context_.cancellation));
    ListChanges(changes, plan.not_kept);
    ASSIGN_OR_RETURN(answer_["diff"],
                     DiffChanges(changes, upper, *directory_, bash_.options_.max_diff_bytes, context_.cancellation));
    return Answer();
  }

  absl::StatusOr<Acted> Commit(const std::vector<sandbox::UpperEntry>& entries, int upper) {
    ASSIGN_OR_RETURN(const directory::DirectoryLock lock, directory_->Lock(session_));
    ASSIGN_OR_RETURN(const ChangePlan plan, Plan(entries, upper));
    ASSIGN_OR_RETURN(const std::unique_ptr<directory::ChangeSet> set,
                     directory::ChangeSet::Begin(*directory_, session_, context_.cancellation));
    set->RequireUnchangedSince(start_);
    if (bash_.options_.git == GitUse::kKeep) set->AllowGit();
    RETURN_IF_ERROR(AddChanges(plan, upper, *set));
    ListChanges(set->changes(), plan.not_kept);
    if (set->empty()) return Answer();
    RETURN_IF_ERROR(set->Apply(DumpJson(answer_)));
    ASSIGN_OR_RETURN(directory::KeptChanges kept, set->Keep());
    return ActedBy(context_.arguments, DumpJson(answer_), set->changes().size(), std::move(kept));
  }

  Acted Answer() const {
    Acted acted;
    acted.output.data_json = DumpJson(answer_);
    acted.output.untrusted = true;
    return acted;
  }

  Bash& bash_;
  ToolContext& context_;
  EffectSession& session_;
  std::shared_ptr<Directory> directory_;
  struct timespec start_ = {};
  std::array<CommandOutput, 2> outputs_;
  int64_t streamed_ = 0;
  Json answer_ = Json::object();
};

void Bash::CountFailure(std::string_view reason) {
  const auto index = static_cast<size_t>(std::find(kFailures.begin(), kFailures.end(), reason) - kFailures.begin());
  if (index < kFailures.size()) failures_[index].fetch_add(1, std::memory_order_relaxed);
}

std::vector<double> Bash::FailureCounts() const {
  std::vector<double> counts;
  for (const auto& count : failures_) counts.push_back(static_cast<double>(count.load(std::memory_order_relaxed)));
  return counts;
}

absl::StatusOr<HiddenPaths::Found> Bash::HiddenFrom(std::string_view workspace_id, const Directory& directory,
                                                    const fibers::Cancellation& cancellation) {
  absl::StatusOr<HiddenPaths::Found> found = SearchOf(workspace_id)->Find(directory, cancellation);
  TrimSearches();
  if (!found.ok()) return found;
  // The call that is the first of its directory makes it after this search.
  const std::string own(directory::kOwnFolder);
  if (std::find(found->hidden.begin(), found->hidden.end(), own) == found->hidden.end()) found->hidden.push_back(own);
  return found;
}

std::shared_ptr<HiddenPaths> Bash::SearchOf(std::string_view workspace_id) {
  const absl::MutexLock lock(&mutex_);
  if (const std::shared_ptr<HiddenPaths>* const known = searches_.Find(workspace_id); known != nullptr) return *known;
  return searches_.Add(workspace_id, std::make_shared<HiddenPaths>(options_.hidden));
}

void Bash::TrimSearches() {
  const absl::MutexLock lock(&mutex_);
  size_t folders = 0;
  size_t kept = 0;
  for (const auto& [workspace_id, search] : searches_) {
    folders += search->remembered();
    if (kept == kMaxSearches || (kept > 0 && folders > kMaxRememberedFolders)) break;
    ++kept;
  }
  searches_.Trim(kept, [](const std::shared_ptr<HiddenPaths>&) { return true; });
}

absl::StatusOr<Acted> Bash::Run(ToolContext& context, EffectSession& session) {
  if (sandbox_ == nullptr)
    return MakeError(ErrorCode::kNotConfigured, "this machine has no sandbox for shell commands");
  return Call(*this, context, session).Run();
}

absl::StatusOr<Recovered> Bash::Recover(ToolContext& context, EffectSession& session) const {
  ASSIGN_OR_RETURN(const std::shared_ptr<Directory> directory, directories_->Of(context.caller.workspace_id));
  ASSIGN_OR_RETURN(const directory::DirectoryLock lock, directory->Lock(session));
  ASSIGN_OR_RETURN(directory::ChangeSet::Recovery recovery, directory::ChangeSet::Recover(*directory, session));
  Recovered recovered;
  recovered.failure = std::move(recovery.failure);
  if (recovery.finished) {
    recovered.outcome = Recovered::Outcome::kFinished;
    recovered.acted =
        ActedBy(context.arguments, std::move(recovery.note), recovery.changes.size(), std::move(recovery.kept));
    return recovered;
  }
  recovered.outcome = recovery.partly ? Recovered::Outcome::kPartlyRolledBack : Recovered::Outcome::kRolledBack;
  return recovered;
}

absl::StatusOr<Preview> Bash::MakePreview(ToolContext& context, EffectSession&) {
  const std::string_view cwd = StringArgument(context.arguments, "cwd");
  Preview preview;
  preview.summary = cwd.empty() ? "Run a shell command in the workspace's directory, in a sandbox without network"
                                : absl::StrCat("Run a shell command in the folder ", text::Quoted(cwd),
                                               ", in a sandbox without network");
  preview.undo_summary = "Undo brings back every file that the command changes, unless it is changed again meanwhile.";
  return preview;
}

}  // namespace toolgate::executors::shell
