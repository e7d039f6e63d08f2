#include "security/confirmation/question.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/status_macros.h"
#include "common/text/visible_text.h"
#include "common/tool_error.h"

namespace toolgate::security::confirmation {
namespace {

using executors::Preview;
using executors::TextChange;

// The longest value that stands beside its name; longer ones have lines of their own.
constexpr size_t kMaxBeside = 120;
constexpr int kIndent = 2;
constexpr std::string_view kBar = "  | ";
constexpr std::string_view kUntrustedReason =
    "Asked because this conversation has taken in data from outside, which may have steered the request.";
constexpr std::string_view kSuspiciousReason = "Asked because an argument reads like an attempt to instruct a model.";

std::string Count(size_t count, std::string_view noun) {
  return absl::StrCat(count, " ", ToAbsl(noun), count == 1 ? "" : "s");
}

// "120 bytes in 3 lines".
std::string Extent(std::string_view text) {
  const auto breaks = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  return absl::StrCat(Count(text.size(), "byte"), " in ", Count(breaks + 1, "line"));
}

// A word of letters, digits and "_", as names of arguments and tools are.
bool IsPlainWord(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
  });
}

std::string Name(std::string_view name) { return IsPlainWord(name) ? std::string(name) : text::Quoted(name); }

// JSON whose texts are shown as Quoted does; in one line, or with a line for each member.
class JsonWriter {
 public:
  explicit JsonWriter(bool in_lines) : in_lines_(in_lines) {}

  std::string Write(const Json& value) && {
    Append(value, 0);
    return std::move(result_);
  }

 private:
  void Append(const Json& value, int depth) {
    if (value.is_string()) {
      result_ += text::Quoted(value.get_ref<const std::string&>());
    } else if (value.is_object() || value.is_array()) {
      AppendMembers(value, depth);
    } else {
      result_ += DumpJson(value);
    }
  }

  void AppendMembers(const Json& value, int depth) {
    result_ += value.is_object() ? '{' : '[';
    bool first = true;
    for (auto member = value.begin(); member != value.end(); ++member) {
      if (!first) result_ += ',';
      first = false;
      Break(depth + 1);
      if (value.is_object()) absl::StrAppend(&result_, text::Quoted(member.key()), in_lines_ ? ": " : ":");
      Append(*member, depth + 1);
    }
    if (!first) Break(depth);
    result_ += value.is_object() ? '}' : ']';
  }

  void Break(int depth) {
    if (in_lines_) result_.append(1, '\n').append(static_cast<size_t>(depth) * kIndent, ' ');
  }

  const bool in_lines_;
  std::string result_;
};

// Each line of a text, without "\n". An added or removed line of a difference begins with its sign; what follows the
// sign is the file's text.
std::vector<std::string> LinesOf(const TextChange& change) {
  if (!change.is_difference) return absl::StrSplit(text::VisibleLines(change.text), '\n');
  std::vector<absl::string_view> lines = absl::StrSplit(change.text, '\n');
  if (lines.back().empty()) lines.pop_back();
  std::vector<std::string> shown;
  for (size_t at = 0; at < lines.size();) {
    // Lines with the same sign are one text, so that long runs of blanks are seen as such.
    const absl::string_view sign = lines[at].substr(0, 1);
    std::string part;
    for (bool first = true; at < lines.size() && lines[at].substr(0, 1) == sign; ++at, first = false) {
      absl::StrAppend(&part, first ? "" : "\n", absl::ClippedSubstr(lines[at], 1));
    }
    for (const absl::string_view line : absl::StrSplit(text::VisibleLines(part), '\n')) {
      shown.push_back(absl::StrCat(sign, line));
    }
  }
  return shown;
}

class Composer {
 public:
  explicit Composer(const QuestionParts& parts) : parts_(parts) {}

  // Everything but the change.
  std::string Compose() && {
    const Preview& preview = parts_.preview;
    absl::StrAppend(&text_, OneLine(preview.summary), "\n");
    if (parts_.untrusted) absl::StrAppend(&text_, ToAbsl(kUntrustedReason), "\n");
    if (parts_.suspicious) absl::StrAppend(&text_, ToAbsl(kSuspiciousReason), "\n");
    AppendArguments(parts_.arguments, "", &preview.digested_arguments);
    for (size_t i = 0; i < preview.steps.size(); ++i) AppendStep(i, preview.steps[i]);
    return std::move(text_);
  }

 private:
  void AppendStep(size_t index, const executors::PlannedStep& step) {
    absl::StrAppend(&text_, "step ", index + 1, ": ", Name(step.tool_id),
                    step.is_known ? "" : ", which earlier steps fill in", "\n");
    if (step.arguments.is_object()) {
      AppendArguments(step.arguments, std::string(kIndent, ' '), nullptr);
    } else {
      AppendValue("arguments", step.arguments, std::string(kIndent, ' '));
    }
  }

  void AppendArguments(const Json& arguments, std::string_view indent, const std::vector<std::string>* digested) {
    for (auto member = arguments.begin(); member != arguments.end(); ++member) {
      const bool digest =
          digested != nullptr && std::find(digested->begin(), digested->end(), member.key()) != digested->end();
      if (digest && member->is_string()) {
        AppendDigested(member.key(), member->get_ref<const std::string&>(), indent);
      } else {
        AppendValue(member.key(), *member, indent);
      }
    }
  }

  // The change below shows this text; here is what tells it from all others.
  void AppendDigested(std::string_view name, const std::string& value, std::string_view indent) {
    if (AppendBeside(name, text::Quoted(value), indent)) return;
    absl::StrAppend(&text_, ToAbsl(indent), Name(name), ": ", Extent(value), ", SHA-256 ", HexEncode(Sha256(value)),
                    "\n");
  }

  void AppendValue(std::string_view name, const Json& value, std::string_view indent) {
    if (AppendBeside(name, JsonWriter(/*in_lines=*/false).Write(value), indent)) return;
    if (value.is_string()) {
      const auto& whole = value.get_ref<const std::string&>();
      AppendLines(absl::StrCat(Name(name), ": ", Extent(whole)), text::VisibleLines(whole), indent);
      NoteDirection(name, whole, indent);
      return;
    }
    const std::string lines = JsonWriter(/*in_lines=*/true).Write(value);
    AppendLines(absl::StrCat(Name(name), ":"), lines, indent);
    NoteDirection(name, lines, indent);
  }

  // False if the value is too long for that. A text with line breaks is easier to read in lines.
  bool AppendBeside(std::string_view name, std::string_view shown, std::string_view indent) {
    if (shown.size() > kMaxBeside || shown.find("\\n") != std::string_view::npos) return false;
    absl::StrAppend(&text_, ToAbsl(indent), Name(name), ": ", ToAbsl(shown), "\n");
    NoteDirection(name, shown, indent);
    return true;
  }

  void AppendLines(std::string_view head, std::string_view lines, std::string_view indent) {
    absl::StrAppend(&text_, ToAbsl(indent), ToAbsl(head), "\n");
    for (const absl::string_view line : absl::StrSplit(ToAbsl(lines), '\n')) {
      absl::StrAppend(&text_, ToAbsl(indent), ToAbsl(kBar), line, "\n");
    }
  }

  void NoteDirection(std::string_view name, std::string_view shown, std::string_view indent) {
    if (!text::HasRightToLeft(shown)) return;
    absl::StrAppend(&text_, ToAbsl(indent), "(", Name(name),
                    " has letters that are written from right to left; a screen may show what stands around them in "
                    "another order)\n");
  }

  const QuestionParts& parts_;
  std::string text_;
};

absl::Status TooLong(size_t max_bytes) {
  return MakeError(ErrorCode::kQuotaExceeded,
                   absl::StrCat("a person must approve this call and be shown all of it, which would take more than ",
                                max_bytes, " bytes (confirmation.max_question_bytes); split it into smaller calls"));
}

// Appends the lines that fit, and says before everything else that there are more.
absl::StatusOr<std::string> WithChange(std::string text, const TextChange& change, size_t max_bytes) {
  const std::vector<std::string> lines = LinesOf(change);
  std::string shown = absl::StrCat(change.is_difference ? "difference" : "new content", ":\n");
  size_t fitting = 0;
  // Room for the notice.
  const size_t room = max_bytes - std::min(max_bytes, text.size() + change.whole.size() + 300);
  for (const std::string& line : lines) {
    if (shown.size() + kBar.size() + line.size() + 1 > room) break;
    absl::StrAppend(&shown, ToAbsl(kBar), line, "\n");
    ++fitting;
  }
  if (fitting == lines.size() && !change.is_cut) return absl::StrCat(text, shown);
  if (!change.may_be_cut || text.size() > max_bytes / 2) return TooLong(max_bytes);
  return absl::StrCat("NOT ALL OF THIS CHANGE IS SHOWN: only the first ", Count(fitting, "line"),
                      " below. The whole is ", change.whole, ".\n", text, shown);
}

// Lines on what can be undone.
std::string Afterwards(const QuestionParts& parts) {
  std::string text;
  if (const std::string& undo = parts.preview.undo_summary; !undo.empty()) {
    absl::StrAppend(&text, "Afterwards: ", OneLine(undo), "\n");
  }
  if (!IsReversible(parts.tool, parts.preview)) absl::StrAppend(&text, "Not all of it can be undone.\n");
  return text;
}

}  // namespace

bool IsReversible(const executors::Tool& tool, const Preview& preview) {
  return tool.definition.annotations.reversible && preview.reversible;
}

std::string OneLine(std::string_view text) { return text::IsAllVisible(text) ? std::string(text) : text::Quoted(text); }

absl::StatusOr<std::string> ComposeQuestion(const QuestionParts& parts, size_t max_bytes) {
  std::string text = Composer(parts).Compose();
  const std::string afterwards = Afterwards(parts);
  if (text.size() + afterwards.size() > max_bytes) return TooLong(max_bytes);
  if (parts.preview.change.has_value()) {
    ASSIGN_OR_RETURN(text, WithChange(std::move(text), *parts.preview.change, max_bytes - afterwards.size()));
  }
  return text + afterwards;
}

std::string QuestionDigest(std::string_view question) { return HexEncode(Sha256(question)); }

}  // namespace toolgate::security::confirmation
