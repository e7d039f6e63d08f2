#include "executors/code_graph/index/tokens.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"

namespace toolgate::executors::code_graph::index {
namespace {

using Kind = Token::Kind;

// The longest delimiter of a C++ raw string.
constexpr size_t kMaxDelimiter = 16;
// Bytes within which a character literal ends: a quoted UTF-8 character, or up to four plain ones.
constexpr size_t kMaxCharacter = 6;
// The same for an escaped one.
constexpr size_t kMaxEscape = 14;
// A longer regular expression is read as a division: a bound keeps the reading linear.
constexpr size_t kMaxRegex = 1000;

bool StartsName(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0; }
bool ContinuesName(char c) { return StartsName(c) || absl::ascii_isdigit(static_cast<unsigned char>(c)); }

class Tokeniser {
 public:
  Tokeniser(std::string_view source, const LexRules& rules) : source_(source), rules_(rules) {}

  std::vector<Token> Run() {
    while (at_ < source_.size()) Step();
    return std::move(tokens_);
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  bool Begins(std::string_view text) const { return !text.empty() && source_.substr(at_, text.size()) == text; }

  // Goes on to `end`, counting lines.
  void MoveTo(size_t end) {
    end = std::min(end, source_.size());
    line_ += static_cast<uint32_t>(std::count(source_.begin() + at_, source_.begin() + end, '\n'));
    at_ = end;
  }
  size_t After(std::string_view text, size_t from) const {
    const size_t found = source_.find(text, from);
    return found == std::string_view::npos ? source_.size() : found + text.size();
  }
  size_t LineEnd() const { return std::min(source_.find('\n', at_), source_.size()); }

  void Step() {
    const char c = Peek();
    if (c == '\n' || c == ' ' || c == '\t' || c == '\r') return MoveTo(at_ + 1);
    if (SkipComment() || TakeLiteral()) return;
    if (StartsName(c) || (c == '$' && rules_.dollar_in_names)) return TakeName();
    if (absl::ascii_isdigit(static_cast<unsigned char>(c))) return TakeNumber();
    const size_t size = Begins("::") || Begins("->") ? 2 : 1;
    Add(Kind::kSign, source_.substr(at_, size), at_ + size);
  }

  void Add(Kind kind, std::string_view text, size_t end) {
    Token token{kind, false, line_, text};
    if (rules_.sigils && kind == Kind::kName && at_ > 0) {
      const char before = source_[at_ - 1];
      token.after_sigil =
          before == '$' || before == '@' || before == '%' || (before == '{' && at_ > 1 && source_[at_ - 2] == '$');
    }
    tokens_.push_back(token);
    MoveTo(end);
  }

  bool SkipComment() {
    if (rules_.long_brackets && Begins("--[[")) {
      MoveTo(After("]]", at_));
      return true;
    }
    if (Begins(rules_.block_begin)) {
      SkipBlock();
      return true;
    }
    if (!Begins(rules_.line_comment) && !Begins(rules_.other_line_comment)) return false;
    if (rules_.comment_after_blank && at_ > 0 && !absl::ascii_isspace(static_cast<unsigned char>(source_[at_ - 1]))) {
      return false;
    }
    MoveTo(LineEnd());
    return true;
  }

  void SkipBlock() {
    int depth = 1;
    size_t at = at_ + rules_.block_begin.size();
    while (depth > 0 && at < source_.size()) {
      if (source_.substr(at, rules_.block_end.size()) == rules_.block_end) {
        --depth;
        at += rules_.block_end.size();
      } else if (rules_.nested_blocks && source_.substr(at, rules_.block_begin.size()) == rules_.block_begin) {
        ++depth;
        at += rules_.block_begin.size();
      } else {
        ++at;
      }
    }
    MoveTo(at);
  }

  bool TakeLiteral() {
    const char c = Peek();
    if (rules_.triple_quotes && (Begins("\"\"\"") || (rules_.single_quoted_strings && Begins("'''")))) {
      const std::string_view quotes = source_.substr(at_, 3);
      MoveTo(After(quotes, at_ + 3));
      return true;
    }
    if (c == '"') return TakeString('"', rules_.strings_span_lines);
    if (c == '\'' && rules_.single_quoted_strings) return TakeString('\'', rules_.strings_span_lines);
    if (c == '\'' && rules_.character_literals) return TakeCharacter();
    if (c == '`' && rules_.backtick_strings) return TakeString('`', true);
    if (c == '/' && rules_.regex_literals) return TakeRegex();
    if (rules_.long_brackets && Begins("[[")) {
      MoveTo(After("]]", at_));
      return true;
    }
    return false;
  }

  bool TakeString(char quote, bool spans_lines) {
    size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote && (spans_lines || source_[end] != '\n')) {
      end += source_[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, source_.size());
    Add(Kind::kString, source_.substr(at_ + 1, end - at_ - 1), end + 1);
    return true;
  }

  bool TakeCharacter() {
    const size_t end = Peek(1) == '\\' ? source_.substr(0, at_ + 1 + kMaxEscape).find('\'', at_ + 3)
                                       : source_.substr(0, at_ + 1 + kMaxCharacter).find('\'', at_ + 1);
    if (end == std::string_view::npos) return false;
    MoveTo(end + 1);
    return true;
  }

  // A slash begins a regular expression where an operand is expected.
  bool TakeRegex() {
    if (!tokens_.empty()) {
      const Token& before = tokens_.back();
      const bool ends_operand =
          before.kind != Kind::kSign || before.text == ")" || before.text == "]" || before.text == "}";
      const bool is_word = before.text == "return" || before.text == "typeof" || before.text == "case";
      if (ends_operand && !is_word) return false;
    }
    bool in_class = false;
    const size_t limit = std::min(source_.size(), at_ + kMaxRegex);
    for (size_t end = at_ + 1; end < limit && source_[end] != '\n'; ++end) {
      const char c = source_[end];
      if (c == '\\') {
        ++end;
      } else if (c == '[') {
        in_class = true;
      } else if (c == ']') {
        in_class = false;
      } else if (c == '/' && !in_class) {
        MoveTo(end + 1);
        return true;
      }
    }
    return false;
  }

  void TakeName() {
    size_t end = at_ + 1;
    while (end < source_.size() && (ContinuesName(source_[end]) || (source_[end] == '$' && rules_.dollar_in_names)))
      ++end;
    const std::string_view name = source_.substr(at_, end - at_);
    if (rules_.raw_strings && end < source_.size() && source_[end] == '"' && name.size() <= 3 && name.back() == 'R') {
      return SkipRawString(end);
    }
    Add(Kind::kName, name, end);
  }

  void SkipRawString(size_t quote) {
    const size_t open = source_.substr(0, quote + kMaxDelimiter + 2).find('(', quote);
    if (open == std::string_view::npos) return MoveTo(quote);
    std::string end(")");
    end += source_.substr(quote + 1, open - quote - 1);
    end += '"';
    MoveTo(After(end, open));
  }

  void TakeNumber() {
    size_t end = at_ + 1;
    while (end < source_.size() && (ContinuesName(source_[end]) || source_[end] == '.' || IsDigitSeparator(end))) ++end;
    Add(Kind::kNumber, source_.substr(at_, end - at_), end);
  }
  bool IsDigitSeparator(size_t at) const {
    return source_[at] == '\'' && rules_.raw_strings && at + 1 < source_.size() && ContinuesName(source_[at + 1]);
  }

  const std::string_view source_;
  const LexRules& rules_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  uint32_t line_ = 1;
};

}  // namespace

std::vector<Token> Tokenise(std::string_view source, const LexRules& rules) { return Tokeniser(source, rules).Run(); }

}  // namespace toolgate::executors::code_graph::index
