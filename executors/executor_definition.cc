#include "executors/executor_definition.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/http/http_url.h"

namespace toolgate::executors {
namespace {

constexpr std::array<std::pair<std::string_view, ExecutorKind>, 5> kKinds = {{
    {"native", ExecutorKind::kNative},
    {"http", ExecutorKind::kHttp},
    {"grpc", ExecutorKind::kGrpc},
    {"mcp", ExecutorKind::kMcp},
    {"process", ExecutorKind::kProcess},
}};
enum class Method { kGet, kPost, kPut, kPatch, kDelete };
constexpr std::array<std::pair<std::string_view, Method>, 5> kMethods = {{
    {"GET", Method::kGet},
    {"POST", Method::kPost},
    {"PUT", Method::kPut},
    {"PATCH", Method::kPatch},
    {"DELETE", Method::kDelete},
}};

constexpr int64_t kMaxTokens = 1'000'000'000;
constexpr std::string_view kDigestPrefix = "sha256:";

// Members that every kind may have, and the additional ones of each kind.
std::vector<std::string_view> MembersOf(ExecutorKind kind) {
  std::vector<std::string_view> members = {"kind", "provider", "tokensPerCall"};
  const auto add = [&](std::initializer_list<std::string_view> more) {
    members.insert(members.end(), more.begin(), more.end());
  };
  switch (kind) {
    case ExecutorKind::kNative:
      add({"internal", "inline"});
      return members;
    case ExecutorKind::kHttp:
      add({"method", "url", "headers", "credentials"});
      break;
    case ExecutorKind::kGrpc:
      add({"target", "method", "credentials"});
      break;
    case ExecutorKind::kMcp:
      add({"server", "tool", "digest"});
      break;
    case ExecutorKind::kProcess:
      add({"command"});
      break;
  }
  add({"undo"});
  return members;
}

void ReadName(MemberReader& reader, std::string_view member, std::string& target) {
  if (reader.Find(member) == nullptr) return;
  target = reader.String(member);
  if (!IsToolId(target)) reader.Fail(member, "must be a name of 1 to 64 of the characters A-Z a-z 0-9 _ - .");
}

void ReadTokens(MemberReader& reader) {
  const Json* tokens = reader.Find("tokensPerCall");
  if (tokens == nullptr) return;
  if (!tokens->is_number_integer() || *tokens < 0 || *tokens > kMaxTokens) {
    reader.Fail("tokensPerCall", "must be a whole number from 0 to 1000000000");
  }
}

void CheckUrl(MemberReader& reader) {
  const std::string url = reader.String("url");
  const size_t host = url.find("://");
  const bool known = http::HasHttpScheme(url);
  const size_t path = known ? url.find_first_of("/?#", host + 3) : std::string::npos;
  const std::string authority = known ? url.substr(host + 3, path == std::string::npos ? path : path - host - 3) : "";
  if (authority.empty() || url.find_first_of(" \t\r\n") != std::string::npos) {
    return reader.Fail("url", "must be an address such as \"https://api.example.com/contacts/{id}\"");
  }
  // A model must not be able to choose the target of a call, and definitions must not contain secrets.
  if (authority.find_first_of("{}@") != std::string::npos) {
    reader.Fail("url", "must name its host itself, without arguments and without user or password");
  }
}

void ReadHttp(std::string_view path, MemberReader& reader) {
  static_cast<void>(reader.OneOf("method", kMethods));
  CheckUrl(reader);
  const Json* headers = reader.Find("headers");
  if (headers == nullptr) return;
  if (!headers->is_object()) return reader.Fail("headers", "must be an object of texts");
  MemberReader inner(path, "/executor/headers", *headers);
  for (const auto& header : headers->get_ref<const Json::object_t&>()) {
    static_cast<void>(inner.String(header.first));
    if (absl::EqualsIgnoreCase(header.first, "authorization") || absl::EqualsIgnoreCase(header.first, "cookie")) {
      inner.Fail(header.first, "is a secret, which has no place in a definition; name \"credentials\" instead");
    }
  }
  reader.Fail(inner.status());
}

void ReadGrpc(MemberReader& reader) {
  static_cast<void>(reader.String("target"));
  const std::string method = reader.String("method");
  const std::vector<std::string> parts = absl::StrSplit(method, '/');
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty() || method.find(' ') != std::string::npos) {
    reader.Fail("method", "must be of the form \"package.Service/Method\"");
  }
}

void ReadMcp(MemberReader& reader) {
  std::string server;
  reader.Require("server", "the name of an upstream MCP server");
  ReadName(reader, "server", server);
  static_cast<void>(reader.String("tool"));
  const std::string digest = reader.String("digest");
  const std::string_view hex = std::string_view(digest).substr(std::min(kDigestPrefix.size(), digest.size()));
  const bool is_hex =
      std::all_of(hex.begin(), hex.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (!digest.starts_with(kDigestPrefix) || hex.size() != 64 || !is_hex) {
    reader.Fail("digest", "must be \"sha256:\" and 64 hexadecimal digits: of the upstream's definition as approved");
  }
}

void ReadProcess(MemberReader& reader) {
  const Json* command = reader.Require("command", "an array of the program and its arguments");
  if (command == nullptr) return;
  const bool texts = command->is_array() && !command->empty() &&
                     std::all_of(command->begin(), command->end(), [](const Json& part) { return part.is_string(); });
  if (!texts || !(*command)[0].get_ref<const std::string&>().starts_with('/')) {
    reader.Fail("command", "must be an array of texts that begins with a program's absolute path");
  }
}

void ReadUndo(std::string_view path, MemberReader& reader) {
  const Json* undo = reader.Find("undo");
  if (undo == nullptr) return;
  MemberReader inner(path, "/executor/undo", *undo);
  inner.AllowOnly(std::array<std::string_view, 2>{"tool", "arguments"});
  if (inner.status().ok() && !IsToolId(inner.String("tool"))) {
    inner.Fail("tool", "must be the id of the tool that takes the call back");
  }
  const Json* arguments = inner.Require("arguments", "an object, which may hold {{arguments.…}} and {{result.…}}");
  if (arguments != nullptr && !arguments->is_object()) inner.Fail("arguments", "must be an object");
  reader.Fail(inner.status());
}

}  // namespace

void ReadExecutor(std::string_view path, MemberReader& reader, ToolDefinition& definition) {
  const Json* executor = reader.Require("executor", "an object with the member \"kind\"");
  if (executor == nullptr) return;
  MemberReader inner(path, "/executor", *executor);
  definition.executor = *executor;
  if (inner.status().ok()) definition.kind = inner.OneOf("kind", kKinds);
  if (inner.status().ok()) {
    inner.AllowOnly(MembersOf(definition.kind));
    ReadName(inner, "provider", definition.provider);
    ReadTokens(inner);
    inner.Bool("internal", definition.internal);
    inner.Bool("inline", definition.inline_reads);
    std::string credentials;
    ReadName(inner, "credentials", credentials);
    ReadUndo(path, inner);
  }
  if (inner.status().ok()) {
    switch (definition.kind) {
      case ExecutorKind::kNative:
        break;
      case ExecutorKind::kHttp:
        ReadHttp(path, inner);
        break;
      case ExecutorKind::kGrpc:
        ReadGrpc(inner);
        break;
      case ExecutorKind::kMcp:
        ReadMcp(inner);
        break;
      case ExecutorKind::kProcess:
        ReadProcess(inner);
        break;
    }
  }
  reader.Fail(inner.status());
}

void CheckExecutor(MemberReader& reader, const ToolDefinition& definition) {
  if (!reader.status().ok() || definition.kind == ExecutorKind::kNative) return;
  const bool is_remote = definition.kind != ExecutorKind::kProcess;
  if (is_remote && definition.provider.empty()) {
    reader.Fail("executor", "must name a \"provider\": its limits and its circuit breaker go by that name");
  }
  if (is_remote && !definition.annotations.open_world) {
    reader.Fail("annotations", "must say openWorld: true, because the executor reaches outside of the workspace");
  }
  if (definition.annotations.reversible && !definition.annotations.read_only && !definition.executor.contains("undo")) {
    reader.Fail("annotations",
                "must say reversible: false, or the executor must name an \"undo\": nothing else takes the call back");
  }
}

std::string_view ExecutorKindName(ExecutorKind kind) {
  for (const auto& [name, value] : kKinds) {
    if (value == kind) return name;
  }
  return "";
}

}  // namespace toolgate::executors
