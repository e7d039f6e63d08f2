// Separates an answer from the thoughts that a model writes into it between tags.
#ifndef TOOLGATE_EXECUTORS_MODELS_THOUGHT_SPLITTER_H_
#define TOOLGATE_EXECUTORS_MODELS_THOUGHT_SPLITTER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate::executors::models {

// A position inside Markdown: whether code surrounds it, and whether a line has begun. Not thread-safe.
class MarkdownPosition {
 public:
  void Advance(char c);
  // Whether the next character is code: in a fence, or between backticks on one line.
  bool in_code() const { return fence_ != 0 || inline_code_ != after_tick_; }
  bool at_line_start() const { return blank_; }

 private:
  void AdvanceInFence(char c);
  void EndLine();

  char fence_ = 0;             // Character of the fence around the position.
  size_t fence_size_ = 0;      // Marks of its first line.
  bool opening_line_ = false;  // The line that opened the fence has not ended.
  bool closes_ = false;        // This line closes the fence, unless more text follows.
  bool blank_ = true;          // The line has only white space so far.
  char mark_ = 0;              // Of the run of marks that the line begins with.
  size_t run_ = 0;             // Its length, while it lasts.
  bool inline_code_ = false;
  bool after_tick_ = false;  // The last character was a backtick outside of fences.
};

// Some servers leave the model's thoughts in the content: "<think>…</think>answer", or "…</think>answer" where the
// template has written the opening tag. Tags in code stay text. A tag may come in pieces. Not thread-safe.
class ThoughtSplitter {
 public:
  enum class Kind {
    kText,
    kThought,
    kTextWasThought,  // All text so far was thought. Has no text itself.
  };
  struct Piece {
    Kind kind = Kind::kText;
    std::string text;
  };

  // `holds_text`: gives no text until a tag has come, or the end, so that thoughts without an opening tag are not
  // mistaken for text. Without it, they are, until the closing tag comes.
  explicit ThoughtSplitter(bool holds_text) : holds_text_(holds_text) {}

  // From now on a closing tag behind text is text, if no opening tag came: the server gives the reasoning elsewhere. No
  // text is held either.
  void ExpectNoUnopened();

  std::vector<Piece> Feed(std::string_view content);
  // At the end. `cut`: the answer reached its limit of tokens. A tag in the middle of a line that never closes is text,
  // unless the answer was cut.
  std::vector<Piece> Finish(bool cut);

  // Whether a closing tag came that no opening tag preceded.
  bool saw_unopened() const { return saw_unopened_; }

 private:
  enum class Mode {
    kText,
    kThought,
    kAside,  // Behind an opening tag in the middle of a line, which may be a mere mention of it.
  };

  // Both read pending_ from `read` on and move it. True if all is used up but for what may be a tag's beginning.
  bool ReadText(size_t& read, std::vector<Piece>& pieces);
  bool ReadThought(size_t& read, std::vector<Piece>& pieces);
  size_t TakeTag(std::string_view rest, std::vector<Piece>& pieces);
  void TakeThought(std::string_view thought, std::vector<Piece>& pieces);
  void Open(std::string_view tag);
  void Close(std::vector<Piece>& pieces);
  void TakeText(char c);
  // Without the white space that thoughts begin with.
  void EmitThought(std::string text, std::vector<Piece>& pieces);
  void Emit(Kind kind, std::string text, std::vector<Piece>& pieces);
  void FlushText(std::vector<Piece>& pieces);

  bool holds_text_;
  bool may_be_unopened_ = true;
  Mode mode_ = Mode::kText;
  MarkdownPosition position_;
  std::string pending_;  // Not looked at yet.
  std::string text_;     // Text that has not been given.
  std::string aside_;    // Mode::kAside: the tag and what followed.
  size_t aside_tag_ = 0;
  bool has_text_ = false;  // Text other than white space has come.
  bool had_tag_ = false;
  bool drops_space_ = false;  // White space after a closing tag is no text.
  bool thought_began_ = false;
  bool saw_unopened_ = false;
};

// `text`, of a whole answer, without the thoughts in it. Only for an answer as it came: of a text that has been split,
// it may take an answer that speaks of closing tags for thoughts.
std::string WithoutThoughts(std::string_view text);

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_THOUGHT_SPLITTER_H_
