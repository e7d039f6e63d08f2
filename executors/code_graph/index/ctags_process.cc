#include "executors/code_graph/index/ctags_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/json_parser.h"
#include "common/status_macros.h"

namespace toolgate::executors::code_graph::index {
namespace {

constexpr std::array<const char*, 4> kUsualPlaces = {"/usr/bin/ctags-universal", "/usr/bin/ctags",
                                                     "/usr/local/bin/ctags-universal", "/usr/local/bin/ctags"};

// Data rather than code, and, for those over XML, a library that would open what a document names.
constexpr char kLanguages[] =
    "--languages=-JSON,XML,Ant,DBusIntrospect,Glade,Maven2,PlistXML,RelaxNG,SVG,XSLT,Yaml,Diff,Man,Passwd,Iniconf,HTML,"
    "CSS,SCSS";

constexpr std::array<const char*, 9> kArguments = {
    "--options=NONE",  // First: no option files.
    "--_interactive=sandbox",
    "--output-format=json",
    "--sort=no",
    "--fields=NneKzlSsZrpiE-P-F-T-t-a-f-x-o-m-C-R-k",
    "--extras=+r",
    "--kinds-C=+p",
    "--kinds-C++=+p",
    kLanguages,
};

constexpr rlim_t kMaxOpenFiles = 16;
constexpr int kNiceness = 5;
constexpr absl::Duration kAskEvery = absl::Milliseconds(100);

absl::Status SystemError(std::string_view doing, int error) {
  return absl::InternalError(absl::StrCat(ToAbsl(doing), ": ", std::strerror(error)));
}

// Starts `program` with `fd` as its standard input and output and nothing else of ours.
absl::StatusOr<pid_t> Spawn(const std::string& program, const std::vector<const char*>& arguments, int fd) {
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const char* argument : arguments) argv.push_back(const_cast<char*>(argument));
  argv.push_back(nullptr);
  std::array<char*, 1> environment = {nullptr};

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addchdir_np(&actions, "/");
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);

  pid_t pid = -1;
  const int error = posix_spawn(&pid, program.c_str(), &actions, &attributes, argv.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return SystemError(absl::StrCat("starting ", program), error);
  return pid;
}

void Bound(pid_t pid, __rlimit_resource resource, rlim_t most) {
  const rlimit limit = {most, most};
  prlimit(pid, resource, &limit, nullptr);
}

// Output of `program --list-features`; nothing when it cannot be run.
std::optional<std::string> ListFeatures(const std::string& program) {
  std::array<int, 2> pair;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) return std::nullopt;
  const absl::StatusOr<pid_t> pid = Spawn(program, {"--options=NONE", "--list-features"}, pair[1]);
  close(pair[1]);
  std::string text;
  std::array<char, 4096> buffer;
  while (pid.ok() && text.size() < 65'536) {
    const ssize_t got = read(pair[0], buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  close(pair[0]);
  if (!pid.ok()) return std::nullopt;
  kill(*pid, SIGKILL);
  waitpid(*pid, nullptr, 0);
  return text;
}

// Of the features, the first that is missing; empty when all are there.
std::string_view MissingFeature(std::string_view features) {
  for (const std::string_view feature : {"interactive", "json", "sandbox"}) {
    if (features.find(feature) == std::string_view::npos) return feature;
  }
  return "";
}

std::string TextOf(const simdjson::dom::object& object, const char* key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

int IntegerOf(const simdjson::dom::object& object, const char* key) {
  int64_t number = 0;
  return object[key].get(number) == simdjson::SUCCESS ? static_cast<int>(std::clamp<int64_t>(number, 0, 1 << 30)) : 0;
}

Tag ToTag(const simdjson::dom::object& object) {
  Tag tag;
  tag.name = TextOf(object, "name");
  tag.language = TextOf(object, "language");
  tag.kind = TextOf(object, "kind");
  tag.scope = TextOf(object, "scope");
  tag.scope_kind = TextOf(object, "scopeKind");
  tag.signature = TextOf(object, "signature");
  tag.inherits = TextOf(object, "inherits");
  tag.nameref = TextOf(object, "nameref");
  tag.roles = TextOf(object, "roles");
  tag.line = IntegerOf(object, "line");
  tag.end = IntegerOf(object, "end");
  tag.file_scope = TextOf(object, "extras").find("fileScope") != std::string::npos;
  return tag;
}

}  // namespace

absl::StatusOr<std::string> FindCtags(const std::string& configured) {
  std::vector<std::string> places;
  if (configured.empty()) {
    places.assign(kUsualPlaces.begin(), kUsualPlaces.end());
  } else {
    places.push_back(configured);
  }
  std::string lacking;
  for (const std::string& place : places) {
    if (access(place.c_str(), X_OK) != 0) continue;
    const std::optional<std::string> features = ListFeatures(place);
    const std::string_view missing = MissingFeature(features.value_or(""));
    if (missing.empty()) return place;
    if (lacking.empty()) {
      lacking = absl::StrCat(place, " is not a universal-ctags with the feature \"", ToAbsl(missing), "\"");
    }
  }
  if (!lacking.empty()) return absl::FailedPreconditionError(lacking);
  return absl::FailedPreconditionError(configured.empty()
                                           ? "this host has no universal-ctags: install the package "
                                             "universal-ctags or set code_graph.ctags"
                                           : absl::StrCat("code_graph.ctags: there is no program ", configured));
}

absl::StatusOr<std::unique_ptr<CtagsProcess>> CtagsProcess::Start(const std::string& program,
                                                                  const CtagsLimits& limits) {
  std::array<int, 2> pair;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) return SystemError("socketpair", errno);
  fcntl(pair[0], F_SETFL, O_NONBLOCK);
  const std::vector<const char*> arguments(kArguments.begin(), kArguments.end());
  const absl::StatusOr<pid_t> pid = Spawn(program, arguments, pair[1]);
  close(pair[1]);
  if (!pid.ok()) {
    close(pair[0]);
    return pid.status();
  }
  // It is given nothing of a file before these hold.
  Bound(*pid, RLIMIT_AS, limits.max_memory_bytes);
  Bound(*pid, RLIMIT_CORE, 0);
  Bound(*pid, RLIMIT_FSIZE, 0);
  Bound(*pid, RLIMIT_NOFILE, kMaxOpenFiles);
  setpriority(PRIO_PROCESS, static_cast<id_t>(*pid), kNiceness);
  return std::unique_ptr<CtagsProcess>(new CtagsProcess(*pid, pair[0], limits));
}

CtagsProcess::~CtagsProcess() {
  close(fd_);
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// Sends one request, and reads its answer meanwhile: either side may be full.
class CtagsProcess::Exchange {
 public:
  Exchange(CtagsProcess& process, std::string_view file_name, std::string_view content,
           const std::function<bool()>& may_go_on)
      : process_(process), content_(content), may_go_on_(may_go_on), deadline_(Now() + process.limits_.max_time) {
    head_ = "{\"command\":\"generate-tags\",\"filename\":";
    AppendJsonString(Plain(file_name), head_);
    absl::StrAppend(&head_, ",\"size\":", content.size(), "}\n");
  }

  absl::StatusOr<std::vector<Tag>> Run() {
    while (!completed_ || sent_ < total()) {
      ASSIGN_OR_RETURN(const short ready, Await());
      if ((ready & POLLOUT) != 0) RETURN_IF_ERROR(Send());
      if ((ready & (POLLIN | POLLHUP | POLLERR)) != 0) RETURN_IF_ERROR(Receive());
    }
    return std::move(tags_);
  }

 private:
  // Without control characters, some of which universal-ctags does not take in a name.
  static std::string Plain(std::string_view file_name) {
    std::string plain(file_name);
    for (char& c : plain) {
      if (static_cast<unsigned char>(c) < ' ') c = '_';
    }
    return plain;
  }
  static absl::Duration Now() { return Clock::Real().Monotonic(); }
  size_t total() const { return head_.size() + content_.size(); }

  absl::StatusOr<short> Await() const {
    const absl::Duration left = deadline_ - Now();
    if (left <= absl::ZeroDuration()) return absl::DeadlineExceededError("universal-ctags takes too long");
    if (!may_go_on_()) return absl::CancelledError("the service is stopping");
    pollfd entry = {process_.fd_, POLLIN, 0};
    if (sent_ < total()) entry.events |= POLLOUT;
    const absl::Duration wait = std::min(left, kAskEvery);
    const int found = poll(&entry, 1, static_cast<int>(absl::ToInt64Milliseconds(wait)) + 1);
    if (found < 0 && errno != EINTR) return SystemError("poll", errno);
    return found > 0 ? entry.revents : short{0};
  }

  absl::Status Send() {
    const std::string_view part =
        sent_ < head_.size() ? std::string_view(head_).substr(sent_) : content_.substr(sent_ - head_.size());
    const ssize_t done = send(process_.fd_, part.data(), part.size(), MSG_NOSIGNAL);
    if (done >= 0) {
      sent_ += static_cast<size_t>(done);
    } else if (errno != EAGAIN && errno != EINTR) {
      return Ended();
    }
    return absl::OkStatus();
  }

  absl::Status Receive() {
    std::array<char, 65'536> buffer;
    const ssize_t got = recv(process_.fd_, buffer.data(), buffer.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return absl::OkStatus();
    if (got <= 0) return Ended();
    received_ += static_cast<size_t>(got);
    if (received_ > process_.limits_.max_output_bytes) {
      return absl::ResourceExhaustedError("universal-ctags finds too many tags");
    }
    process_.unread_.append(buffer.data(), static_cast<size_t>(got));
    TakeLines();
    return absl::OkStatus();
  }

  void TakeLines() {
    std::string& unread = process_.unread_;
    size_t begin = 0;
    for (size_t end; !completed_ && (end = unread.find('\n', begin)) != std::string::npos; begin = end + 1) {
      TakeLine(std::string_view(unread).substr(begin, end - begin));
    }
    unread.erase(0, begin);
  }

  void TakeLine(std::string_view line) {
    thread_local simdjson::dom::parser kept;
    std::optional<simdjson::dom::parser> passing;
    simdjson::dom::object object;
    if (ParserFor(line, kept, passing).parse(line.data(), line.size()).get(object) != simdjson::SUCCESS) return;
    const std::string type = TextOf(object, "_type");
    if (type == "completed") completed_ = true;
    if (type != "tag") return;
    Tag tag = ToTag(object);
    if (!tag.name.empty() && tag.line > 0) tags_.push_back(std::move(tag));
  }

  static absl::Status Ended() { return absl::AbortedError("universal-ctags ended"); }

  CtagsProcess& process_;
  const std::string_view content_;
  const std::function<bool()>& may_go_on_;
  const absl::Duration deadline_;
  std::string head_;
  size_t sent_ = 0;
  size_t received_ = 0;
  bool completed_ = false;
  std::vector<Tag> tags_;
};

absl::StatusOr<std::vector<Tag>> CtagsProcess::Parse(std::string_view file_name, std::string_view content,
                                                     const std::function<bool()>& may_go_on) {
  return Exchange(*this, file_name, content, may_go_on).Run();
}

}  // namespace toolgate::executors::code_graph::index
