// The text of a question to a person.
#ifndef TOOLGATE_SECURITY_CONFIRMATION_QUESTION_H_
#define TOOLGATE_SECURITY_CONFIRMATION_QUESTION_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/tool.h"

namespace toolgate::security::confirmation {

// Parts of a question. Borrowed.
struct QuestionParts {
  const executors::Tool& tool;
  const Json& arguments;
  const executors::Preview& preview;
  bool untrusted = false;   // Asked because the conversation has taken in data from outside.
  bool suspicious = false;  // Asked because an argument reads like instructions to a model.
};

// Composes the question about a call (ADR 0029): what would happen, then every argument, then every step of an
// automation, then the change of a text, and at last what can be undone. Lossless: calls that differ in anything have
// different questions, nothing is masked, and every character that a screen would not draw is escaped
// (common/text/visible_text.h). A line of the texts that are asked about stands behind "  | ", so that it cannot be
// taken for a line of the question's own.
//
// The change of a file's text is cut when the question would have more than `max_bytes`; the first line then says so,
// and how long the whole is. Anything else that is too long is refused with QUOTA_EXCEEDED.
absl::StatusOr<std::string> ComposeQuestion(const QuestionParts& parts, size_t max_bytes);

// Whether the whole effect can be undone afterwards.
bool IsReversible(const executors::Tool& tool, const executors::Preview& preview);

// Shows a text for people that may quote others, in one line: as it is, or in quotes when a screen would not draw all
// of it.
std::string OneLine(std::string_view text);

// SHA-256 of a question, in hexadecimal digits: what a token, an approval and the audit log know it by.
std::string QuestionDigest(std::string_view question);

}  // namespace toolgate::security::confirmation

#endif  // TOOLGATE_SECURITY_CONFIRMATION_QUESTION_H_
