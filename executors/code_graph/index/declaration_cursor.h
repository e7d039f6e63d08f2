// The ground on which the scans of definitions of single languages are made.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_DECLARATION_CURSOR_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_DECLARATION_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "executors/code_graph/index/language.h"
#include "executors/code_graph/index/tag.h"
#include "executors/code_graph/index/tokens.h"

namespace toolgate::executors::code_graph::index {

// By the position of an opening bracket, that of its closing one; one that lacks it closes itself. Other positions are
// their own.
std::vector<size_t> PairBrackets(const std::vector<Token>& tokens);

// Tokens by position, with the pairs of their brackets, and the tags that are found. Positions beyond the end are an
// empty sign. One thread.
class DeclarationCursor {
 public:
  DeclarationCursor(const std::vector<Token>& tokens, const Language& language);

 protected:
  // Brackets deeper than this are passed over.
  static constexpr int kMaxDepth = 100;

  // A definition that contains others.
  struct Scope {
    std::string qualified_name;
    std::string kind;
    bool is_function = false;  // Or in one.
  };

  // Counts the depth of recursion while it lives.
  class Level {
   public:
    explicit Level(int& depth) : depth_(depth) { ++depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --depth_; }
    bool too_deep() const { return depth_ > kMaxDepth; }

   private:
    int& depth_;
  };

  size_t size() const { return tokens_.size(); }
  const Token& At(size_t at) const { return at < tokens_.size() ? tokens_[at] : kNone; }
  bool IsSign(size_t at, std::string_view sign) const { return At(at).IsSign(sign); }
  bool IsName(size_t at) const { return At(at).IsName(); }
  bool IsWord(size_t at, std::string_view word) const { return At(at).IsName() && At(at).text == word; }
  bool IsAnyWord(size_t at, std::initializer_list<std::string_view> words) const;
  bool Opens(size_t at) const;
  // `=>`
  bool IsArrow(size_t at) const { return IsSign(at, "=") && IsSign(at + 1, ">") && Touch(at, at + 1); }
  // Whether nothing is between two tokens.
  bool Touch(size_t at, size_t next) const { return At(at).text.data() + At(at).text.size() == At(next).text.data(); }
  bool BeginsLine(size_t at) const { return at == 0 || At(at - 1).line != At(at).line; }
  // The position behind the bracket that closes the one at `at`; of one that is not closed, behind itself.
  size_t Behind(size_t at) const { return Opens(at) ? close_[at] + 1 : at + 1; }
  // The position of the closing bracket.
  size_t Close(size_t at) const { return close_[at]; }
  // The position behind a list of type arguments that begins at `at`; `at` itself when there is none.
  size_t BehindAngles(size_t at) const;

  // The source text of the tokens in [first, end), of which both ends are of the text, on one line.
  std::string TextOf(size_t first, size_t end) const;

  // Adds a definition in the present scope, whose name is the token `name`. It ends before `end`, which may be set
  // later.
  size_t AddTag(std::string_view name, std::string_view kind, size_t first, size_t at_name);
  void SetEnd(size_t tag, size_t end);
  Tag& tag(size_t index) { return tags_[index]; }
  const std::vector<Tag>& tags() const { return tags_; }
  // The scope of what is in the tag.
  Scope ScopeOf(size_t tag, bool is_function) const;

  const Scope& scope() const { return scope_; }
  // Replaces the present scope, and returns the former one, to be entered again.
  Scope Enter(Scope scope);

  std::vector<Tag> TakeTags();

  int depth_ = 0;

 private:
  static const Token kNone;

  const std::vector<Token>& tokens_;
  const Language& language_;
  std::vector<size_t> close_;  // By position of an opening bracket.
  std::vector<Tag> tags_;
  Scope scope_;
};

// One for each language; internal to ScanDeclarations.
std::vector<Tag> ScanScript(const std::vector<Token>& tokens, const Language& language);
std::vector<Tag> ScanLua(const std::vector<Token>& tokens, const Language& language);
std::vector<Tag> ScanPhp(const std::vector<Token>& tokens, const Language& language);
std::vector<Tag> ScanRuby(const std::vector<Token>& tokens, const Language& language);
std::vector<Tag> ScanKotlin(const std::vector<Token>& tokens, const Language& language);
std::vector<Tag> ScanSharp(const std::vector<Token>& tokens, const Language& language);

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_DECLARATION_CURSOR_H_
