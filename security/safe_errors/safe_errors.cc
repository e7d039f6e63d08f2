#include "security/safe_errors/safe_errors.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/file_names.h"
#include "common/message_bounds.h"
#include "security/safe_errors/masked_events.h"
#include "storage/fault.h"

namespace toolgate::security::safe_errors {
namespace {

// Maximum length of a message.
constexpr size_t kMaxMessageBytes = 2000;
// Wait before a retry if the store was unreachable.
constexpr absl::Duration kStoreRetry = absl::Seconds(1);

absl::StatusOr<ToolResult> RunAndCatch(ToolCall& call, Next next) {
  try {
    return next(call);
  } catch (const std::exception& e) {
    return absl::InternalError(absl::StrCat("exception: ", e.what()));
  } catch (...) {
    return absl::InternalError("exception of an unknown type");
  }
}

// Does not cut a character, or a mask, which would no longer be recognisable.
void Cut(std::string& text, size_t bytes) {
  if (text.size() <= bytes) return;
  size_t end = bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  const size_t mask = text.rfind("[masked:", end);
  if (mask != std::string::npos && text.find(']', mask) >= end) end = mask;
  text.resize(end);
  text += "…";
}

// A name of a file in a message.
struct NamePlace {
  size_t begin = 0;
  size_t length = 0;
};

// The first appearance in quotes of each name that the error carries, in order. What a file says may follow in the
// message, and have the name in quotes again; there it is a text like any other.
std::vector<NamePlace> NamePlaces(const ToolError& error) {
  std::vector<NamePlace> places;
  for (const auto& [fact, name] : error.facts) {
    if (!IsFileFact(fact) || !IsWorkspaceName(name)) continue;
    const size_t at = error.message.find(absl::StrCat("\"", name, "\""));
    if (at != std::string::npos) places.push_back({at + 1, name.size()});
  }
  std::sort(places.begin(), places.end(), [](const NamePlace& a, const NamePlace& b) { return a.begin < b.begin; });
  return places;
}

}  // namespace

absl::StatusOr<ToolResult> SafeErrors::Run(ToolCall& call, Next next) {
  absl::StatusOr<ToolResult> result = call.events == nullptr ? RunAndCatch(call, next) : RunWithEvents(call, next);
  // The caller is shown where layer 1 found something, by the names of properties.
  for (Finding& finding : call.state.findings) finding.path = masker_.Mask(finding.path);
  if (!result.ok()) {
    result = ToStatus(Sanitise(result.status(), call));
  } else if (result->error.has_value()) {
    Clean(*result->error);
  }
  return result;
}

absl::StatusOr<ToolResult> SafeErrors::RunWithEvents(ToolCall& call, Next next) const {
  const auto clean = [this](std::string& text) { Clean(text); };
  EventSink* const client = call.events;
  MaskedEvents masked(masker_, clean, *client);
  call.events = &masked;
  absl::StatusOr<ToolResult> result = RunAndCatch(call, next);
  call.events = client;
  // A client that takes no more of it has left; the call has its result all the same.
  masked.Finish().IgnoreError();
  return result;
}

ToolError SafeErrors::Sanitise(const absl::Status& status, const ToolCall& call) const {
  std::optional<ToolError> error = GetToolError(status);
  if (!error.has_value()) return storage::IsFault(status) ? StoreFault(status, call) : Unknown(status, call);
  Clean(*error);
  return *std::move(error);
}

std::string SafeErrors::Report(const absl::Status& status, const ToolCall& call) const {
  std::string reference = ids_.NewId(clock_.Now());
  // Without the payloads of the status, which may contain anything.
  log_.Report(reference, call, absl::Status(status.code(), secrets_.Mask(FromAbsl(status.message()))));
  return reference;
}

// An unreachable or full store may recover soon; other failures will not pass by themselves.
ToolError SafeErrors::StoreFault(const absl::Status& status, const ToolCall& call) const {
  const std::string reference = Report(status, call);
  ToolError error;
  error.retryable = absl::IsUnavailable(status) || absl::IsResourceExhausted(status);
  error.code = error.retryable ? ErrorCode::kOverloaded : ErrorCode::kExecutionError;
  error.message = absl::StrCat(error.retryable ? "the store cannot serve this call at the moment; reference "
                                               : "the store failed, and this call with it; reference ",
                               reference);
  error.facts = {{"referenceId", reference}, {"fault", "store"}};
  if (error.retryable) error.retry_after = kStoreRetry;
  return error;
}

ToolError SafeErrors::Unknown(const absl::Status& status, const ToolCall& call) const {
  const std::string reference = Report(status, call);
  ToolError error;
  error.code = ErrorCode::kExecutionError;
  error.message = absl::StrCat("the tool could not be run; reference ", reference);
  error.facts.emplace_back("referenceId", reference);
  error.retryable = status.code() == absl::StatusCode::kUnavailable;
  return error;
}

void SafeErrors::Clean(ToolError& error) const {
  error.message = CleanMessage(error);
  // The sender of wrong arguments decides how many there are and, by their keys, how long their places are.
  if (error.violations.size() > kMaxShownViolations) {
    error.facts.emplace_back(kViolationsOmitted, absl::StrCat(error.violations.size() - kMaxShownViolations));
    error.violations.resize(kMaxShownViolations);
  }
  for (Violation& violation : error.violations) {
    // A JSON pointer may look like a path, so it is only masked, not scrubbed.
    violation.path = masker_.Mask(violation.path);
    Clean(violation.expected);
    Clean(violation.found);
    for (std::string* text : {&violation.path, &violation.expected, &violation.found}) {
      Cut(*text, kMaxViolationTextBytes);
    }
  }
  for (auto& [name, value] : error.facts) {
    if (IsFileFact(name) && IsWorkspaceName(value)) {
      value = CleanName(value);
    } else {
      Clean(value);
    }
  }
}

// The names of files that the error carries as facts stay apart from the text around them.
std::string SafeErrors::CleanMessage(const ToolError& error) const {
  std::string clean;
  std::string_view rest = error.message;
  for (const NamePlace& place : NamePlaces(error)) {
    const size_t at = error.message.size() - rest.size();
    if (place.begin < at) continue;
    std::string text(rest.substr(0, place.begin - at));
    Clean(text);
    absl::StrAppend(&clean, text, CleanName(std::string_view(error.message).substr(place.begin, place.length)));
    rest = std::string_view(error.message).substr(place.begin + place.length);
  }
  std::string text(rest);
  Clean(text);
  clean += text;
  Cut(clean, kMaxMessageBytes);
  return clean;
}

std::string SafeErrors::CleanName(std::string_view name) const {
  std::string clean = secrets_.Mask(name);
  Cut(clean, kMaxMessageBytes);
  return clean;
}

void SafeErrors::Clean(std::string& text) const {
  // Shortened last: half a secret is not recognised as one, but still reveals half of it. The scrubber is too slow for
  // text that is not shown.
  text = masker_.Mask(text);
  Cut(text, 4 * kMaxMessageBytes);
  text = scrubber_.Scrub(text);
  Cut(text, kMaxMessageBytes);
}

}  // namespace toolgate::security::safe_errors
