#include "executors/shell/sandbox/sandbox.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "executors/shell/launcher/job.h"
#include "executors/shell/sandbox/launcher_image.h"
#include "executors/shell/sandbox/memory_file.h"
#include "executors/shell/sandbox/remove_tree.h"
#include "executors/shell/sandbox/seccomp_filter.h"

namespace toolgate::executors::shell::sandbox {
namespace {

// A folder that is removed and made again needs extended attributes of the scratch space, and a file that is changed
// needs a copy in it.
constexpr char kProbe[] = "set -e; mkdir -p probe/folder; rm -r lower; mkdir lower; echo probed > lower/file";
constexpr absl::Duration kProbeTime = absl::Seconds(20);

absl::Status Missing(std::string_view reason) {
  return absl::FailedPreconditionError(
      absl::StrCat("no sandbox for shell commands: ", std::string(reason),
                   "; docs/shell.md says what the machine must have and a cluster must allow"));
}

// Waits on the calling thread.
Ending WaitFor(SandboxedCommand& command, std::string& output) {
  for (;;) {
    for (const OutputPiece& piece : command.Take()) output += piece.bytes;
    if (const std::optional<Ending> ending = command.ending(); ending.has_value()) return *ending;
    command.news().WaitAside();
  }
}

// A workspace for the probe, with one folder.
absl::StatusOr<Descriptor> MakeProbeFolder(std::string& path) {
  std::string name = (std::filesystem::temp_directory_path() / "toolgate-probe-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return absl::ErrnoToStatus(errno, "cannot make a temporary folder");
  path = name;
  if (mkdir(absl::StrCat(name, "/lower").c_str(), 0755) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a temporary folder");
  }
  return Descriptor(open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// Raises the process's limit of open files, where it may: systems start services with one of 1,024.
void AllowDescriptors(int commands) {
  constexpr rlim_t kEach = 6;
  constexpr rlim_t kOthers = 1024;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t needed = kOthers + kEach * static_cast<rlim_t>(commands);
  if (limit.rlim_cur >= needed) return;
  limit.rlim_cur = std::min(needed, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

// The lock of a folder in which a process keeps scratch space; not valid when another one holds it.
Descriptor Lock(const std::string& folder) {
  Descriptor lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!lock.valid() || flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return Descriptor();
  return lock;
}

// Inodes that the launcher needs for itself: one for each hidden or guarded path, and the folders above it.
int64_t OwnFiles(const Command& command) {
  constexpr int64_t kOthers = 64;
  int64_t files = kOthers;
  const auto count = [&](const std::string& path) { files += 1 + std::count(path.begin(), path.end(), '/'); };
  for (const std::string& path : command.hidden) count(path);
  for (const launcher::Guard& guard : command.guards) count(guard.path);
  return files;
}

// Bytes that a shared mapping without a file may take, and is counted as. A command may have some 250 of them at most.
int64_t SharedMappingBytes(const CommandLimits& limits) {
  constexpr int64_t kMost = 256;
  return std::max(limits.max_memory_bytes / kMost, int64_t{1} << 20);
}

}  // namespace

SandboxedCommand::~SandboxedCommand() {
  if (running_ != nullptr) {
    if (!running_->ending().has_value()) StopAndWait();
    sandbox_.running_.fetch_sub(1, std::memory_order_relaxed);
  }
  if (!scratch_.empty()) RemoveTree(scratch_);
}

Ending SandboxedCommand::StopAndWait() {
  sandbox_.supervisor_->Stop(*running_);
  for (;;) {
    running_->Take();
    if (const std::optional<Ending> ending = running_->ending(); ending.has_value()) return *ending;
    running_->news().WaitAside();
  }
}

Sandbox::Sandbox(Options options, std::unique_ptr<ControlGroups> groups, Descriptor launcher, Descriptor filter,
                 std::unique_ptr<Supervisor> supervisor)
    : options_(std::move(options)),
      groups_(std::move(groups)),
      view_(options_.bubblewrap),
      launcher_(std::move(launcher)),
      filter_(std::move(filter)),
      supervisor_(std::move(supervisor)) {}

Sandbox::~Sandbox() {
  if (!own_folder_.empty()) RemoveTree(own_folder_);
}

absl::StatusOr<std::unique_ptr<Sandbox>> Sandbox::Create(Options options) {
  if (access(options.bubblewrap.c_str(), X_OK) != 0) {
    return Missing(absl::StrCat("there is no program ", options.bubblewrap, "; install Debian's package bubblewrap"));
  }
  AllowDescriptors(options.max_running);
  if (options.groups == Groups::kOff) return CreateWith(options, nullptr);
  absl::StatusOr<std::unique_ptr<ControlGroups>> groups =
      ControlGroups::Open({.only_delegated = options.groups == Groups::kAuto});
  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox =
      groups.ok() ? CreateWith(options, *std::move(groups)) : Missing(std::string(groups.status().message()));
  if (sandbox.ok() || options.groups == Groups::kRequire) return sandbox;
  return CreateWith(options, nullptr);
}

absl::StatusOr<std::unique_ptr<Sandbox>> Sandbox::CreateWith(const Options& options,
                                                             std::unique_ptr<ControlGroups> groups) {
  ASSIGN_OR_RETURN(Descriptor launcher, OpenLauncher());
  const auto shared =
      groups == nullptr ? std::optional<int64_t>(SharedMappingBytes(options.limits)) : std::optional<int64_t>();
  ASSIGN_OR_RETURN(const std::string program, CompileSeccompFilter(shared));
  ASSIGN_OR_RETURN(Descriptor filter, MakeMemoryFile("seccomp", program));
  ASSIGN_OR_RETURN(std::unique_ptr<Supervisor> supervisor, Supervisor::Create());
  std::unique_ptr<Sandbox> sandbox(
      new Sandbox(options, std::move(groups), std::move(launcher), std::move(filter), std::move(supervisor)));
  absl::Status probed = absl::OkStatus();
  if (options.scratch != Scratch::kDisk) {
    probed = sandbox->Probe(/*on_disk=*/false);
    if (probed.ok()) return sandbox;
  }
  if (options.scratch != Scratch::kMemory && !options.scratch_folder.empty()) {
    probed = sandbox->Probe(/*on_disk=*/true);
    if (probed.ok()) return sandbox;
  }
  return Missing(probed.ok() ? "there is no data directory for its scratch space" : std::string(probed.message()));
}

absl::Status Sandbox::Probe(bool on_disk) {
  on_disk_ = on_disk;
  if (on_disk) RETURN_IF_ERROR(PrepareDisk());
  std::string path;
  absl::StatusOr<Descriptor> folder = MakeProbeFolder(path);
  if (!folder.ok()) return folder.status();
  Command command;
  command.workspace = folder->get();
  command.text = kProbe;
  command.timeout = kProbeTime;
  absl::StatusOr<std::unique_ptr<SandboxedCommand>> started = Start(command);
  std::string output;
  const Ending ending = started.ok() ? WaitFor(**started, output) : Ending{started.status()};
  RemoveTree(path);
  RETURN_IF_ERROR(ending.built);
  if (ending.exit_code == 0 && !ending.stopped && ending.cause == launcher::Cause::kNone) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("a trial command failed: ", output));
}

absl::Status Sandbox::PrepareDisk() {
  std::error_code failed;
  std::filesystem::create_directories(options_.scratch_folder, failed);
  if (failed) {
    return absl::UnavailableError(absl::StrCat("cannot make ", options_.scratch_folder, ": ", failed.message()));
  }
  chmod(options_.scratch_folder.c_str(), 0700);
  for (const auto& entry : std::filesystem::directory_iterator(options_.scratch_folder, failed)) {
    if (Lock(entry.path().string()).valid()) RemoveTree(entry.path().string());
  }
  std::string name = absl::StrCat(options_.scratch_folder, "/XXXXXX");
  if (mkdtemp(name.data()) == nullptr) return absl::ErrnoToStatus(errno, "cannot make a folder for scratch space");
  own_folder_ = std::move(name);
  own_lock_ = Lock(own_folder_);
  return own_lock_.valid() ? absl::OkStatus() : absl::UnavailableError("cannot lock the folder for scratch space");
}

absl::StatusOr<std::string> Sandbox::MakeScratch() {
  if (!on_disk_) return std::string();
  std::string path = absl::StrCat(own_folder_, "/", next_scratch_.fetch_add(1));
  if (mkdir(path.c_str(), 0755) != 0 || chmod(path.c_str(), 0755) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a folder for scratch space");
  }
  return path;
}

// Files in memory are the command's too, and have bounds of their own.
absl::StatusOr<std::unique_ptr<ControlGroup>> Sandbox::MakeGroup() const {
  if (!has_groups()) return nullptr;
  const CommandLimits& limits = options_.limits;
  const int64_t files =
      limits.max_temporary_bytes + launcher::kSharedMemoryBytes + (on_disk_ ? 0 : limits.max_changed_bytes);
  return groups_->Make({.max_memory_bytes = limits.max_memory_bytes + files, .max_processes = limits.max_processes});
}

std::string Sandbox::MakeJob(const Command& command, const std::string& scratch) const {
  const CommandLimits& limits = options_.limits;
  launcher::Job job;
  job.timeout_ms = absl::ToInt64Milliseconds(command.timeout);
  job.max_changed_bytes = limits.max_changed_bytes;
  job.max_changed_files = limits.max_changed_files;
  job.own_files = OwnFiles(command);
  job.max_temporary_bytes = limits.max_temporary_bytes;
  job.max_temporary_files = limits.max_temporary_files;
  job.max_memory_bytes = limits.max_memory_bytes;
  job.shared_mapping_bytes = SharedMappingBytes(limits);
  job.has_group = has_groups() ? 1 : 0;
  job.max_cpu_seconds = absl::ToInt64Seconds(absl::Ceil(limits.max_cpu, absl::Seconds(1)));
  job.max_processes = limits.max_processes;
  job.max_file_bytes = limits.max_file_bytes;
  job.max_open_files = limits.max_open_files;
  return launcher::EncodeJob(
      job, {scratch, command.hidden, command.guards, view_.etc_files(), view_.Arguments(command.cwd, command.text)});
}

absl::StatusOr<std::unique_ptr<SandboxedCommand>> Sandbox::Start(const Command& command) {
  if (command.text.find('\0') != std::string::npos || command.text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a command has no zero bytes, and at most ", kMaxTextBytes, " bytes"));
  }
  if (running_.fetch_add(1, std::memory_order_relaxed) >= options_.max_running) {
    running_.fetch_sub(1, std::memory_order_relaxed);
    return absl::ResourceExhaustedError(absl::StrCat(options_.max_running, " shell commands run already"));
  }
  absl::StatusOr<std::unique_ptr<SandboxedCommand>> started = Launch(command);
  if (!started.ok()) running_.fetch_sub(1, std::memory_order_relaxed);
  return started;
}

absl::StatusOr<std::unique_ptr<SandboxedCommand>> Sandbox::Launch(const Command& command) {
  ASSIGN_OR_RETURN(std::string scratch, MakeScratch());
  std::unique_ptr<SandboxedCommand> started(new SandboxedCommand(*this, std::move(scratch)));
  ASSIGN_OR_RETURN(started->group_, MakeGroup());
  const int group = started->group_ == nullptr ? -1 : started->group_->folder();
  ASSIGN_OR_RETURN(started->running_,
                   supervisor_->Start({launcher_.get(), command.workspace, MakeJob(command, started->scratch_),
                                       filter_.get(), group, View::Environment()}));
  return started;
}

}  // namespace toolgate::executors::shell::sandbox
