#include "executors/shell/sandbox/running_command.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace toolgate::executors::shell::sandbox {
namespace {

using launcher::Report;
using launcher::ReportKind;

constexpr size_t kPieceBytes = size_t{64} << 10;

absl::Status NotBuilt(const Report& report) {
  return absl::UnavailableError(
      absl::StrCat("cannot build a sandbox: ", report.step, ": ", std::strerror(report.value)));
}

int ExitCodeOf(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

// The descriptor that came with a message; -1: none.
int DescriptorOf(msghdr& message) {
  int descriptor = -1;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof(descriptor));
  }
  return descriptor;
}

}  // namespace

RunningCommand::RunningCommand(Ends ends, uint64_t id, int epoll)
    : launcher_(ends.launcher),
      process_(std::move(ends.process)),
      control_(std::move(ends.control)),
      id_(id),
      epoll_(epoll) {
  const absl::MutexLock lock(&mutex_);
  out_.end = std::move(ends.out);
  err_.end = std::move(ends.err);
}

std::vector<OutputPiece> RunningCommand::Take() {
  news_.Reset();
  const absl::MutexLock lock(&mutex_);
  buffered_ = 0;
  for (const Channel channel : {Channel::kStdout, Channel::kStderr}) {
    Pipe& pipe = PipeOf(channel);
    if (pipe.open && std::exchange(pipe.paused, false)) Rearm(channel);
  }
  return std::exchange(pieces_, {});
}

std::optional<Ending> RunningCommand::ending() const {
  const absl::MutexLock lock(&mutex_);
  if (!reaped_ || out_.open || err_.open || !pieces_.empty()) return std::nullopt;
  Ending ending;
  ending.stopped = stopped_ || !report_.has_value();
  if (!report_.has_value()) {
    if (!ready_ && !stopped_) ending.built = absl::UnavailableError("cannot build a sandbox: its launcher died");
    return ending;
  }
  if (report_->kind == ReportKind::kFailed) ending.built = NotBuilt(*report_);
  ending.exit_code = ExitCodeOf(report_->value);
  ending.cause = report_->cause;
  return ending;
}

void RunningCommand::Stop() {
  const absl::MutexLock lock(&mutex_);
  stopped_ = true;
  shutdown(control_.get(), SHUT_RDWR);
}

Descriptor RunningCommand::TakeUpperLayer() {
  const absl::MutexLock lock(&mutex_);
  return std::move(upper_);
}

bool RunningCommand::Register() {
  const absl::MutexLock lock(&mutex_);
  const auto add = [&](int descriptor, Source source) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLONESHOT;
    event.data.u64 = KeyOf(source);
    return epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
  };
  return add(out_.end.get(), Source::kStdout) && add(err_.end.get(), Source::kStderr) &&
         add(process_.get(), Source::kProcess);
}

void RunningCommand::Handle(Source source) {
  if (source == Source::kProcess) return Reap();
  ReadOutput(source == Source::kStdout ? Channel::kStdout : Channel::kStderr);
}

void RunningCommand::KillLauncher() { syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0); }

void RunningCommand::ReadOutput(Channel channel) {
  bool news = false;
  {
    const absl::MutexLock lock(&mutex_);
    Pipe& pipe = PipeOf(channel);
    if (!pipe.open) return;
    std::string bytes(kPieceBytes, '\0');
    const ssize_t size = read(pipe.end.get(), bytes.data(), bytes.size());
    if (size > 0) {
      bytes.resize(static_cast<size_t>(size));
      buffered_ += bytes.size();
      pieces_.push_back({channel, std::move(bytes)});
      news = true;
      pipe.paused = buffered_ >= kMaxBuffered;
      if (!pipe.paused) Rearm(channel);
    } else if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
      pipe.open = false;
      pipe.end = Descriptor();
      news = reaped_;
    } else {
      Rearm(channel);
    }
  }
  if (news) news_.Set();
}

void RunningCommand::ReadReport() {
  const absl::MutexLock lock(&mutex_);
  for (;;) {
    Report report;
    iovec data{&report, sizeof(report)};
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = sizeof(space);
    const ssize_t size = recvmsg(control_.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size != static_cast<ssize_t>(sizeof(report))) return;
    OnReport(report, DescriptorOf(message));
  }
}

void RunningCommand::OnReport(const Report& report, int descriptor) {
  if (report.kind != ReportKind::kReady) {
    if (!report_.has_value()) report_ = report;
    return;
  }
  ready_ = true;
  upper_ = Descriptor(descriptor);
}

void RunningCommand::Reap() {
  siginfo_t ended{};
  if (waitid(P_PIDFD, static_cast<id_t>(process_.get()), &ended, WEXITED | WNOHANG) != 0 || ended.si_pid == 0) return;
  ReadReport();
  {
    const absl::MutexLock lock(&mutex_);
    reaped_ = true;
  }
  news_.Set();
}

bool RunningCommand::IsOver() const {
  const absl::MutexLock lock(&mutex_);
  return reaped_ && !out_.open && !err_.open;
}

void RunningCommand::Rearm(Channel channel) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLONESHOT;
  event.data.u64 = KeyOf(channel == Channel::kStdout ? Source::kStdout : Source::kStderr);
  epoll_ctl(epoll_, EPOLL_CTL_MOD, PipeOf(channel).end.get(), &event);
}

}  // namespace toolgate::executors::shell::sandbox
