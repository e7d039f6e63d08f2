#include "executors/artifacts/checks/mermaid/line_diagram.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"

namespace toolgate::executors::artifacts::checks::mermaid {

void LineDiagramCheck::CheckHeader(std::string_view line, size_t at) {
  if (!forms_.IsHeader(line)) findings_.Unknown(at, "the first line has more in it than the check knows");
}

void LineDiagramCheck::CheckLine(std::string_view line, size_t at) {
  Groups groups;
  const Form* const form = forms_.Find(scope(), line, groups);
  if (form != nullptr) {
    if (!blocks_.empty() && !text::Trim(line).empty()) ++blocks_.back().statements;
    CheckFacts(form->meaning, groups, at);
    Enter(*form, at);
    return;
  }
  const size_t begin = at + std::min(line.find_first_not_of(" \t"), line.size());
  // After a statement that is not known, this one may belong to it.
  const WrongForm* const wrong = findings_.all_known() ? forms_.FindWrong(scope(), line) : nullptr;
  if (wrong != nullptr && !absl::StrContains(ToAbsl(line), "%%")) {
    findings_.Error(begin, wrong->rule, wrong->message);
    return;
  }
  const std::string_view shown = text::Trim(line);
  findings_.Unknown(begin, absl::StrCat("the check does not know this statement, so Mermaid may or may not accept it: ",
                                        Quoted(shown)));
}

void LineDiagramCheck::Enter(const Form& form, size_t at) {
  if (form.step == Step::kOpen) {
    if (form.to == kBox) has_box_ = true;
    blocks_.push_back({form.to, at, 0});
  }
  if (form.step != Step::kClose || blocks_.empty()) return;
  if (blocks_.back().scope == kNamespace && blocks_.back().statements <= 1 && findings_.all_known()) {
    findings_.Error(at, "empty-block", "a namespace needs a class in it");
  }
  blocks_.pop_back();
}

void LineDiagramCheck::CheckFacts(Meaning meaning, const Groups& groups, size_t at) {
  switch (meaning) {
    case Meaning::kNothing:
      return;
    case Meaning::kMessage:
    case Meaning::kActivate:
    case Meaning::kDeactivate:
    case Meaning::kParticipant:
      CheckSequenceFacts(meaning, groups, at);
      return;
    case Meaning::kClass:
      classes_.insert(groups[0].as_string());
      return;
    case Meaning::kAnnotation:
      if (!classes_.contains(groups[1].as_string())) {
        findings_.Unknown(at, "the class is further down, and Mermaid may refuse to annotate it before");
      }
      return;
    case Meaning::kComposite:
    case Meaning::kDescribed:
      CheckStateFacts(meaning, groups[0].as_string(), at);
      return;
    case Meaning::kNode:
      CheckIndentation(groups[0].size(), at);
      return;
    case Meaning::kBlankInTree:
      if (nodes_ == 0 && findings_.all_known())
        findings_.Error(at, "blank-line", "no blank line belongs between the first line and the first node");
      return;
    case Meaning::kDecoration:
      if (nodes_ == 0) findings_.Unknown(at, "this belongs to a node, and there is none before it");
      return;
    case Meaning::kBits:
    case Meaning::kMoreBits:
      CheckBits(meaning == Meaning::kBits ? groups[0].as_string() : "",
                meaning == Meaning::kBits ? groups[1].as_string() : groups[0].as_string(), at);
      return;
    case Meaning::kPlot:
      has_data_ = true;
  }
}

void LineDiagramCheck::CheckSequenceFacts(Meaning meaning, const Groups& groups, size_t at) {
  const std::string participant = groups[0].as_string();
  if (meaning == Meaning::kActivate) ++active_[participant];
  if (meaning == Meaning::kDeactivate) Deactivate(participant, at);
  if (meaning == Meaning::kMessage && groups[1] == "+") ++active_[groups[2].as_string()];
  if (meaning == Meaning::kMessage && groups[1] == "-") Deactivate(participant, at);
  if (meaning == Meaning::kParticipant && !participants_.insert(participant).second && has_box_) {
    findings_.Unknown(at, "a participant is twice in a diagram with boxes, which Mermaid may refuse");
  }
}

void LineDiagramCheck::Deactivate(const std::string& participant, size_t at) {
  if (--active_[participant] >= 0 || !findings_.all_known()) return;
  active_[participant] = 0;
  findings_.Error(at, "not-active",
                  absl::StrCat(Quoted(participant),
                               " is not active here; \"-\" and \"deactivate\" end what \"+\" or "
                               "\"activate\" began, and \"-\" ends it for the sender"));
}

// A state with states in it may have no text.
void LineDiagramCheck::CheckStateFacts(Meaning meaning, const std::string& state, size_t at) {
  (meaning == Meaning::kComposite ? composite_ : described_).insert(state);
  if (composite_.contains(state) && described_.contains(state)) {
    findings_.Unknown(at, "the state has a text and states in it, which Mermaid may refuse");
  }
}

void LineDiagramCheck::CheckIndentation(size_t indentation, size_t at) {
  if (nodes_++ == 0) {
    root_indentation_ = indentation;
    return;
  }
  if (!findings_.all_known()) return;
  if (grammar_ == Grammar::kMindmap && indentation <= root_indentation_) {
    findings_.Error(at, "second-root", "a mindmap has one root; indent all other nodes more than it");
  }
  if (grammar_ == Grammar::kKanban && indentation < root_indentation_) {
    findings_.Unknown(at, "a card is indented less than the first column, which Mermaid may refuse");
  }
}

void LineDiagramCheck::CheckBits(std::string_view first, std::string_view last, size_t at) {
  int begin = next_bit_;
  int end = 0;
  if (!first.empty() && !absl::SimpleAtoi(ToAbsl(first), &begin)) return;
  if (!last.empty() && !absl::SimpleAtoi(ToAbsl(last), &end)) return;
  if (last.empty()) end = begin;
  if (first.empty()) end = begin + end - 1;
  if (findings_.all_known() && (begin != next_bit_ || end < begin)) {
    findings_.Error(at, "bad-bits", absl::StrCat("the field must begin at bit ", next_bit_, " and not end before it"));
  }
  next_bit_ = end + 1;
}

void LineDiagramCheck::Finish() {
  if (!findings_.all_known()) return;
  if (!blocks_.empty()) findings_.Error(blocks_.back().at, "unclosed-block", "the block has no end");
  if (grammar_ == Grammar::kChart && !has_data_) {
    findings_.Error(0, "no-data", "a chart needs data: bar [1, 2, 3] or line [1, 2, 3]");
  }
}

}  // namespace toolgate::executors::artifacts::checks::mermaid
