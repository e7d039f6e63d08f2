#include "services/http/front_door.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/tool_error.h"

namespace toolgate::services::http {
namespace {

constexpr std::string_view kLiveness = "/healthz";
constexpr std::string_view kReadiness = "/readyz";

Answer Refuse(int http_status, ErrorCode code, std::string_view message) {
  return ErrorAnswer(http_status, MakeError(code, message));
}

// Methods that OPTIONS and 405 name at a place.
std::string AllowedAt(std::vector<std::string> methods) {
  if (std::find(methods.begin(), methods.end(), "GET") != methods.end()) methods.emplace_back("HEAD");
  methods.emplace_back("OPTIONS");
  return absl::StrJoin(methods, ", ");
}

bool MayHaveBody(const RequestHead& head) {
  if (!head.transfer_encodings.empty()) return true;
  return !head.content_lengths.empty() && head.content_lengths.front() != "0";
}

// Two ways to tell where a request ends, of which a proxy in front may have taken the other one.
bool IsAmbiguous(const RequestHead& head) {
  const size_t lengths = head.content_lengths.size() + head.transfer_encodings.size();
  return lengths > 1 || head.hosts.size() > 1 || head.content_types.size() > 1;
}

// By anything but its length or its last chunk, a body would end with the connection.
bool IsOfOtherTransferCoding(const RequestHead& head) {
  return !head.transfer_encodings.empty() && !absl::EqualsIgnoreCase(head.transfer_encodings.front(), "chunked");
}

bool IsEncoded(const RequestHead& head) {
  return std::any_of(head.content_encodings.begin(), head.content_encodings.end(), [](const std::string& coding) {
    return !coding.empty() && !absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(coding), "identity");
  });
}

// Refuses a request behind which no one knows where the next one begins.
Answer RefuseAndClose(int http_status, std::string_view message) {
  Answer answer = Refuse(http_status, ErrorCode::kInvalidParams, message);
  answer.headers.emplace_back("Connection", "close");
  answer.at_once = true;
  return answer;
}

bool IsJson(const RequestHead& head) {
  if (head.content_types.size() != 1) return false;
  const std::vector<std::string> parts = absl::StrSplit(head.content_types.front(), ';');
  return absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(parts.front()), "application/json");
}

// The index of health, and behind it that of "other".
size_t HealthLabel() { return Routes().size(); }

}  // namespace

const std::vector<std::string>& FrontDoor::Labels() {
  static const auto* const labels = [] {
    auto* all = new std::vector<std::string>;
    for (const Route& route : Routes()) all->push_back(absl::StrCat(ToAbsl(route.method), " ", ToAbsl(route.path)));
    all->emplace_back("GET /healthz, /readyz");
    all->emplace_back("other");
    return all;
  }();
  return *labels;
}

Admission FrontDoor::Admit(const RequestHead& head) const {
  Admission admission;
  admission.label = HealthLabel() + 1;
  admission.answer = AnswerWithoutCall(head, admission);
  if (admission.answer.has_value()) {
    auto& headers = admission.answer->headers;
    headers.insert(headers.end(), admission.headers.begin(), admission.headers.end());
  }
  return admission;
}

std::optional<Answer> FrontDoor::AnswerWithoutCall(const RequestHead& head, Admission& admission) const {
  if (auto refusal = CheckHead(head); refusal.has_value()) return refusal;
  if (head.path == kLiveness || head.path == kReadiness) {
    admission.label = HealthLabel();
    return Health(head);
  }
  if (auto refusal = CheckOrigin(head, admission); refusal.has_value()) return refusal;
  if (draining_) return Refuse(503, ErrorCode::kOverloaded, "the service is shutting down");
  if (auto answer = FindCall(head, admission); answer.has_value()) return answer;
  return CheckBody(head, Routes()[admission.route.index]);
}

std::optional<Answer> FrontDoor::CheckHead(const RequestHead& head) const {
  if (!head.is_plain) {
    return RefuseAndClose(
        400,
        "the head of the request is not well-formed: write each header in one line, names right before "
        "their colons, no control characters, and CR LF behind each line");
  }
  if (head.header_bytes > limits_.max_header_bytes) {
    return Refuse(431, ErrorCode::kInvalidParams,
                  absl::StrCat("the headers are too long; ", limits_.max_header_bytes, " bytes are taken at most"));
  }
  if (IsAmbiguous(head)) {
    return RefuseAndClose(400, "the request has two lengths, hosts or content types; send one of each at most");
  }
  if (IsOfOtherTransferCoding(head)) return RefuseAndClose(400, "Transfer-Encoding is chunked, or absent");
  return std::nullopt;
}

std::optional<Answer> FrontDoor::FindCall(const RequestHead& head, Admission& admission) {
  PathMatch found = FindRoute(head.method, head.path);
  if (found.methods.empty()) {
    return Refuse(404, ErrorCode::kNotFound, "there is nothing at this path; docs/http.md lists the paths");
  }
  if (head.method == "OPTIONS") return Options(head, found.methods);
  if (!found.route.has_value()) {
    const std::string allowed = AllowedAt(found.methods);
    Answer answer = Refuse(405, ErrorCode::kInvalidParams, absl::StrCat("this path takes ", allowed));
    answer.headers.emplace_back("Allow", allowed);
    return answer;
  }
  admission.route = *std::move(found.route);
  if (head.WantsEvents()) admission.route.index = StreamingTwin(admission.route.index);
  admission.label = admission.route.index;
  return std::nullopt;
}

Answer FrontDoor::TooLong() const {
  return Refuse(413, ErrorCode::kInvalidParams,
                absl::StrCat("the body is too long; ", limits_.max_body_bytes,
                             " bytes are taken at most (http.max_body_bytes), and less of a tool's arguments "
                             "(param_validation.max_bytes); send long content in parts"));
}

std::optional<Answer> FrontDoor::CheckOrigin(const RequestHead& head, Admission& admission) const {
  switch (origins_.Judge(head)) {
    case OriginRules::Verdict::kFine:
      return std::nullopt;
    case OriginRules::Verdict::kAllowedOrigin:
      admission.headers = {{"Access-Control-Allow-Origin", head.origins.front()},
                           {"Access-Control-Expose-Headers", "Retry-After, WWW-Authenticate"},
                           {"Vary", "Origin"}};
      return std::nullopt;
    case OriginRules::Verdict::kForeignOrigin:
      return Refuse(403, ErrorCode::kForbidden,
                    "requests of pages of this origin are not taken; http.allowed_origins lists those that are");
    case OriginRules::Verdict::kForeignHost:
      break;
  }
  return Refuse(403, ErrorCode::kForbidden,
                "the Host header is no loopback name; without credentials only those and http.allowed_hosts are "
                "answered");
}

Answer FrontDoor::Health(const RequestHead& head) const {
  if (head.method != "GET" && head.method != "HEAD") {
    Answer answer = Refuse(405, ErrorCode::kInvalidParams, "health takes GET");
    answer.headers.emplace_back("Allow", "GET, HEAD");
    return answer;
  }
  const bool serving = head.path == kLiveness || (ready_ && !draining_);
  Answer answer;
  answer.status = serving ? 200 : 503;
  answer.body = serving ? R"({"status":"SERVING"})" : R"({"status":"NOT_SERVING"})";
  return answer;
}

Answer FrontDoor::Options(const RequestHead& head, const std::vector<std::string>& methods) {
  Answer answer;
  answer.status = 204;
  answer.headers.emplace_back("Allow", AllowedAt(methods));
  if (!head.IsPreflight()) return answer;
  answer.headers.emplace_back("Access-Control-Allow-Methods", absl::StrJoin(methods, ", "));
  answer.headers.emplace_back("Access-Control-Allow-Headers",
                              "Accept, Authorization, Content-Type, Traceparent, Tracestate");
  answer.headers.emplace_back("Access-Control-Max-Age", "600");
  if (head.asks_for_private_network) answer.headers.emplace_back("Access-Control-Allow-Private-Network", "true");
  return answer;
}

std::optional<Answer> FrontDoor::CheckBody(const RequestHead& head, const Route& route) const {
  if (!MayHaveBody(head)) return std::nullopt;
  if (!TakesBody(route)) {
    return Refuse(400, ErrorCode::kInvalidParams, "this method takes no body; its fields go into the query");
  }
  int64_t length = 0;
  const bool known = !head.content_lengths.empty() && absl::SimpleAtoi(head.content_lengths.front(), &length);
  if (known && length > limits_.max_body_bytes) return TooLong();
  if (IsEncoded(head)) {
    Answer answer = Refuse(415, ErrorCode::kInvalidParams, "the body is encoded; send it without Content-Encoding");
    answer.headers.emplace_back("Accept-Encoding", "identity");
    return answer;
  }
  if (!IsJson(head)) {
    return Refuse(415, ErrorCode::kInvalidParams, "the body is no JSON by its Content-Type; send application/json");
  }
  return std::nullopt;
}

}  // namespace toolgate::services::http
