#include "executors/code_graph/index/import_scan.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "executors/code_graph/index/fact_builder.h"

namespace toolgate::executors::code_graph::index {
namespace {

constexpr Token kNoImportToken = {};

class ImportScan {
 public:
  ImportScan(const std::vector<Token>& tokens, const Language& language)
      : tokens_(tokens), group_(language.group), is_kotlin_(language.name == "Kotlin") {}

  std::vector<ImportFact> Run() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      FollowBlocks();
      if (tokens_[at_].IsName()) Take(tokens_[at_].text);
      if (group_ == LanguageGroup::kShell && tokens_[at_].IsSign(".") && tokens_[at_].begins_line) TakeScript();
    }
    return std::move(imports_);
  }

 private:
  const Token& Near(size_t ahead) const { return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : kNoImportToken; }
  bool BeginsStatement() const {
    if (at_ == 0) return true;
    const Token& before = tokens_[at_ - 1];
    return before.line != tokens_[at_].line || before.IsSign(";") || before.IsSign("}") || before.IsSign("{") ||
           before.text == "pub" || before.text == "global";
  }

  // Counts the braces around, without those of namespaces.
  void FollowBlocks() {
    const Token& token = tokens_[at_];
    if (token.IsName() && token.text == "namespace") names_namespace_ = true;
    if (token.IsSign(";")) names_namespace_ = false;
    if (token.IsSign("{") && !std::exchange(names_namespace_, false)) ++depth_;
    if (token.IsSign("}")) depth_ = std::max(depth_ - 1, 0);
  }

  void Take(std::string_view word) {
    switch (group_) {
      case LanguageGroup::kJvm:
        if (word == "import" && is_kotlin_ && BeginsStatement()) TakePath(".");
        return;
      case LanguageGroup::kScript:
        if (word == "from" || word == "import" || word == "require") TakeString();
        return;
      case LanguageGroup::kLua:
        if (word == "require") TakeString();
        return;
      case LanguageGroup::kRuby:
        if (at_ > 0 && tokens_[at_ - 1].IsSign(".")) return;
        if (word == "require" || word == "require_relative" || word == "load") TakeString();
        if (word == "autoload") TakeAutoload();
        return;
      case LanguageGroup::kPhp:
        if (word.substr(0, 7) == "require" || word.substr(0, 7) == "include") TakeString();
        // In a class, it names a trait.
        if (word == "use" && depth_ == 0 && BeginsStatement()) TakeUseOfPhp();
        return;
      case LanguageGroup::kShell:
        if (word == "source" && tokens_[at_].begins_line) TakeScript();
        return;
      case LanguageGroup::kPerl:
        if ((word == "use" || word == "require") && BeginsStatement()) TakePath("::");
        return;
      case LanguageGroup::kSharp:
        if (word == "using" && BeginsStatement()) TakePath(".");
        return;
      case LanguageGroup::kRust:
        if (word == "use" && BeginsStatement()) TakeUse();
        if (word == "mod" && BeginsStatement() && Near(2).IsSign(";")) Add("self::" + std::string(Near(1).text), true);
        return;
      default:
        return;
    }
  }

  // The string that follows, perhaps in parentheses; one that code makes in part is not known.
  void TakeString() {
    const size_t ahead = Near(1).IsSign("(") ? 2 : 1;
    const bool has_code = Near(ahead + 1).is_made && Near(ahead + 1).IsSign("(");
    if (Near(ahead).kind == Token::Kind::kString && !has_code) Add(std::string(Near(ahead).text));
  }

  // A path of which variables or commands make the beginning: what follows those.
  void TakeScript() {
    std::string_view path;
    for (size_t ahead = 1; Near(ahead).line == tokens_[at_].line && !Near(ahead).begins_line; ++ahead) {
      if (Near(ahead).kind == Token::Kind::kString) path = Near(ahead).text;
    }
    const size_t variable = path.find_last_of("$}");
    if (variable != std::string_view::npos) {
      const size_t slash = path.find('/', variable);
      if (slash == std::string_view::npos) return;
      path.remove_prefix(slash);
    }
    if (path.empty() || path.front() != '/') return;
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    Add(std::string(path), /*only_if_file=*/true);
  }

  // `autoload :Name, "path"`
  void TakeAutoload() {
    for (size_t ahead = 1; ahead < 8 && Near(ahead).line == tokens_[at_].line; ++ahead) {
      if (Near(ahead).kind == Token::Kind::kString) return Add(std::string(Near(ahead).text));
    }
  }

  // `use A\B;`, `use function a\b;`
  void TakeUseOfPhp() {
    if (Near(1).text == "function" || Near(1).text == "const") ++at_;
    TakePath("\\");
  }

  // Names joined by `separator`, on one line. A name alone that is a keyword of the language (`using (…)`) is none.
  void TakePath(std::string_view separator) {
    std::string path;
    for (size_t ahead = 1; Near(ahead).line == tokens_[at_].line; ++ahead) {
      const Token& token = Near(ahead);
      if (!token.IsName() && !token.IsSign(separator)) break;
      if (token.IsName() && Near(ahead - 1).IsName() && ahead > 1) break;
      path += token.text;
    }
    while (path.size() >= separator.size() &&
           std::string_view(path).substr(path.size() - separator.size()) == separator) {
      path.resize(path.size() - separator.size());
    }
    if (!path.empty()) Add(std::move(path));
  }

  // `use a::b;`, `use a::{b::c, d}`: of a list, the path before it, and what in it may be a file.
  void TakeUse() {
    std::vector<std::string> around;  // The paths before the lists that are open.
    std::string path;
    for (size_t ahead = 1; ahead < kMostTokens && at_ + ahead < tokens_.size() && !Near(ahead).IsSign(";"); ++ahead) {
      const Token& token = Near(ahead);
      if (token.IsName() && token.text == "as") {
        ++ahead;
      } else if (token.IsName() || token.IsSign("::")) {
        path += token.text;
      } else if (token.IsSign("{") && around.size() < kMostLists) {
        AddUse(path.substr(0, path.size() - std::min<size_t>(path.size(), 2)), /*only_if_file=*/!around.empty());
        around.push_back(path);
      } else if (token.IsSign(",") || token.IsSign("}")) {
        if (around.empty()) break;
        if (path != around.back()) AddUse(std::move(path), /*only_if_file=*/true);
        if (token.IsSign("}")) around.pop_back();
        path = around.empty() ? "" : around.back();
        if (around.empty()) break;
      }
    }
    if (around.empty()) AddUse(std::move(path), /*only_if_file=*/false);
  }
  void AddUse(std::string path, bool only_if_file) {
    if (path.ends_with("::")) path.resize(path.size() - 2);
    if (path.ends_with("::self")) path.resize(path.size() - 6);
    Add(std::move(path), only_if_file);
  }

  void Add(std::string name, bool only_if_file = false) {
    if (name.empty() || name.size() > kMaxNameBytes) return;
    imports_.push_back({std::move(name), static_cast<int>(tokens_[at_].line), false, false, only_if_file});
  }

  static constexpr size_t kMostLists = 20;
  static constexpr size_t kMostTokens = 1000;  // Of one statement.

  const std::vector<Token>& tokens_;
  const LanguageGroup group_;
  const bool is_kotlin_;
  size_t at_ = 0;
  int depth_ = 0;
  bool names_namespace_ = false;
  std::vector<ImportFact> imports_;
};

}  // namespace

std::vector<ImportFact> ScanImports(const std::vector<Token>& tokens, const Language& language) {
  return ImportScan(tokens, language).Run();
}

}  // namespace toolgate::executors::code_graph::index
