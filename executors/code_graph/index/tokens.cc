#include "executors/code_graph/index/tokens.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "common/absl_bridge.h"

namespace toolgate::executors::code_graph::index {
namespace {

using Kind = Token::Kind;

// The longest delimiter of a C++ raw string.
constexpr size_t kMaxDelimiter = 16;
// Bytes within which a character literal ends: a quoted UTF-8 character, or up to four plain ones.
constexpr size_t kMaxCharacter = 6;
// The same for an escaped one.
constexpr size_t kMaxEscape = 14;
// Code in strings and elements in elements are read to this depth; what is deeper is text.
constexpr int kMaxNesting = 60;
// Elements, and literals that end with a word or a sign of their own, for whose end the text was read in vain. After so
// many, what looks like one is read as signs.
constexpr int kMaxFailedReads = 16;
// A longer regular expression is read as a division: a bound keeps the reading linear.
constexpr size_t kMaxRegex = 1000;

bool StartsName(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0; }
bool ContinuesName(char c) { return StartsName(c) || absl::ascii_isdigit(static_cast<unsigned char>(c)); }

class Tokeniser {
 public:
  Tokeniser(std::string_view source, const LexRules& rules) : source_(source), rules_(rules) {}

  std::vector<Token> Run() {
    if (rules_.code_in_tags && source_.find("<?") != std::string_view::npos) SkipToTag();
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

  // Goes on behind the next `<?php` or `<?=`.
  void SkipToTag() {
    MoveTo(After("<?", at_));
    if (Begins("php")) MoveTo(at_ + 3);
    if (Begins("=")) MoveTo(at_ + 1);
    at_line_begin_ = true;
  }

  void Step() {
    const char c = Peek();
    if (rules_.code_in_tags && Begins("?>")) {
      AddMade(";");
      return SkipToTag();
    }
    if (c == '\n') return EndLine();
    if (c == ' ' || c == '\t' || c == '\r') return MoveTo(at_ + 1);
    if (SkipPod() || SkipDirective() || SkipComment() || TakeLiteral()) return;
    if (c == '<' && rules_.jsx && TakeJsx()) return;
    if (c == '<' && rules_.heredocs && BeginsHeredoc()) return;
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
    token.begins_line = std::exchange(at_line_begin_, false);
    tokens_.push_back(token);
    MoveTo(end);
  }

  void AddMade(std::string_view sign) { tokens_.push_back({Kind::kSign, false, line_, sign, true}); }

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
    if (rules_.quote_words && at_ > 0 && source_[at_ - 1] == '$') return false;
    // An attribute.
    if (rules_.code_in_tags && Begins("#[")) return false;
    MoveTo(LineEnd());
    return true;
  }

  // Skips the texts of the documents that begin in the line that ends. One that does not end is none: a shift.
  void EndLine() {
    MoveTo(at_ + 1);
    at_line_begin_ = true;
    for (const std::string_view name : std::exchange(heredocs_, {})) {
      if (failed_literals_ >= kMaxFailedReads) return;
      size_t line = at_;
      while (line < source_.size() && !IsHeredocEnd(line, name)) line = After("\n", line);
      if (line < source_.size()) {
        // In PHP, code may follow the name.
        MoveTo(source_.find_first_not_of(" \t", line) + name.size());
      } else {
        ++failed_literals_;
      }
    }
  }

  // In PHP, more may follow the name.
  bool IsHeredocEnd(size_t line, std::string_view name) const {
    const size_t begin = std::min(source_.find_first_not_of(" \t", line), source_.size());
    if (source_.substr(begin, name.size()) != name) return false;
    const std::string_view rest = source_.substr(begin + name.size(), After("\n", begin) - begin - name.size());
    return rest.find_first_not_of(" \t\r\n;,)]") == std::string_view::npos;
  }

  // `<<~NAME`, `<<-"NAME"`, `<<<NAME`: a shift has a space, or no name in capitals behind it.
  bool BeginsHeredoc() {
    if (!Begins("<<") || (rules_.command_code && Peek(2) == '<')) return false;
    size_t begin = at_ + 2;
    if (Peek(2) == '~' || Peek(2) == '-' || Peek(2) == '<') ++begin;
    // Of a shell, a space may stand before the name, and the name needs no capitals.
    while (rules_.command_code && begin < source_.size() && (source_[begin] == ' ' || source_[begin] == '\\')) ++begin;
    const char first = Peek(begin - at_);
    const bool is_quoted = first == '"' || first == '\'';
    const bool is_indented = Peek(2) == '~' || Peek(2) == '-';
    const bool is_name = absl::ascii_isupper(static_cast<unsigned char>(first)) || first == '_' ||
                         ((is_indented || rules_.command_code) && StartsName(first));
    if (!is_quoted && !is_name) return false;
    if (is_quoted) ++begin;
    size_t end = begin;
    while (end < source_.size() &&
           (is_quoted ? source_[end] != first && source_[end] != '\n' : ContinuesName(source_[end]))) {
      ++end;
    }
    if (end == begin || (is_quoted && (end == source_.size() || source_[end] != first))) return false;
    heredocs_.push_back(source_.substr(begin, end - begin));
    Add(Kind::kString, source_.substr(at_, 0), end + (is_quoted ? 1 : 0));
    return true;
  }

  // Documentation between lines, and the end of a script before its data.
  bool SkipPod() {
    if (rules_.pod_end.empty() || (at_ > 0 && source_[at_ - 1] != '\n')) return false;
    if (Begins("__END__") || Begins("__DATA__")) {
      MoveTo(source_.size());
      return true;
    }
    if (Peek() != '=' || !absl::ascii_isalpha(static_cast<unsigned char>(Peek(1)))) return false;
    const size_t last = source_.find(rules_.pod_end, at_);
    MoveTo(last == std::string_view::npos ? source_.size() : After("\n", last + 1));
    return true;
  }

  // %w[a b], %r{…} and their like. A remainder has a space behind the sign.
  bool TakePercent() {
    if (failed_literals_ >= kMaxFailedReads || (!tokens_.empty() && !MayBeginOperand())) return false;
    size_t open = at_ + 1;
    if (open < source_.size() && std::string_view("wWiIqQrxs").find(source_[open]) != std::string_view::npos) ++open;
    if (open >= source_.size()) return false;
    const bool is_typed = open > at_ + 1;
    const size_t pair = std::string_view("([{<").find(source_[open]);
    const bool may_open = is_typed ? absl::ascii_ispunct(static_cast<unsigned char>(source_[open]))
                                   : source_[open] == '|' || source_[open] == '!';
    if (pair == std::string_view::npos && !may_open) return false;
    const size_t end = QuoteEnd(open);
    if (end >= source_.size()) {
      ++failed_literals_;
      return false;
    }
    AddRegex(open + 1, end);
    return true;
  }

  // The text to `end`, with the letters behind it that say how it is meant.
  void AddRegex(size_t begin, size_t end) {
    size_t behind = end + 1;
    while (behind < source_.size() && absl::ascii_isalpha(static_cast<unsigned char>(source_[behind]))) ++behind;
    Add(Kind::kString, source_.substr(begin, end - begin), behind);
  }

  // Behind a name, what touches the next text but not the name begins an argument.
  bool MayBeginOperand() const {
    const Token& before = tokens_.back();
    if (before.IsSign(".") || (before.IsName() && before.text == "def")) return false;
    if (before.line != line_) return true;
    if (before.kind == Kind::kSign) return before.text != ")" && before.text != "]" && before.text != "}";
    return before.kind == Kind::kName && absl::ascii_isspace(static_cast<unsigned char>(source_[at_ - 1])) &&
           !absl::ascii_isspace(static_cast<unsigned char>(Peek(1))) && Peek(1) != '=';
  }

  // `#if` and its like.
  bool SkipDirective() {
    if (!rules_.directives || Peek() != '#') return false;
    if (!tokens_.empty() && tokens_.back().line == line_) return false;
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
    if (rules_.verbatim_strings && (c == '@' || c == '$')) return TakeVerbatim();
    if (rules_.triple_quotes && (Begins("\"\"\"") || (rules_.single_quoted_strings && Begins("'''")))) {
      const std::string_view quotes = source_.substr(at_, 3);
      MoveTo(After(quotes, at_ + 3));
      return true;
    }
    if (c == '"' && rules_.interpolated_code) return TakeWithCode('"', "${", false);
    if (c == '"' && rules_.hash_code) return TakeWithCode('"', "#{", true);
    if (c == '"' && rules_.command_code) return TakeWithCode('"', "$(", true);
    if (c == '"') return TakeString('"', rules_.strings_span_lines);
    if (c == '\'' && rules_.single_quoted_strings) return TakeString('\'', rules_.strings_span_lines);
    if (c == '\'' && rules_.character_literals) return TakeCharacter();
    if (c == '`' && rules_.hash_code && !IsWordBefore("def")) return TakeWithCode('`', "#{", true);
    if (c == '?' && rules_.marked_names) return TakeQuestionCharacter();
    if (c == ':' && rules_.marked_names) return TakeOperatorSymbol();
    if (c == '$' && rules_.special_variables) return TakeSpecialVariable();
    if (c == '`' && rules_.template_code) return TakeWithCode('`', "${", true);
    if (c == '`' && rules_.backtick_strings) return TakeString('`', true);
    if (c == '`' && rules_.backtick_names) return TakeQuotedName();
    if (c == '/' && rules_.regex_literals) return TakeRegex();
    if (c == '%' && rules_.marked_names) return TakePercent();
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

  // A name between backticks, in one line.
  bool TakeQuotedName() {
    const size_t end = std::min(source_.find('`', at_ + 1), LineEnd());
    if (end >= source_.size() || source_[end] != '`' || end == at_ + 1) return false;
    Add(Kind::kName, source_.substr(at_ + 1, end - at_ - 1), end + 1);
    return true;
  }

  // A string in which `open` begins code, that goes to the next brace: a string token, then the code of each in
  // parentheses of its own.
  bool TakeWithCode(char quote, std::string_view open, bool spans_lines) {
    const auto piece_end = [&](size_t from) {
      size_t end = from;
      while (end < source_.size() && source_[end] != quote && (spans_lines || source_[end] != '\n')) {
        if (nesting_ < kMaxNesting && source_.substr(end, open.size()) == open) return end;
        end += source_[end] == '\\' ? 2 : 1;
      }
      return std::min(end, source_.size());
    };
    size_t end = piece_end(at_ + 1);
    Add(Kind::kString, source_.substr(at_ + 1, end - at_ - 1), end);
    while (Begins(open)) {
      TakeCode(open.size(), open.back() == '(' ? ')' : '}');
      end = piece_end(at_);
      // The rest may be the path of a script.
      if (rules_.command_code && end > at_) Add(Kind::kString, source_.substr(at_, end - at_), end);
      MoveTo(end);
    }
    MoveTo(at_ + 1);
    return true;
  }

  // Code to the sign that closes it, as tokens in parentheses. `open` bytes begin it.
  void TakeCode(size_t open, char close = '}') {
    AddMade("(");
    MoveTo(at_ + open);
    ++nesting_;
    const char opening = close == ')' ? '(' : '{';
    for (int depth = 0; at_ < source_.size() && (depth > 0 || Peek() != close);) {
      if (Peek() == opening) ++depth;
      if (Peek() == close) --depth;
      Step();
    }
    --nesting_;
    AddMade(")");
    MoveTo(at_ + 1);
  }

  // @"text", in which a quote is doubled, and $"text".
  bool TakeVerbatim() {
    size_t at = at_;
    bool is_verbatim = false;
    bool has_code = false;
    for (; at < source_.size() && (source_[at] == '@' || source_[at] == '$'); ++at) {
      (source_[at] == '@' ? is_verbatim : has_code) = true;
    }
    if (at >= source_.size() || source_[at] != '"') return false;
    MoveTo(at);
    if (Begins("\"\"\"")) {
      MoveTo(After("\"\"\"", at_ + 3));
    } else if (is_verbatim) {
      size_t end = at + 1;
      while (end < source_.size() && (source_[end] != '"' || source_.substr(end, 2) == "\"\"")) {
        end += source_[end] == '"' ? 2 : 1;
      }
      end = std::min(end, source_.size());
      Add(Kind::kString, source_.substr(at + 1, end - at - 1), end + 1);
    } else {
      TakeWithCode('"', "{", false);
    }
    return has_code || is_verbatim;
  }

  // ---- JSX

  // Whether an operand, not an operator, is expected.
  bool ExpectsOperand() const {
    if (tokens_.empty()) return true;
    const Token& before = tokens_.back();
    if (before.kind == Kind::kSign) return before.text != ")" && before.text != "]" && before.text != "}";
    return before.text == "return" || before.text == "default" || before.text == "case" || before.text == "yield" ||
           before.text == "await" || before.text == "else";
  }

  // An element as its names of components, and the code in braces, in parentheses; text is left out. Nothing is taken
  // where the text is no element after all.
  bool TakeJsx() {
    const char next = Peek(1);
    if ((next != '>' && !StartsName(next)) || IsGenericFunction()) return false;
    if (failed_elements_ >= kMaxFailedReads || nesting_ >= kMaxNesting || !ExpectsOperand()) return false;
    const size_t tokens = tokens_.size();
    const size_t at = at_;
    const uint32_t line = line_;
    if (TakeElement()) return true;
    ++failed_elements_;
    tokens_.resize(tokens);
    at_ = at;
    line_ = line;
    return false;
  }

  void SkipSpace() {
    size_t at = at_;
    while (at < source_.size() && absl::ascii_isspace(static_cast<unsigned char>(source_[at]))) ++at;
    MoveTo(at);
  }

  bool TakeElement() {
    if (++nesting_ > kMaxNesting) {
      --nesting_;
      return false;
    }
    AddMade("(");
    MoveTo(at_ + 1);
    const bool is_fragment = Peek() == '>';
    if (!is_fragment) TakeElementName();
    const bool taken = is_fragment ? TakeChildren(1) : TakeAttributes();
    --nesting_;
    if (taken) AddMade(")");
    return taken;
  }

  // Names in small letters are the browser's.
  void TakeElementName() {
    size_t end = at_;
    while (end < source_.size() && (ContinuesName(source_[end]) || source_[end] == '$' || source_[end] == '-' ||
                                    source_[end] == '.' || source_[end] == ':')) {
      ++end;
    }
    const std::string_view name = source_.substr(at_, end - at_);
    const bool is_component =
        absl::ascii_isupper(static_cast<unsigned char>(name.front())) || name.find('.') != std::string_view::npos;
    while (is_component && at_ < end) {
      const size_t part = std::min(source_.find('.', at_), end);
      Add(Kind::kName, source_.substr(at_, part - at_), part);
      if (at_ < end) Add(Kind::kSign, ".", at_ + 1);
    }
    MoveTo(end);
    AddMade(";");
  }

  // `<T extends Base>(…) => …`
  bool IsGenericFunction() const {
    size_t at = at_ + 1;
    while (at < source_.size() && ContinuesName(source_[at])) ++at;
    return source_.substr(at, 9) == " extends ";
  }

  // Type arguments, `<Table<Row> …`.
  void SkipTypeArguments() {
    int depth = 0;
    size_t at = at_;
    do {
      if (source_[at] == '<') ++depth;
      if (source_[at] == '>' && source_[at - 1] != '=') --depth;
      ++at;
    } while (depth > 0 && at < source_.size() && at < at_ + kMaxRegex);
    MoveTo(at);
  }

  bool TakeAttributes() {
    if (Peek() == '<') SkipTypeArguments();
    while (true) {
      SkipSpace();
      if (at_ >= source_.size()) return false;
      const char c = Peek();
      if (Begins("/>")) {
        MoveTo(at_ + 2);
        return true;
      }
      if (c == '>') return TakeChildren(1);
      if (c == '{') {
        TakeCode(1);
      } else if (c == '"' || c == '\'') {
        MoveTo(After(std::string_view(&c, 1), at_ + 1));
      } else if (Begins("//") || Begins("/*")) {
        if (!SkipComment()) return false;
      } else if (c == '<') {
        if (!TakeElement()) return false;
      } else if (StartsName(c) || c == '$') {
        size_t end = at_;
        while (end < source_.size() && (ContinuesName(source_[end]) || source_[end] == '-' || source_[end] == ':' ||
                                        source_[end] == '$' || source_[end] == '.')) {
          ++end;
        }
        MoveTo(end);
      } else if (c == '=') {
        MoveTo(at_ + 1);
      } else {
        return false;
      }
    }
  }

  // The text and elements to the closing tag. `skip` bytes end the opening one.
  bool TakeChildren(size_t skip) {
    MoveTo(at_ + skip);
    while (at_ < source_.size()) {
      MoveTo(source_.find_first_of("<{", at_));
      if (Peek() == '{') {
        TakeCode(1);
      } else if (Begins("</")) {
        const size_t end = source_.find('>', at_);
        if (end == std::string_view::npos) return false;
        MoveTo(end + 1);
        return true;
      } else if (Peek() != '<' || !TakeElement()) {
        return false;
      }
    }
    return false;
  }

  bool IsWordBefore(std::string_view word) const {
    return !tokens_.empty() && tokens_.back().IsName() && tokens_.back().text == word;
  }

  // $! and its like: operands.
  bool TakeSpecialVariable() {
    static constexpr std::string_view kSigns = "\"'`/!?~&;,.<>@+*";
    if (kSigns.find(Peek(1)) == std::string_view::npos) return false;
    Add(Kind::kString, source_.substr(at_, 2), at_ + 2);
    return true;
  }

  // :<=>, :[]= and their like. A colon with a space behind it is none.
  bool TakeOperatorSymbol() {
    static constexpr std::string_view kSigns = "+-*/%<>=!~^&|[]@`";
    if (at_ > 0 && (source_[at_ - 1] == ':' || ContinuesName(source_[at_ - 1]))) return false;
    size_t end = at_ + 1;
    while (end < source_.size() && end < at_ + 4 && kSigns.find(source_[end]) != std::string_view::npos) ++end;
    if (end == at_ + 1) return false;
    // `[:[], …]`
    if (source_[end - 1] == ']' && end > at_ + 2 && source_[end - 2] != '[') --end;
    Add(Kind::kString, source_.substr(at_ + 1, end - at_ - 1), end);
    return true;
  }

  // ?x, behind a sign.
  bool TakeQuestionCharacter() {
    if (!tokens_.empty() && EndsOperand(tokens_.back()) && !IsWordBefore("when") && !IsWordBefore("then") &&
        !IsWordBefore("else") && !IsWordBefore("return")) {
      return false;
    }
    const size_t end = at_ + (Peek(1) == '\\' ? 3 : 2);
    if (absl::ascii_isspace(static_cast<unsigned char>(Peek(1))) || end > source_.size()) return false;
    if (end < source_.size() && ContinuesName(source_[end])) return false;
    Add(Kind::kString, source_.substr(at_ + 1, end - at_ - 1), end);
    return true;
  }
  static bool EndsOperand(const Token& token) {
    return token.kind != Kind::kSign || token.text == ")" || token.text == "]" || token.text == "}";
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
    const bool ends_operand = !tokens_.empty() && EndsOperand(tokens_.back());
    if (ends_operand) {
      const std::string_view before = tokens_.back().text;
      const bool is_word = before == "return" || before == "typeof" || before == "case";
      const bool has_bare_calls = rules_.marked_names || (rules_.quote_words && !tokens_.back().after_sigil);
      if (!is_word && !(has_bare_calls && MayBeginOperand())) return false;
    }
    if (rules_.marked_names && at_ > 0 && source_[at_ - 1] == ':') return false;
    const bool spans_lines = (rules_.marked_names || rules_.quote_words) && !ends_operand;
    bool in_class = false;
    const size_t limit = std::min(source_.size(), at_ + kMaxRegex);
    for (size_t end = at_ + 1; end < limit && (spans_lines || source_[end] != '\n'); ++end) {
      const char c = source_[end];
      if (c == '\\') {
        ++end;
      } else if (c == '[') {
        in_class = true;
      } else if (c == ']') {
        in_class = false;
      } else if (c == '/' && !in_class) {
        AddRegex(at_ + 1, end);
        return true;
      }
    }
    return false;
  }

  void TakeName() {
    size_t end = at_ + 1;
    const bool joins_words = rules_.command_code && (at_ == 0 || (source_[at_ - 1] != '$' && source_[at_ - 1] != '{'));
    while (end < source_.size() && (ContinuesName(source_[end]) || (source_[end] == '$' && rules_.dollar_in_names) ||
                                    (joins_words && JoinsWords(end)))) {
      ++end;
    }
    if (rules_.marked_names && end < source_.size() && (source_[end] == '?' || source_[end] == '!') &&
        (source_.substr(end + 1, 1) != "=" || source_.substr(end + 1, 2) == "==") && source_.substr(end, 2) != "?:") {
      ++end;
    } else if (rules_.marked_names && IsSetterSymbol(end)) {
      ++end;
    }
    const std::string_view name = source_.substr(at_, end - at_);
    if (rules_.quote_words && TakeQuoted(name, end)) return;
    if (rules_.format_strings && TakePrefixed(name, end)) return;
    if (rules_.raw_strings && end < source_.size() && source_[end] == '"' && name.size() <= 3 && name.back() == 'R') {
      return SkipRawString(end);
    }
    Add(Kind::kName, name, end);
  }

  // b"text", f"text {code}"
  bool TakePrefixed(std::string_view prefix, size_t quote) {
    if (quote >= source_.size() || (source_[quote] != '"' && source_[quote] != '\'')) return false;
    if (prefix.size() > 2 || prefix.find_first_not_of("bBfFrRuU") != std::string_view::npos) return false;
    MoveTo(quote);
    const std::string_view mark = source_.substr(quote, 1);
    const bool is_triple = source_.substr(quote, 3) == std::string(3, source_[quote]);
    if (prefix.find_first_of("fF") == std::string_view::npos || nesting_ >= kMaxNesting) return TakeLiteral();
    TakeFormatted(is_triple ? source_.substr(quote, 3) : mark, is_triple);
    return true;
  }

  void TakeFormatted(std::string_view quotes, bool spans_lines) {
    Add(Kind::kString, source_.substr(at_ + quotes.size(), 0), at_ + quotes.size());
    while (at_ < source_.size() && !Begins(quotes) && (spans_lines || Peek() != '\n')) {
      if (Begins("{{") || Begins("}}") || Peek() == '\\') {
        MoveTo(at_ + 2);
      } else if (Peek() == '{') {
        TakeCode(1);
      } else {
        MoveTo(at_ + 1);
      }
    }
    if (Begins(quotes)) MoveTo(at_ + quotes.size());
  }

  // q(text), s{text}{text} and their like, of which the word ends before `at`.
  bool TakeQuoted(std::string_view word, size_t at) {
    static constexpr std::array<std::string_view, 9> kWords = {"q", "qq", "qw", "qx", "qr", "m", "s", "tr", "y"};
    if (word.size() > 2 || std::find(kWords.begin(), kWords.end(), word) == kWords.end() || IsWordBefore("sub")) {
      return false;
    }
    // A variable, a test of a file, a method, or a key.
    if (at_ > 0 && std::string_view("$@%&*-:>").find(source_[at_ - 1]) != std::string_view::npos) return false;
    const size_t open = std::min(source_.find_first_not_of(" \t\n", at), source_.size());
    if (open == source_.size() || !absl::ascii_ispunct(static_cast<unsigned char>(source_[open]))) return false;
    if (std::string_view(",;)}]=_").find(source_[open]) != std::string_view::npos) return false;
    if (source_[open] == '#' && open > at) return false;
    if (failed_literals_ >= kMaxFailedReads) return false;
    size_t end = QuoteEnd(open);
    const bool has_two_parts = word == "s" || word == "tr" || word == "y";
    if (has_two_parts && end < source_.size()) {
      const bool is_pair = source_[open] != source_[end];
      const size_t second = is_pair ? source_.find_first_not_of(" \t\n", end + 1) : end;
      end = second < source_.size() ? QuoteEnd(second) : source_.size();
    }
    if (end >= source_.size()) {
      ++failed_literals_;
      return false;
    }
    AddRegex(open + 1, end);
    return true;
  }

  // The position of what closes the text that opens at `open`; the end of the source when nothing does.
  size_t QuoteEnd(size_t open) const {
    const char opening = source_[open];
    const size_t pair = std::string_view("([{<").find(opening);
    const char closing = pair == std::string_view::npos ? opening : ")]}>"[pair];
    int depth = 1;
    for (size_t end = open + 1; end < source_.size(); ++end) {
      if (source_[end] == '\\') {
        ++end;
      } else if (source_[end] == closing) {
        if (--depth == 0) return end;
      } else if (source_[end] == opening) {
        ++depth;
      }
    }
    return source_.size();
  }

  // Names of functions in a shell: `do-it`, `app::run`.
  bool JoinsWords(size_t at) const {
    if (source_[at] == '-') return at + 1 < source_.size() && StartsName(source_[at + 1]);
    if (source_.substr(at, 2) == "::") return at + 2 < source_.size() && StartsName(source_[at + 2]);
    return source_[at] == ':' && source_[at - 1] == ':' && at + 1 < source_.size() && StartsName(source_[at + 1]);
  }

  // `:name=`, whose name ends before `end`.
  bool IsSetterSymbol(size_t end) const {
    if (at_ < 1 || source_[at_ - 1] != ':' || (at_ > 1 && source_[at_ - 2] == ':')) return false;
    const std::string_view rest = source_.substr(end, 2);
    return !rest.empty() && rest.front() == '=' && rest != "==" && rest != "=~" && rest != "=>";
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
    while (end < source_.size() && (ContinuesName(source_[end]) || IsPoint(end) || IsDigitSeparator(end))) ++end;
    Add(Kind::kNumber, source_.substr(at_, end - at_), end);
  }
  // Whether what is at `at` belongs to a number: other than in `1..n` and `1.max(n)`.
  bool IsPoint(size_t at) const {
    if (source_[at] != '.' || at + 1 >= source_.size()) return false;
    const char next = source_[at + 1];
    return absl::ascii_isdigit(static_cast<unsigned char>(next)) || (rules_.raw_strings && next != '.');
  }
  bool IsDigitSeparator(size_t at) const {
    return source_[at] == '\'' && rules_.raw_strings && at + 1 < source_.size() && ContinuesName(source_[at + 1]);
  }

  const std::string_view source_;
  const LexRules& rules_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  bool at_line_begin_ = true;
  int nesting_ = 0;
  int failed_elements_ = 0;
  int failed_literals_ = 0;
  std::vector<std::string_view> heredocs_;  // Names of those that begin in this line.
};

}  // namespace

std::vector<Token> Tokenise(std::string_view source, const LexRules& rules) { return Tokeniser(source, rules).Run(); }

}  // namespace toolgate::executors::code_graph::index
