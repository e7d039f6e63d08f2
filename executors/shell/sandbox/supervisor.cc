#include "executors/shell/sandbox/supervisor.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/status_macros.h"
#include "executors/shell/launcher/job.h"
#include "executors/shell/sandbox/memory_file.h"

namespace toolgate::executors::shell::sandbox {
namespace {

// How long a launcher may take to end after Stop, in rounds of a hundred milliseconds, before it is killed.
constexpr int kRoundMilliseconds = 100;
constexpr int64_t kPatience = 20;

absl::Status Unavailable(const char* attempt, int error) {
  return absl::UnavailableError(absl::StrCat("cannot ", attempt, ": ", std::strerror(error)));
}

struct Pair {
  Descriptor ours;
  Descriptor theirs;
};

absl::StatusOr<Pair> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Unavailable("make a pipe", errno);
  Pair pair{Descriptor(ends[0]), Descriptor(ends[1])};
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return pair;
}

absl::StatusOr<Pair> MakeControl() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return Unavailable("make a socket", errno);
  return Pair{Descriptor(ends[0]), Descriptor(ends[1])};
}

// The descriptors of a new process: `from` becomes `to`. No other one is left open.
class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  void Give(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }
  void CloseFrom(int first) { posix_spawn_file_actions_addclosefrom_np(&actions_, first); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// All signals as they are by default, in a session of its own.
class Attributes {
 public:
  Attributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

// `descriptors[i]` becomes descriptor i of the process. None of them may be a number below their count.
absl::StatusOr<pid_t> Spawn(const std::vector<int>& descriptors, const std::vector<std::string>& environment) {
  FileActions actions;
  for (size_t i = 0; i < descriptors.size(); ++i) actions.Give(descriptors[i], static_cast<int>(i));
  actions.CloseFrom(static_cast<int>(descriptors.size()));
  const Attributes attributes;
  std::string program = absl::StrCat("/proc/self/fd/", launcher::kLauncherFd);
  std::array<char*, 2> arguments = {program.data(), nullptr};
  std::vector<char*> variables;
  variables.reserve(environment.size() + 1);
  for (const std::string& variable : environment) variables.push_back(const_cast<char*>(variable.c_str()));
  variables.push_back(nullptr);
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, program.c_str(), actions.get(), attributes.get(), arguments.data(), variables.data());
  if (error != 0) return Unavailable("start the sandbox's launcher", error);
  return pid;
}

// A copy of a descriptor above those that a launcher is given, so that none is overwritten before it is given.
absl::StatusOr<Descriptor> Lift(int descriptor) {
  Descriptor copy(fcntl(descriptor, F_DUPFD_CLOEXEC, 16));
  if (!copy.valid()) return Unavailable("copy a descriptor", errno);
  return copy;
}

// A description of its own of a file in memory, at its beginning.
absl::StatusOr<Descriptor> OpenAgain(int file) {
  Descriptor again(open(absl::StrCat("/proc/self/fd/", file).c_str(), O_RDONLY | O_CLOEXEC));
  if (!again.valid()) return Unavailable("open a file in memory", errno);
  return again;
}

absl::StatusOr<Descriptor> OpenNull() {
  Descriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!null.valid()) return Unavailable("open /dev/null", errno);
  return null;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Supervisor>> Supervisor::Create() {
  Descriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  Descriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll.valid() || !wake.valid()) return Unavailable("make descriptors", errno);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = 0;
  if (epoll_ctl(epoll.get(), EPOLL_CTL_ADD, wake.get(), &event) != 0) return Unavailable("wait for events", errno);
  return std::unique_ptr<Supervisor>(new Supervisor(std::move(epoll), std::move(wake)));
}

Supervisor::Supervisor(Descriptor epoll, Descriptor wake) : epoll_(std::move(epoll)), wake_(std::move(wake)) {}

Supervisor::~Supervisor() {
  std::vector<std::shared_ptr<RunningCommand>> commands;
  std::thread thread;
  {
    const absl::MutexLock lock(&mutex_);
    closing_ = true;
    for (const auto& [id, command] : commands_) commands.push_back(command);
    thread = std::move(thread_);
  }
  for (const auto& command : commands) Stop(*command);
  eventfd_write(wake_.get(), 1);
  if (!thread.joinable()) return;
  // Nobody takes the output any more.
  while (running() > 0) {
    for (const auto& command : commands) command->Take();
    absl::SleepFor(absl::Milliseconds(1));
  }
  eventfd_write(wake_.get(), 1);
  thread.join();
}

absl::StatusOr<std::shared_ptr<RunningCommand>> Supervisor::Start(const Launch& launch) {
  ASSIGN_OR_RETURN(Pair out, MakePipe());
  ASSIGN_OR_RETURN(Pair err, MakePipe());
  ASSIGN_OR_RETURN(Pair control, MakeControl());
  ASSIGN_OR_RETURN(const Descriptor job, MakeMemoryFile("job", launch.job));
  ASSIGN_OR_RETURN(const Descriptor filter, OpenAgain(launch.filter));
  ASSIGN_OR_RETURN(const Descriptor null, OpenNull());
  std::vector<Descriptor> lifted;
  std::vector<int> given;
  for (const int descriptor :
       {null.get(), out.theirs.get(), err.theirs.get(), control.theirs.get(), launch.workspace, job.get(), filter.get(),
        launch.launcher, launch.group < 0 ? null.get() : launch.group}) {
    ASSIGN_OR_RETURN(Descriptor copy, Lift(descriptor));
    given.push_back(copy.get());
    lifted.push_back(std::move(copy));
  }
  const absl::MutexLock lock(&mutex_);
  if (closing_) return absl::UnavailableError("the service is shutting down");
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  ASSIGN_OR_RETURN(const pid_t pid, Spawn(given, launch.environment));
  Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  const bool known = process.valid();
  auto command = std::make_shared<RunningCommand>(
      RunningCommand::Ends{pid, std::move(process), std::move(control.ours), std::move(out.ours), std::move(err.ours)},
      next_id_++, epoll_.get());
  if (!known || !command->Register()) {
    command->Stop();
    waitpid(pid, nullptr, 0);
    return absl::UnavailableError("the system grants no more descriptors for commands");
  }
  commands_.emplace(command->id(), command);
  return command;
}

void Supervisor::Stop(RunningCommand& command) {
  command.Stop();
  const absl::MutexLock lock(&mutex_);
  if (!commands_.contains(command.id())) return;
  stopping_.try_emplace(command.id(), 0);
  eventfd_write(wake_.get(), 1);
}

size_t Supervisor::running() const {
  const absl::MutexLock lock(&mutex_);
  return commands_.size();
}

std::shared_ptr<RunningCommand> Supervisor::Find(uint64_t id) const {
  const absl::MutexLock lock(&mutex_);
  const auto found = commands_.find(id);
  return found == commands_.end() ? nullptr : found->second;
}

void Supervisor::HandleKey(uint64_t key) {
  if (key == 0) {
    eventfd_t unused = 0;
    eventfd_read(wake_.get(), &unused);
    return;
  }
  const std::shared_ptr<RunningCommand> command = Find(RunningCommand::IdOf(key));
  if (command == nullptr) return;
  command->Handle(RunningCommand::SourceOf(key));
  if (!command->IsOver()) return;
  const absl::MutexLock lock(&mutex_);
  commands_.erase(command->id());
  stopping_.erase(command->id());
}

void Supervisor::KillOverdue() {
  const absl::MutexLock lock(&mutex_);
  for (auto& [id, rounds] : stopping_) {
    if (++rounds == kPatience) commands_.at(id)->KillLauncher();
  }
}

void Supervisor::Run() {
  for (;;) {
    int timeout = -1;
    {
      const absl::MutexLock lock(&mutex_);
      if (closing_ && commands_.empty()) return;
      if (!stopping_.empty()) timeout = kRoundMilliseconds;
    }
    std::array<epoll_event, 64> events{};
    const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout);
    for (int i = 0; i < count; ++i) HandleKey(events[static_cast<size_t>(i)].data.u64);
    if (count == 0) KillOverdue();
  }
}

}  // namespace toolgate::executors::shell::sandbox
