#include "services/execution/outside_text.h"

namespace toolgate::services::execution {
namespace {

// Place of findings in a result.
constexpr std::string_view kResult = "result";

}  // namespace

absl::Status OutsideText::Receive(security::ToolCall& call, security::ToolResult& result) const {
  result.boundary = scanner_.NewBoundary();
  return Note(call, result.data_json, kResult);
}

void OutsideText::ReceiveIn(security::ScannedTexts& texts, security::ToolCall& call,
                            security::ToolResult& result) const {
  result.boundary = scanner_.NewBoundary();
  const std::vector<security::Finding>* const findings = texts.Find(result.data_json);
  if (findings == nullptr) return;
  call.state.findings.insert(call.state.findings.end(), findings->begin(), findings->end());
}

void OutsideText::ScanMissing(security::ScannedTexts& texts) const {
  const auto missing = texts.missing();
  for (const std::string& text : missing) texts.Add(text, Find(text, kResult));
}

absl::Status OutsideText::ReceiveError(security::ToolCall& call, std::string_view message) const {
  return Note(call, message, "error");
}

absl::Status OutsideText::Note(security::ToolCall& call, std::string_view text, std::string_view path) const {
  const std::vector<security::Finding> findings = Find(text, path);
  call.state.findings.insert(call.state.findings.end(), findings.begin(), findings.end());
  return MarkConversation(call);
}

std::vector<security::Finding> OutsideText::Find(std::string_view text, std::string_view path, Effort effort) const {
  return scanner_.Scan(text, path, effort);
}

absl::Status OutsideText::MarkConversation(security::ToolCall& call) const {
  return provenance_.Mark(call, clock_.Now());
}

}  // namespace toolgate::services::execution
