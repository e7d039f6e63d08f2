#include "executors/artifacts/checks/react/jsx_lexer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"

namespace toolgate::executors::artifacts::checks::react {
namespace {

bool BeginsName(char c) {
  return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80) != 0;
}
bool IsInName(char c) { return BeginsName(c) || absl::ascii_isdigit(static_cast<unsigned char>(c)); }
bool IsBlank(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }

// Keywords before an operand.
constexpr std::array<std::string_view, 16> kBeforeOperand = {"return", "typeof", "instanceof", "in",     "of", "new",
                                                             "delete", "void",   "throw",      "case",   "do", "else",
                                                             "yield",  "await",  "default",    "extends"};
constexpr std::array<std::string_view, 5> kBeforeStatement = {"if", "while", "for", "with", "switch"};
constexpr std::array<std::string_view, 5> kBeforeBlock = {"else", "do", "try", "finally", "static"};
constexpr std::array<std::string_view, 14> kVoidElements = {"area",  "base", "br",   "col",   "embed",  "hr",    "img",
                                                            "input", "link", "meta", "param", "source", "track", "wbr"};

constexpr size_t kMaxTypeArguments = 500;

std::string_view Closing(char open) { return open == '(' ? ")" : open == '[' ? "]" : "}"; }

}  // namespace

void JsxLexer::Read() {
  if (At("#!")) at_ = std::min(source_.find('\n'), source_.size());
  while (at_ < source_.size() && !failed_) {
    if (!open_.empty() && open_.back().open == Open::kTag) {
      ReadTagPart();
    } else if (!open_.empty() && open_.back().open == Open::kElement) {
      ReadChildren();
    } else {
      ReadCode();
    }
  }
  if (!failed_) ReportOpen();
}

void JsxLexer::ReportOpen() {
  if (open_.empty()) return;
  const Frame& frame = open_.back();
  switch (frame.open) {
    case Open::kTag:
    case Open::kElement:
      Fail(frame.offset, "unclosed-element",
           frame.name.empty() && frame.open == Open::kElement
               ? std::string("the source ends before the fragment <> is closed: add </>")
               : absl::StrCat("the source ends before <", ToAbsl(frame.name), "> is closed"));
      return;
    case Open::kTemplate:
      Fail(frame.offset, "unterminated-template", "the source ends inside a template literal");
      return;
    default:
      Fail(frame.offset, "unclosed-bracket",
           absl::StrCat("the source ends before this ", Quoted(source_.substr(frame.offset, 1)), " is closed"));
  }
}

void JsxLexer::ReadCode() {
  const char c = source_[at_];
  if (IsBlank(c)) {
    ++at_;
  } else if (c == '"' || c == '\'') {
    ReadString();
  } else if (c == '`') {
    Push({Open::kTemplate, at_++});
    ReadTemplatePiece();
  } else if (BeginsName(c) || c == '\\' || c == '#' || c == '@') {
    ReadIdentifier();
  } else if (absl::ascii_isdigit(static_cast<unsigned char>(c)) ||
             (c == '.' && absl::ascii_isdigit(static_cast<unsigned char>(Next())))) {
    ReadNumber();
  } else if (c == '/') {
    ReadSlash();
  } else if (c == '(' || c == '[' || c == '{') {
    OpenBracket(c);
  } else if (c == ')' || c == ']' || c == '}') {
    CloseBracket(c);
  } else if (c == '<' && operand_next_ && BeginsElement()) {
    OpenElement();
  } else {
    ReadPunctuator();
  }
}

bool JsxLexer::SkipComment() {
  if (At("//")) {
    at_ = std::min(source_.find('\n', at_), source_.size());
    return true;
  }
  if (!At("/*")) return false;
  const size_t end = source_.find("*/", at_ + 2);
  if (end == std::string_view::npos) {
    Fail(at_, "unterminated-comment", "the comment has no end: add */");
    return true;
  }
  at_ = end + 2;
  return true;
}

void JsxLexer::SkipBlanks() {
  while (at_ < source_.size() && IsBlank(source_[at_])) ++at_;
}

void JsxLexer::ReadSlash() {
  if (SkipComment()) return;
  if (operand_next_) {
    ReadRegex();
  } else {
    ReadPunctuator();
  }
}

void JsxLexer::ReadIdentifier() {
  const size_t begin = at_++;
  while (at_ < source_.size() && (IsInName(source_[at_]) || source_[at_] == '\\')) ++at_;
  const bool is_member = LastText() == "." || LastText() == "?.";
  Emit(TokenKind::kIdentifier, begin);
  operand_next_ = !is_member && text::IsOneOf(tokens_.back().text, kBeforeOperand);
}

void JsxLexer::ReadNumber() {
  const size_t begin = at_++;
  while (at_ < source_.size()) {
    const bool is_sign = (source_[at_] == '+' || source_[at_] == '-') &&
                         absl::ascii_tolower(static_cast<unsigned char>(source_[at_ - 1])) == 'e' &&
                         source_.substr(begin, 2) != "0x";
    if (!IsInName(source_[at_]) && source_[at_] != '.' && !is_sign) break;
    ++at_;
  }
  Emit(TokenKind::kNumber, begin);
  operand_next_ = false;
}

void JsxLexer::ReadString() {
  const size_t begin = at_;
  const char quote = source_[at_++];
  while (at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n') at_ += source_[at_] == '\\' ? 2 : 1;
  if (at_ >= source_.size() || source_[at_] == '\n') {
    Fail(begin, "unterminated-string", "the string has no end on its line");
    return;
  }
  ++at_;
  Emit(TokenKind::kString, begin);
  operand_next_ = false;
}

// From where a piece begins to "${" or the end of the literal.
void JsxLexer::ReadTemplatePiece() {
  const size_t begin = at_;
  while (at_ < source_.size() && source_[at_] != '`' && !At("${")) at_ += source_[at_] == '\\' ? 2 : 1;
  if (at_ >= source_.size()) {
    at_ = source_.size();
    if (!failed_) ReportOpen();
    return;
  }
  Emit(TokenKind::kTemplate, begin);
  if (source_[at_] == '`') {
    ++at_;
    open_.pop_back();
    operand_next_ = false;
  } else {
    at_ += 2;
    operand_next_ = true;
    Push({Open::kBrace, at_ - 1});
  }
}

void JsxLexer::ReadRegex() {
  const size_t begin = at_++;
  bool in_class = false;
  while (at_ < source_.size() && source_[at_] != '\n' && (in_class || source_[at_] != '/')) {
    const char c = source_[at_];
    if (c == '[') in_class = true;
    if (c == ']') in_class = false;
    at_ += c == '\\' ? 2 : 1;
  }
  if (at_ >= source_.size() || source_[at_] == '\n') {
    Fail(begin, "unterminated-regex", "the regular expression has no end on its line");
    return;
  }
  ++at_;
  while (at_ < source_.size() && IsInName(source_[at_])) ++at_;
  Emit(TokenKind::kRegex, begin);
  operand_next_ = false;
}

void JsxLexer::ReadPunctuator() {
  const size_t begin = at_;
  const bool after_operand = !operand_next_;
  const bool twin = At("++") || At("--") || At("=>") || At("?.") || At("&&") || At("||") || At("??");
  at_ += twin ? 2 : 1;
  Emit(TokenKind::kPunctuator, begin);
  const std::string_view text = tokens_.back().text;
  if (text == "++" || text == "--") return;
  // TypeScript's mark of a value that is never null.
  if (text == "!" && after_operand && (at_ == source_.size() || source_[at_] != '=')) return;
  operand_next_ = true;
}

bool JsxLexer::BeginsBlock() const {
  if (!operand_next_) return true;
  if (tokens_.empty()) return true;
  const std::string_view last = LastText();
  return last == "=>" || last == ";" || last == "{" || last == "}" || last == ")" || last == ">" ||
         text::IsOneOf(last, kBeforeBlock);
}

void JsxLexer::OpenBracket(char c) {
  Frame frame = {c == '(' ? Open::kParen : c == '[' ? Open::kBracket : Open::kBrace, at_};
  if (c == '(') frame.statement_follows = text::IsOneOf(LastText(), kBeforeStatement) && LastText(1) != ".";
  if (c == '{') frame.statement_follows = BeginsBlock();
  const size_t begin = at_++;
  Emit(TokenKind::kPunctuator, begin);
  operand_next_ = true;
  Push(frame);
}

void JsxLexer::CloseBracket(char c) {
  const Open wanted = c == ')' ? Open::kParen : c == ']' ? Open::kBracket : Open::kBrace;
  const bool fits =
      !open_.empty() && (open_.back().open == wanted || (c == '}' && open_.back().open == Open::kJsxValue));
  if (!fits) {
    Fail(at_, "unexpected-bracket",
         open_.empty() ? absl::StrCat("nothing is open that this ", Quoted(source_.substr(at_, 1)), " would close")
                       : absl::StrCat("found ", Quoted(source_.substr(at_, 1)), " where ",
                                      Quoted(Closing(source_[open_.back().offset])), " was needed"));
    return;
  }
  const Frame frame = open_.back();
  open_.pop_back();
  const size_t begin = at_++;
  Emit(TokenKind::kPunctuator, begin);
  operand_next_ = frame.statement_follows;
  if (!open_.empty() && open_.back().open == Open::kTemplate) ReadTemplatePiece();
}

// An element and no type parameter, at a "<" where an operand may begin.
bool JsxLexer::BeginsElement() const {
  if (Next() == '>') return true;
  if (!BeginsName(Next())) return false;
  size_t after = at_ + 1;
  while (after < source_.size() && IsInName(source_[after])) ++after;
  while (after < source_.size() && IsBlank(source_[after])) ++after;
  if (after == source_.size() || source_[after] == ',') return false;
  return source_.substr(after, 8) != "extends ";
}

void JsxLexer::OpenElement() {
  const size_t begin = at_++;
  SkipBlanks();
  const size_t name = at_;
  while (at_ < source_.size() &&
         (IsInName(source_[at_]) || source_[at_] == '-' || source_[at_] == '.' || source_[at_] == ':')) {
    ++at_;
  }
  Emit(TokenKind::kJsxOpen, name);
  const std::string_view text = tokens_.back().text;
  if (!text.empty()) {
    Push({Open::kTag, begin, text});
    if (At("<")) SkipTypeArguments();
  } else if (At(">")) {
    ++at_;
    Push({Open::kElement, begin});
  } else {
    Fail(begin, "bad-tag", "a tag needs a name after <; write {\"<\"} for the sign itself");
  }
}

void JsxLexer::SkipTypeArguments() {
  const size_t begin = at_;
  int depth = 0;
  for (; at_ < source_.size() && at_ - begin < kMaxTypeArguments; ++at_) {
    if (source_[at_] == '<') ++depth;
    if (source_[at_] == '>' && --depth == 0) {
      ++at_;
      return;
    }
  }
  Fail(begin, "bad-tag", "the tag's type arguments have no end");
}

void JsxLexer::ReadTagPart() {
  const char c = source_[at_];
  if (IsBlank(c)) {
    ++at_;
  } else if (c == '>' || At("/>")) {
    EndTag(c == '/');
  } else if (SkipComment()) {
    return;
  } else if (c == '{') {
    Push({Open::kJsxValue, at_++});
    Emit(TokenKind::kPunctuator, at_ - 1);
    operand_next_ = true;
  } else if (c == '"' || c == '\'') {
    const size_t end = source_.find(c, at_ + 1);
    if (end == std::string_view::npos) {
      Fail(at_, "unterminated-string", "the attribute's value has no end");
      return;
    }
    const size_t begin = std::exchange(at_, end + 1);
    Emit(TokenKind::kString, begin);
  } else if (c == '=') {
    Emit(TokenKind::kPunctuator, at_++);
  } else if (BeginsName(c)) {
    const size_t begin = at_;
    while (at_ < source_.size() && (IsInName(source_[at_]) || source_[at_] == '-' || source_[at_] == ':')) ++at_;
    Emit(TokenKind::kJsxAttribute, begin);
  } else if (c == '<' && LastText() == "=") {
    OpenElement();
  } else {
    Fail(at_, "bad-tag",
         absl::StrCat("found ", Quoted(source_.substr(at_, 1)), " inside the tag <", ToAbsl(open_.back().name), ">"));
  }
}

void JsxLexer::EndTag(bool self_closed) {
  Frame& frame = open_.back();
  if (!self_closed && text::IsOneOf(frame.name, kVoidElements)) {
    problems_.Error(
        frame.offset, "void-element",
        absl::StrCat("<", ToAbsl(frame.name), "> has no content and must be closed: <", ToAbsl(frame.name), " />"));
    edits_.push_back({at_, 0, " /"});
    self_closed = true;
    ++at_;
  } else {
    at_ += self_closed ? 2 : 1;
  }
  if (!self_closed) {
    frame.open = Open::kElement;
    return;
  }
  Emit(TokenKind::kJsxClose, at_);
  open_.pop_back();
  AfterElement();
}

// The code after an element goes on as after any operand.
void JsxLexer::AfterElement() { operand_next_ = false; }

void JsxLexer::ReadChildren() {
  const char c = source_[at_];
  if (c == '{') {
    Push({Open::kJsxValue, at_});
    const size_t begin = at_++;
    Emit(TokenKind::kPunctuator, begin);
    operand_next_ = true;
  } else if (At("</")) {
    CloseElement();
  } else if (At("<!--")) {
    Fail(at_, "html-comment", "JSX has no <!-- -->; write {/* … */}");
  } else if (c == '<') {
    OpenElement();
  } else if (c == '}' || c == '>') {
    problems_.Error(at_, "bare-sign",
                    absl::StrCat("write {\"", std::string(1, c), "\"} for this sign in the text of an element"));
    ++at_;
  } else {
    const size_t begin = at_;
    at_ = std::min(source_.find_first_of("{}<>", at_), source_.size());
    Emit(TokenKind::kJsxText, begin);
  }
}

void JsxLexer::CloseElement() {
  const size_t begin = at_;
  at_ += 2;
  SkipBlanks();
  const size_t name = at_;
  while (at_ < source_.size() &&
         (IsInName(source_[at_]) || source_[at_] == '-' || source_[at_] == '.' || source_[at_] == ':')) {
    ++at_;
  }
  Emit(TokenKind::kJsxClose, name);
  SkipBlanks();
  const std::string_view closed = tokens_.back().text;
  if (text::IsOneOf(closed, kVoidElements) && closed != open_.back().name) {
    problems_.Error(begin, "void-element", absl::StrCat("</", ToAbsl(closed), "> closes nothing; remove it"));
    if (At(">")) edits_.push_back({begin, at_ + 1 - begin, ""});
    if (At(">")) ++at_;
    return;
  }
  if (closed != open_.back().name || !At(">")) {
    Fail(begin, "mismatched-tag",
         absl::StrCat("found </", ToAbsl(closed), "> where </", ToAbsl(open_.back().name), "> was needed"));
    return;
  }
  ++at_;
  open_.pop_back();
  AfterElement();
}

void JsxLexer::Push(Frame frame) {
  if (open_.size() == kMaxDepth) {
    Fail(frame.offset, "too-deep", "brackets and elements lie too deep inside each other");
    return;
  }
  open_.push_back(frame);
}

void JsxLexer::Emit(TokenKind kind, size_t begin) {
  at_ = std::min(at_, source_.size());
  tokens_.push_back({kind, begin, source_.substr(begin, at_ - begin)});
}

std::string_view JsxLexer::LastText(size_t back) const {
  if (tokens_.size() <= back) return "";
  const Token& token = tokens_[tokens_.size() - 1 - back];
  return token.kind == TokenKind::kIdentifier || token.kind == TokenKind::kPunctuator ? token.text : std::string_view();
}

void JsxLexer::Fail(size_t offset, std::string_view rule, std::string message) {
  if (failed_) return;
  failed_ = true;
  problems_.Error(offset, rule, std::move(message));
}

}  // namespace toolgate::executors::artifacts::checks::react
