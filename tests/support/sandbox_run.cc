#include "tests/support/sandbox_run.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "executors/shell/sandbox/upper_layer.h"
#include "tests/support/temp_dir.h"

namespace toolgate::testing {
namespace {

using executors::shell::launcher::Cause;
using executors::shell::sandbox::Channel;
using executors::shell::sandbox::Ending;
using executors::shell::sandbox::EntryKind;
using executors::shell::sandbox::OutputPiece;
using executors::shell::sandbox::ReadUpperLayer;
using executors::shell::sandbox::Sandbox;
using executors::shell::sandbox::SandboxedCommand;
using executors::shell::sandbox::UpperEntry;

std::string LineOf(const UpperEntry& entry) {
  switch (entry.kind) {
    case EntryKind::kFile:
      return absl::StrFormat("file %o %s\n", entry.mode, entry.path);
    case EntryKind::kFolder:
      return absl::StrFormat("folder%s %o %s\n", entry.replaces ? "!" : "", entry.mode, entry.path);
    case EntryKind::kLink:
      return absl::StrCat("link ", entry.path, " -> ", entry.target, "\n");
    case EntryKind::kRemoved:
      return absl::StrCat("removed ", entry.path, "\n");
    case EntryKind::kSpecial:
      break;
  }
  return absl::StrCat("special ", entry.path, "\n");
}

const char* NameOf(Cause cause) {
  switch (cause) {
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
  return "";
}

Ending Wait(SandboxedCommand& command, Json& result) {
  for (;;) {
    for (const OutputPiece& piece : command.Take()) {
      auto& text = result[piece.channel == Channel::kStdout ? "out" : "err"].get_ref<std::string&>();
      text += piece.bytes;
    }
    if (const auto ending = command.ending(); ending.has_value()) return *ending;
    command.news().WaitAside();
  }
}

std::string Run(const std::string& workspace, const SandboxJob& job) {
  Json result{{"error", ""}, {"out", ""}, {"err", ""}, {"changes", ""}};
  const auto sandbox = Sandbox::Create(job.options);
  if (!sandbox.ok()) return DumpJson(Json{{"error", sandbox.status().ToString()}});
  const Descriptor folder(open(workspace.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const absl::Time begun = absl::Now();
  const auto command = (*sandbox)->Start({folder.get(), job.cwd, job.command, job.hidden, job.timeout});
  if (!command.ok()) return DumpJson(Json{{"error", command.status().ToString()}});
  const Ending ending = Wait(**command, result);
  result["took"] = absl::ToInt64Milliseconds(absl::Now() - begun);
  if (!ending.built.ok()) result["error"] = ending.built.ToString();
  result["exit"] = ending.exit_code;
  result["killed"] = NameOf(ending.cause);
  result["stopped"] = ending.stopped;
  const Descriptor upper = (*command)->TakeUpperLayer();
  if (!upper.valid()) return DumpJson(result);
  const auto entries = ReadUpperLayer(upper.get(), 1'000'000, fibers::Cancellation());
  if (!entries.ok()) return DumpJson(Json{{"error", entries.status().ToString()}});
  for (const UpperEntry& entry : *entries) result["changes"].get_ref<std::string&>() += LineOf(entry);
  return DumpJson(result);
}

std::string ReadAll(int file) {
  std::string text;
  char piece[4096];
  for (ssize_t size = read(file, piece, sizeof(piece)); size > 0; size = read(file, piece, sizeof(piece))) {
    text.append(piece, static_cast<size_t>(size));
  }
  return text;
}

}  // namespace

std::string RunAs(uid_t user, const std::function<std::string()>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) abort();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    if (user != geteuid() &&
        (setgroups(0, nullptr) != 0 || setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0)) {
      std::_Exit(1);
    }
    const std::string text = work();
    const bool written = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    std::_Exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string text = ReadAll(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return text;
}

SandboxRun RunInSandbox(const std::string& workspace, const SandboxJob& job) {
  const std::string text = RunAs(job.user == 0 ? geteuid() : job.user, [&] { return Run(workspace, job); });
  SandboxRun run;
  const auto json = ParseJson(text, {.max_bytes = size_t{64} << 20});
  if (!json.ok()) {
    run.error = absl::StrCat("the process of the run failed: ", text);
    return run;
  }
  run.error = (*json)["error"].get<std::string>();
  if (!json->contains("exit")) return run;
  run.exit_code = (*json)["exit"].get<int>();
  run.killed = (*json)["killed"].get<std::string>();
  run.stopped = (*json)["stopped"].get<bool>();
  run.out = (*json)["out"].get<std::string>();
  run.err = (*json)["err"].get<std::string>();
  run.changes = (*json)["changes"].get<std::string>();
  run.took = absl::Milliseconds((*json)["took"].get<int64_t>());
  return run;
}

std::string WhyNoSandbox(uid_t user) {
  if (getenv("TOOLGATE_REQUIRE_SANDBOX") != nullptr) return "";
  if (user != 0 && user != geteuid() && geteuid() != 0) return "only root can run a command as another user";
  static auto* const known = new std::map<uid_t, std::string>;
  const auto found = known->find(user);
  if (found != known->end()) return found->second;
  const TempDir folder;
  GiveTo(user, folder.path());
  const std::string error = RunInSandbox(folder.path(), {.command = "true", .user = user}).error;
  // Any other failure is the test's.
  return (*known)[user] = error.find("no sandbox for shell commands") == std::string::npos ? "" : error;
}

void GiveTo(uid_t user, const std::string& folder) {
  if (geteuid() != 0) return;
  lchown(folder.c_str(), user, user);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    lchown(entry.path().c_str(), user, user);
  }
}

}  // namespace toolgate::testing
