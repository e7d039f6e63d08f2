#include "services/api/error_details.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/message_bounds.h"
#include "common/proto_bytes.h"
#include "common/proto_time.h"
#include "common/tool_error.h"
#include "google/rpc/error_details.pb.h"

namespace toolgate::services::api {
namespace {

constexpr char kDomain[] = "toolgate.v1";
// gRPC clients refuse trailers above 8 KiB. The message goes there percent-encoded (up to three bytes for one), and
// again inside the details, which are base64 (four bytes for three).
constexpr size_t kMaxMessageBytes = 1024;
constexpr size_t kMaxFactBytes = 256;
constexpr size_t kMaxFacts = 12;
constexpr size_t kMaxDetailBytes = 3300;

// The first bytes of `text`, at most `max`, never ending inside a UTF-8 sequence.
std::string Cut(std::string_view text, size_t max) {
  if (text.size() <= max) return std::string(text);
  size_t end = max - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return absl::StrCat(ToAbsl(text.substr(0, end)), "...");
}

std::string Describe(const Violation& violation) {
  std::string text = violation.rule;
  if (!violation.expected.empty()) absl::StrAppend(&text, ": expected ", violation.expected);
  if (!violation.found.empty())
    absl::StrAppend(&text, violation.expected.empty() ? ": found " : ", found ", violation.found);
  return text;
}

google::rpc::ErrorInfo MakeErrorInfo(const ToolError& error) {
  google::rpc::ErrorInfo info;
  info.set_reason(std::string(ErrorCodeName(error.code)));
  info.set_domain(kDomain);
  size_t bytes = 0;
  for (const auto& [name, value] : error.facts) {
    if (info.metadata_size() >= static_cast<int>(kMaxFacts) || bytes > kMaxDetailBytes / 3) break;
    std::string cut = Cut(value, kMaxFactBytes);
    bytes += name.size() + cut.size();
    (*info.mutable_metadata())[Cut(name, 64)] = std::move(cut);
  }
  return info;
}

// As many violations as fit into `room` bytes; the number of those left out.
size_t FillBadRequest(const ToolError& error, size_t room, google::rpc::BadRequest& request) {
  size_t used = 0;
  size_t taken = 0;
  for (const Violation& violation : error.violations) {
    const std::string field = Cut(violation.path, kMaxFactBytes);
    const std::string description = Cut(Describe(violation), kMaxFactBytes);
    used += field.size() + description.size() + 8;
    if (used > room) break;
    auto* row = request.add_field_violations();
    row->set_field(field);
    row->set_description(description);
    ++taken;
  }
  return error.violations.size() - taken;
}

// Number of violations that layer 5 left out.
size_t OmittedBefore(const ToolError& error) {
  size_t omitted = 0;
  for (const auto& [name, value] : error.facts) {
    if (name == kViolationsOmitted && !absl::SimpleAtoi(value, &omitted)) return 0;
  }
  return omitted;
}

// A detail that cannot be packed is left out: the code and the message say the same.
void AddDetail(const google::protobuf::Message& detail, google::rpc::Status& out) {
  google::protobuf::Any packed;
  if (PackProto(detail, packed).ok()) *out.add_details() = std::move(packed);
}

void AddQuotaFailure(const ToolError& error, const std::string& message, google::rpc::Status& out) {
  google::rpc::QuotaFailure quota;
  auto* violation = quota.add_violations();
  const auto subject =
      std::find_if(error.facts.begin(), error.facts.end(), [](const auto& fact) { return fact.first == "subject"; });
  violation->set_subject(subject == error.facts.end() ? "caller" : Cut(subject->second, kMaxFactBytes));
  violation->set_description(Cut(message, kMaxFactBytes));
  AddDetail(quota, out);
}

google::rpc::Status MakeDetails(absl::StatusCode code, const ToolError& error, const std::string& message) {
  google::rpc::Status out;
  out.set_code(static_cast<int>(code));
  out.set_message(message);
  google::rpc::ErrorInfo info = MakeErrorInfo(error);
  google::rpc::BadRequest bad_request;
  if (!error.violations.empty()) {
    const size_t taken = message.size() + info.ByteSizeLong() + 256;
    const size_t omitted = FillBadRequest(error, taken < kMaxDetailBytes ? kMaxDetailBytes - taken : 0, bad_request);
    if (omitted > 0) (*info.mutable_metadata())[kViolationsOmitted] = std::to_string(omitted + OmittedBefore(error));
  }
  AddDetail(info, out);
  if (bad_request.field_violations_size() > 0) AddDetail(bad_request, out);
  if (error.retry_after.has_value()) {
    google::rpc::RetryInfo retry;
    SetProtoDuration(std::max(*error.retry_after, absl::ZeroDuration()), *retry.mutable_retry_delay());
    AddDetail(retry, out);
  }
  if (error.code == ErrorCode::kRateLimited || error.code == ErrorCode::kQuotaExceeded) {
    AddQuotaFailure(error, message, out);
  }
  return out;
}

}  // namespace

google::rpc::Status ToRpcStatus(const absl::Status& status) {
  absl::StatusCode code = status.code();
  std::optional<ToolError> error = GetToolError(status);
  if (!error.has_value()) {
    code = absl::StatusCode::kInternal;
    error.emplace();
    error->message = "The call failed for an internal reason.";
  }
  return MakeDetails(code, *error, Cut(error->message, kMaxMessageBytes));
}

}  // namespace toolgate::services::api
