#include "executors/models/thought_splitter.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "common/absl_bridge.h"

namespace toolgate::executors::models {
namespace {

constexpr size_t kFenceMarks = 3;

// DeepSeek, Qwen and most others; some models' own wording; Gemini's chat completions; Seed; Mistral.
constexpr auto kOpeningTags =
    std::to_array<std::string_view>({"<think>", "<thinking>", "<thought>", "<seed:think>", "[THINK]"});
constexpr auto kClosingTags =
    std::to_array<std::string_view>({"</think>", "</thinking>", "</thought>", "</seed:think>", "[/THINK]"});
constexpr std::string_view kTagStarts = "<[";

bool StartsTag(char c) { return kTagStarts.find(c) != std::string_view::npos; }

// Mistral's are tokens of their own, in capitals; "[think]" is a text.
bool BeginsWith(std::string_view text, std::string_view tag) {
  return tag.front() == '[' ? text.substr(0, tag.size()) == tag : absl::StartsWithIgnoreCase(ToAbsl(text), ToAbsl(tag));
}

bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }

// The tag that `text` begins with; empty if there is none.
template <size_t kCount>
std::string_view TagAt(std::string_view text, const std::array<std::string_view, kCount>& tags) {
  for (const std::string_view tag : tags) {
    if (BeginsWith(text, tag)) return tag;
  }
  return {};
}

// Whether more of `text` could make it begin with a tag.
template <size_t kCount>
bool MayBecomeTag(std::string_view text, const std::array<std::string_view, kCount>& tags) {
  return std::any_of(tags.begin(), tags.end(), [text](std::string_view tag) {
    return text.size() < tag.size() && BeginsWith(text, tag.substr(0, text.size()));
  });
}

}  // namespace

void MarkdownPosition::EndLine() {
  if (closes_) fence_ = 0;
  closes_ = false;
  opening_line_ = false;
  blank_ = true;
  mark_ = 0;
  run_ = 0;
  inline_code_ = false;
  after_tick_ = false;
}

void MarkdownPosition::AdvanceInFence(char c) {
  if (c == fence_ && (blank_ || run_ > 0)) {
    ++run_;
    if (opening_line_) {
      fence_size_ = run_;
    } else {
      closes_ = run_ >= fence_size_;
    }
  } else {
    run_ = 0;
    if (!IsSpace(c)) closes_ = false;
  }
  if (!IsSpace(c)) blank_ = false;
}

void MarkdownPosition::Advance(char c) {
  if (c == '\n') return EndLine();
  if (fence_ != 0) return AdvanceInFence(c);
  const bool is_mark = c == '`' || c == '~';
  if (is_mark && (blank_ || (run_ > 0 && c == mark_))) {
    mark_ = c;
    if (++run_ == kFenceMarks) {
      fence_ = c;
      fence_size_ = run_;
      opening_line_ = true;
      inline_code_ = false;
      after_tick_ = false;
      blank_ = false;
      return;
    }
  } else {
    run_ = 0;
  }
  // A run of backticks opens code, or closes it.
  if (after_tick_ && c != '`') inline_code_ = !inline_code_;
  after_tick_ = c == '`';
  if (!IsSpace(c)) blank_ = false;
}

void ThoughtSplitter::ExpectNoUnopened() {
  holds_text_ = false;
  may_be_unopened_ = false;
}

std::vector<ThoughtSplitter::Piece> ThoughtSplitter::Feed(std::string_view content) {
  pending_ += content;
  std::vector<Piece> pieces;
  size_t read = 0;
  while (!(mode_ == Mode::kText ? ReadText(read, pieces) : ReadThought(read, pieces))) {
  }
  pending_.erase(0, read);
  if (has_text_ && (had_tag_ || !holds_text_)) FlushText(pieces);
  return pieces;
}

bool ThoughtSplitter::ReadText(size_t& read, std::vector<Piece>& pieces) {
  for (; read < pending_.size(); ++read) {
    if (StartsTag(pending_[read]) && !position_.in_code()) {
      const std::string_view rest = std::string_view(pending_).substr(read);
      if (MayBecomeTag(rest, kOpeningTags) || MayBecomeTag(rest, kClosingTags)) return true;
      if (const size_t tag = TakeTag(rest, pieces); tag > 0) {
        read += tag;
        return false;
      }
    }
    TakeText(pending_[read]);
  }
  return true;
}

// The size of the tag that `rest` begins with, which then is read; 0 if there is none.
size_t ThoughtSplitter::TakeTag(std::string_view rest, std::vector<Piece>& pieces) {
  if (const std::string_view tag = TagAt(rest, kOpeningTags); !tag.empty()) {
    Open(rest.substr(0, tag.size()));
    if (mode_ == Mode::kThought) had_tag_ = true;
    if (!has_text_) text_.clear();
    if (had_tag_ || !holds_text_) FlushText(pieces);
    return tag.size();
  }
  const std::string_view tag = TagAt(rest, kClosingTags);
  if (tag.empty() || (had_tag_ && !position_.at_line_start())) return 0;
  if (!had_tag_ && has_text_ && !may_be_unopened_) return 0;
  Close(pieces);
  return tag.size();
}

void ThoughtSplitter::Open(std::string_view tag) {
  mode_ = position_.at_line_start() ? Mode::kThought : Mode::kAside;
  aside_ = tag;
  aside_tag_ = tag.size();
  thought_began_ = false;
}

// A closing tag in text: the first one ends thoughts that no tag began, and a later one has no meaning.
void ThoughtSplitter::Close(std::vector<Piece>& pieces) {
  drops_space_ = true;
  if (std::exchange(had_tag_, true)) return;
  if (!has_text_) return text_.clear();
  saw_unopened_ = true;
  if (holds_text_) {
    EmitThought(std::exchange(text_, ""), pieces);
  } else {
    FlushText(pieces);
    pieces.push_back({Kind::kTextWasThought, ""});
  }
  has_text_ = false;
  position_ = MarkdownPosition();
}

bool ThoughtSplitter::ReadThought(size_t& read, std::vector<Piece>& pieces) {
  const std::string_view all = pending_;
  for (size_t i = all.find_first_of(kTagStarts, read); i != std::string_view::npos;
       i = all.find_first_of(kTagStarts, i + 1)) {
    const bool partial = MayBecomeTag(all.substr(i), kClosingTags);
    const std::string_view tag = TagAt(all.substr(i), kClosingTags);
    if (!partial && tag.empty()) continue;
    TakeThought(all.substr(read, i - read), pieces);
    read = i + tag.size();
    if (partial) return true;
    if (mode_ == Mode::kAside) EmitThought(aside_.substr(aside_tag_), pieces);
    had_tag_ = true;
    drops_space_ = true;
    mode_ = Mode::kText;
    return false;
  }
  TakeThought(all.substr(read), pieces);
  read = all.size();
  return true;
}

void ThoughtSplitter::TakeThought(std::string_view thought, std::vector<Piece>& pieces) {
  if (mode_ == Mode::kAside) {
    aside_ += thought;
  } else {
    EmitThought(std::string(thought), pieces);
  }
}

void ThoughtSplitter::TakeText(char c) {
  if (drops_space_ && IsSpace(c)) return;
  drops_space_ = false;
  position_.Advance(c);
  text_ += c;
  if (!IsSpace(c)) has_text_ = true;
}

void ThoughtSplitter::FlushText(std::vector<Piece>& pieces) { Emit(Kind::kText, std::exchange(text_, ""), pieces); }

void ThoughtSplitter::EmitThought(std::string text, std::vector<Piece>& pieces) {
  if (!thought_began_) text.erase(0, text.find_first_not_of(" \t\r\n"));
  if (!text.empty()) thought_began_ = true;
  Emit(Kind::kThought, std::move(text), pieces);
}

void ThoughtSplitter::Emit(Kind kind, std::string text, std::vector<Piece>& pieces) {
  if (text.empty()) return;
  pieces.push_back({kind, std::move(text)});
}

std::vector<ThoughtSplitter::Piece> ThoughtSplitter::Finish(bool cut) {
  std::vector<Piece> pieces;
  switch (mode_) {
    case Mode::kText:
      text_ += std::exchange(pending_, "");
      break;
    case Mode::kThought:
      EmitThought(std::exchange(pending_, ""), pieces);
      break;
    case Mode::kAside:
      aside_ += std::exchange(pending_, "");
      if (cut) {
        FlushText(pieces);
        EmitThought(aside_.substr(aside_tag_), pieces);
      } else {
        text_ += aside_;
      }
      break;
  }
  FlushText(pieces);
  return pieces;
}

std::string WithoutThoughts(std::string_view text) {
  ThoughtSplitter splitter(/*holds_text=*/true);
  std::string kept;
  const auto keep = [&kept](const std::vector<ThoughtSplitter::Piece>& pieces) {
    for (const auto& piece : pieces) {
      if (piece.kind == ThoughtSplitter::Kind::kText) kept += piece.text;
    }
  };
  keep(splitter.Feed(text));
  keep(splitter.Finish(/*cut=*/false));
  return kept;
}

}  // namespace toolgate::executors::models
