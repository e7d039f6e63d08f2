#include "executors/code_graph/index/perl_packages.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "executors/code_graph/index/declaration_cursor.h"

namespace toolgate::executors::code_graph::index {
namespace {

class PackageNesting {
 public:
  PackageNesting(const std::vector<Token>& tokens, int lines, std::vector<SymbolFact>& symbols,
                 std::vector<std::string>& bases)
      : tokens_(tokens), close_(PairBrackets(tokens)), lines_(lines), symbols_(symbols), bases_(bases) {}

  void Run() {
    for (size_t i = 0; i < symbols_.size(); ++i) {
      SymbolFact& symbol = symbols_[i];
      if (symbol.label == SymbolLabel::kNamespace) {
        if (!packages_.empty() && !has_block_) EndBefore(symbols_[packages_.back()], symbol.line);
        packages_.push_back(i);
        const int block_end = EndOfBlock(symbol.line);
        has_block_ = block_end > 0;
        symbol.end_line = std::max(symbol.line, has_block_ ? block_end : lines_);
        continue;
      }
      const int package = PackageAt(symbol.line);
      if (package < 0 || !symbol.scope.empty() || symbol.name.find("::") != std::string::npos) continue;
      symbol.scope = symbols_[static_cast<size_t>(package)].name;
      symbol.qualified_name = absl::StrCat(symbol.scope, "::", symbol.name);
    }
    for (size_t i = 0; i < tokens_.size(); ++i) TakeBases(i);
  }

 private:
  static void EndBefore(SymbolFact& package, int line) { package.end_line = std::max(package.line, line - 1); }

  // The last line of the block of the package that is named in a line; 0 when it has none.
  int EndOfBlock(int line) {
    while (at_ < tokens_.size() && static_cast<int>(tokens_[at_].line) < line) ++at_;
    size_t open = at_;
    const size_t most = std::min(tokens_.size(), at_ + kMostTokensOfHead);
    while (open < most && !tokens_[open].IsSign("{") && !tokens_[open].IsSign(";")) ++open;
    if (open >= most || !tokens_[open].IsSign("{")) return 0;
    return static_cast<int>(tokens_[close_[open]].line);
  }

  // The package around a line; -1 when there is none.
  int PackageAt(int line) const {
    for (size_t i = packages_.size(); i-- > 0;) {
      const SymbolFact& package = symbols_[packages_[i]];
      if (package.line <= line && line <= package.end_line) return static_cast<int>(packages_[i]);
      if (i + kMostPackagesBefore < packages_.size()) break;
    }
    return -1;
  }

  // `use parent -norequire, 'Base', qw(Other)`
  void TakeBases(size_t at) {
    const auto is_word = [&](size_t i, std::string_view word) {
      return i < tokens_.size() && tokens_[i].IsName() && tokens_[i].text == word;
    };
    if (!is_word(at, "use") || !(is_word(at + 1, "parent") || is_word(at + 1, "base"))) return;
    const int package = PackageAt(static_cast<int>(tokens_[at].line));
    if (package < 0) return;
    std::string& bases = bases_[static_cast<size_t>(package)];
    const size_t most = std::min(tokens_.size(), at + kMostTokensOfHead);
    for (size_t i = at + 2; i < most && !tokens_[i].IsSign(";"); ++i) {
      if (tokens_[i].kind != Token::Kind::kString) continue;
      for (const absl::string_view name :
           absl::StrSplit(ToAbsl(tokens_[i].text), absl::ByAnyChar(" \t\n"), absl::SkipEmpty())) {
        if (bases.size() < kMostBasesBytes) absl::StrAppend(&bases, bases.empty() ? "" : ",", name);
      }
    }
  }

  static constexpr size_t kMostPackagesBefore = 100;
  static constexpr size_t kMostTokensOfHead = 100;
  static constexpr size_t kMostBasesBytes = 2000;

  const std::vector<Token>& tokens_;
  const std::vector<size_t> close_;
  const int lines_;
  std::vector<SymbolFact>& symbols_;
  std::vector<std::string>& bases_;
  std::vector<size_t> packages_;
  size_t at_ = 0;           // The first token that is not before the last package.
  bool has_block_ = false;  // The last one.
};

}  // namespace

void NestInPackages(const std::vector<Token>& tokens, int lines, std::vector<SymbolFact>& symbols,
                    std::vector<std::string>& bases) {
  PackageNesting(tokens, lines, symbols, bases).Run();
}

}  // namespace toolgate::executors::code_graph::index
