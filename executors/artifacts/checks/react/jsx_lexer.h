// Reads JavaScript and TypeScript with JSX into tokens.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_REACT_JSX_LEXER_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_REACT_JSX_LEXER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "executors/artifacts/checks/problem.h"
#include "executors/artifacts/checks/react/token.h"

namespace toolgate::executors::artifacts::checks::react {

// One pass with a stack of what is open: brackets, template literals, elements. Whether "/" begins a regular expression
// and "<" an element is told by what stands before it, as an operand or an operator. It stops at the first error after
// which the rest cannot be read. Linear in time, and without recursion. Used once, by one thread.
class JsxLexer {
 public:
  static constexpr size_t kMaxDepth = 500;

  // Borrows both.
  JsxLexer(std::string_view source, Problems& problems) : source_(source), problems_(problems) {}

  void Read();

  // Up to the first error.
  const std::vector<Token>& tokens() const { return tokens_; }
  // In order, and not overlapping.
  const std::vector<Edit>& edits() const { return edits_; }

 private:
  enum class Open { kParen, kBracket, kBrace, kTemplate, kJsxValue, kTag, kElement };
  struct Frame {
    Open open;
    size_t offset;
    std::string_view name = {};  // Of kTag and kElement.
    // kParen: it belongs to "if" and the like, so a statement follows. kBrace: it is a block, so one follows, too.
    bool statement_follows = false;
  };

  // Each reads one token or one piece of blank space.
  void ReadCode();
  void ReadTagPart();
  void ReadChildren();

  void ReadIdentifier();
  void ReadNumber();
  void ReadString();
  void ReadTemplatePiece();
  void ReadRegex();
  void ReadSlash();
  void ReadPunctuator();
  void OpenBracket(char c);
  void CloseBracket(char c);
  void OpenElement();
  void CloseElement();
  void EndTag(bool self_closed);
  void SkipTypeArguments();
  // At "//" or "/*"; false: at neither.
  bool SkipComment();

  bool BeginsBlock() const;
  bool BeginsElement() const;
  void Push(Frame frame);
  void AfterElement();
  void Emit(TokenKind kind, size_t begin);
  std::string_view LastText(size_t back = 0) const;
  char Next(size_t ahead = 1) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  bool At(std::string_view text) const { return source_.substr(at_, text.size()) == text; }
  void SkipBlanks();
  // Reports what the rest cannot be read after.
  void Fail(size_t offset, std::string_view rule, std::string message);
  void ReportOpen();

  const std::string_view source_;
  Problems& problems_;
  size_t at_ = 0;
  bool failed_ = false;
  bool operand_next_ = true;  // An operand may begin here, and no binary operator.
  std::vector<Frame> open_;
  std::vector<Token> tokens_;
  std::vector<Edit> edits_;
};

}  // namespace toolgate::executors::artifacts::checks::react

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_REACT_JSX_LEXER_H_
