#include "common/redis/client.h"

#include <openssl/sha.h>

#include <array>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/absl_bridge.h"
#include "common/clock.h"
#include "common/status_macros.h"

namespace toolgate::redis {
namespace {

constexpr size_t kReadBytes = 16384;
constexpr char kUnknownScript[] = "NOSCRIPT";
constexpr std::string_view kNoEviction = "noeviction";
constexpr std::string_view kPolicyLine = "maxmemory_policy:";

// By which EVALSHA names a script.
std::string DigestOf(std::string_view text) {
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest;
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return absl::BytesToHexString({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

Command RunCommand(const char* name, std::string script, const ScriptRun& run) {
  Command command = {name, std::move(script), absl::StrCat(run.keys.size())};
  command.insert(command.end(), run.keys.begin(), run.keys.end());
  command.insert(command.end(), run.arguments.begin(), run.arguments.end());
  return command;
}

absl::Status Refused(std::string_view what, const Reply& reply) {
  return absl::UnavailableError(absl::StrCat("Redis refuses ", ToAbsl(what), ": ", reply.text));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Client>> Client::Create(Options options) {
  net::TlsContext tls;
  if (options.uses_tls) {
    ASSIGN_OR_RETURN(tls, net::MakeTlsContext(options.tls));
  }
  options.target.tls = tls.get();
  ASSIGN_OR_RETURN(std::unique_ptr<net::SocketWatch> sockets, net::SocketWatch::Create());
  return std::unique_ptr<Client>(new Client(std::move(options), std::move(tls), std::move(sockets)));
}

Client::Client(Options options, net::TlsContext tls, std::unique_ptr<net::SocketWatch> sockets)
    : options_(std::move(options)), tls_(std::move(tls)), sockets_(std::move(sockets)), timer_(Clock::Real()) {}

Client::~Client() {
  absl::MutexLock lock(&mutex_);
  idle_.clear();
}

absl::StatusOr<std::unique_ptr<Client::Connection>> Client::Open(const net::Stream::Patience& patience) {
  auto connection = std::make_unique<Connection>();
  ASSIGN_OR_RETURN(connection->stream, net::Stream::Connect(options_.target, {*sockets_, timer_}, patience));
  if (options_.read_password == nullptr) return connection;
  ASSIGN_OR_RETURN(std::string password, options_.read_password());
  Command login = {"AUTH"};
  if (!options_.user.empty()) login.push_back(options_.user);
  login.push_back(std::move(password));
  ASSIGN_OR_RETURN(const std::vector<Reply> replies, Exchange(*connection, {login}, patience));
  if (replies[0].is_error()) return Refused("the user or the password", replies[0]);
  return connection;
}

std::unique_ptr<Client::Connection> Client::PopIdle() {
  absl::MutexLock lock(&mutex_);
  while (!idle_.empty()) {
    std::unique_ptr<Connection> connection = std::move(idle_.back());
    idle_.pop_back();
    if (!connection->stream->IsStale()) return connection;
  }
  return nullptr;
}

void Client::Keep(std::unique_ptr<Connection> connection) {
  absl::MutexLock lock(&mutex_);
  if (idle_.size() < options_.max_idle) idle_.push_back(std::move(connection));
}

absl::StatusOr<std::vector<Reply>> Client::Exchange(Connection& connection, absl::Span<const Command> commands,
                                                    const net::Stream::Patience& patience) {
  RETURN_IF_ERROR(connection.stream->Write(Encode(commands), patience));
  std::vector<Reply> replies;
  std::array<char, kReadBytes> buffer;
  while (replies.size() < commands.size()) {
    Reply reply;
    ASSIGN_OR_RETURN(const bool whole, connection.replies.Next(reply));
    if (whole) {
      replies.push_back(std::move(reply));
      continue;
    }
    ASSIGN_OR_RETURN(const size_t bytes, connection.stream->Read(absl::MakeSpan(buffer), patience));
    RETURN_IF_ERROR(connection.replies.Feed({buffer.data(), bytes}));
  }
  return replies;
}

absl::StatusOr<std::vector<Reply>> Client::Run(absl::Span<const Command> commands) {
  const net::Stream::Patience patience{never_, Clock::Real().Monotonic() + options_.timeout};
  std::unique_ptr<Connection> connection = PopIdle();
  if (connection == nullptr) {
    ASSIGN_OR_RETURN(connection, Open(patience));
  }
  absl::StatusOr<std::vector<Reply>> replies = Exchange(*connection, commands, patience);
  // One that failed may still get replies to what was asked, and is closed.
  if (replies.ok()) Keep(std::move(connection));
  return replies;
}

absl::StatusOr<std::vector<Reply>> Client::RunScript(const Script& script, absl::Span<const ScriptRun> runs) {
  const std::string digest = DigestOf(script.text);
  std::vector<Command> commands;
  for (const ScriptRun& run : runs) commands.push_back(RunCommand("EVALSHA", digest, run));
  ASSIGN_OR_RETURN(std::vector<Reply> replies, Run(commands));
  std::vector<size_t> unknown;
  commands.clear();
  for (size_t i = 0; i < replies.size(); ++i) {
    if (!replies[i].is_error() || !absl::StartsWith(replies[i].text, kUnknownScript)) continue;
    unknown.push_back(i);
    commands.push_back(RunCommand("EVAL", std::string(script.text), runs[i]));
  }
  if (!unknown.empty()) {
    ASSIGN_OR_RETURN(std::vector<Reply> again, Run(commands));
    for (size_t i = 0; i < unknown.size(); ++i) replies[unknown[i]] = std::move(again[i]);
  }
  for (const Reply& reply : replies) {
    if (reply.is_error()) return Refused(absl::StrCat("the script ", ToAbsl(script.name)), reply);
  }
  return replies;
}

absl::Status Client::CheckHealth() {
  ASSIGN_OR_RETURN(const std::vector<Reply> replies, Run({{"INFO", "memory"}}));
  if (replies[0].is_error()) return Refused("to tell its state", replies[0]);
  for (const absl::string_view line : absl::StrSplit(replies[0].text, '\n')) {
    if (!absl::StartsWith(line, ToAbsl(kPolicyLine))) continue;
    const absl::string_view policy = absl::StripAsciiWhitespace(absl::ClippedSubstr(line, kPolicyLine.size()));
    if (policy == ToAbsl(kNoEviction)) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat("Redis at ", options_.target.ToText(), " has the maxmemory-policy ", policy,
                     ", which forgets limits when its memory is full; set it to noeviction"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("Redis at ", options_.target.ToText(), " does not tell its maxmemory-policy"));
}

}  // namespace toolgate::redis
