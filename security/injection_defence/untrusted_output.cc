#include "security/injection_defence/untrusted_output.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "observability/finding.h"
#include "security/injection_defence/text/normaliser.h"
#include "security/injection_defence/text/utf8.h"

namespace toolgate::security::injection_defence {
namespace {

constexpr size_t kNonceBytes = 16;
constexpr size_t kMaxReportedFindings = 16;
// Number of bytes examined after an opening bracket.
constexpr size_t kLookAhead = 64;

// Marks that must not follow an opening bracket, in the form of Normaliser::Fold without blanks and slashes.
constexpr std::array<std::string_view, 16> kMarks = {
    "|",          "untrusted",      "toolresult",      "tool_result",  "toolcall",
    "tool_call",  "functionresult", "function_result", "functioncall", "function_call",
    "<sys",       "inst]",          "system",          "startofturn",  "start_of_turn",
    "end_of_turn"};

bool IsOpening(char32_t code) {
  return code == '<' || code == '[' || code == 0xFF1C || code == 0xFF3B || code == 0x3008 || code == 0x27E8 ||
         code == 0x2329 || code == 0xFE64;
}

// True if the text after an opening bracket reads like a mark, however it is spelt.
bool StartsMark(std::string_view after) {
  size_t end = std::min(after.size(), kLookAhead);
  while (end > 0 && end < after.size() && (static_cast<unsigned char>(after[end]) & 0xC0) == 0x80) --end;
  std::string folded = text::Normaliser::Fold(after.substr(0, end));
  std::erase_if(folded, [](char c) { return c == ' ' || c == '\n' || c == '/' || c == '-' || c == '\\'; });
  for (const std::string_view mark : kMarks) {
    if (absl::StartsWith(ToAbsl(folded), ToAbsl(mark))) return true;
  }
  return false;
}

}  // namespace

std::string Neutralise(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const text::Decoded decoded = text::DecodeUtf8(text, i);
    const std::string_view bytes = text.substr(i, decoded.length);
    i += decoded.length;
    if (!IsOpening(decoded.code) || !StartsMark(text.substr(i))) {
      out.append(bytes);
    } else {
      out.append(decoded.code == '[' || decoded.code == 0xFF3B ? "⟦" : "‹");
    }
  }
  return out;
}

std::vector<Finding> UntrustedOutput::Scan(std::string_view text, std::string_view path, Effort effort) const {
  std::vector<Finding> findings;
  const Detection detection = detector_.Detect(text, effort);
  const auto report = [&](const DetectedRule& rule) {
    findings.push_back({std::string(rule.rule_id), std::string(rule.family), std::string(path), rule.offset,
                        rule.weight, observability::FindingAction::kRecord, observability::FindingSource::kOutside});
  };
  for (const DetectedRule& rule : detection.unreadable) report(rule);
  for (const DetectedRule& rule : detection.findings) {
    if (!detection.flagged || findings.size() == kMaxReportedFindings) break;
    report(rule);
  }
  return findings;
}

std::string UntrustedOutput::NewBoundary() const { return absl::BytesToHexString(ids_.RandomBytes(kNonceBytes)); }

std::string Delimit(std::string_view boundary, std::string_view text) {
  return absl::StrCat("<untrusted_output id=\"", ToAbsl(boundary), "\">\n", Neutralise(text),
                      "\n</untrusted_output id=\"", ToAbsl(boundary), "\">");
}

}  // namespace toolgate::security::injection_defence
