#include "executors/code_graph/index/fact_builder.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/cut_text.h"
#include "common/text/words.h"
#include "executors/code_graph/index/declaration_scan.h"
#include "executors/code_graph/index/import_scan.h"
#include "executors/code_graph/index/java_records.h"
#include "executors/code_graph/index/language.h"
#include "executors/code_graph/index/mention_scan.h"
#include "executors/code_graph/index/perl_packages.h"
#include "executors/code_graph/index/tokens.h"

namespace toolgate::executors::code_graph::index {
namespace {

std::string_view LastSegment(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// The extension for the interpreter that the first line of a script names; empty when there is none.
std::string_view ScriptExtension(std::string_view content) {
  if (content.substr(0, 2) != "#!") return "";
  const std::string_view line = content.substr(0, std::min(content.find('\n'), size_t{200}));
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kInterpreters = {{{"python", ".py"},
                                                                                                  {"perl", ".pl"},
                                                                                                  {"ruby", ".rb"},
                                                                                                  {"node", ".js"},
                                                                                                  {"php", ".php"},
                                                                                                  {"lua", ".lua"},
                                                                                                  {"tclsh", ".tcl"},
                                                                                                  {"sh", ".sh"}}};
  for (const auto& [interpreter, extension] : kInterpreters) {
    if (line.find(interpreter) != std::string_view::npos) return extension;
  }
  return "";
}

int64_t CountLines(std::string_view content) {
  const int64_t ends = std::count(content.begin(), content.end(), '\n');
  return ends + (content.empty() || content.back() == '\n' ? 0 : 1);
}

// Whether universal-ctags made the name of something that has none.
bool IsMadeUp(std::string_view name) { return name.starts_with("__anon"); }

// `typedef struct { … } Name;`: the type has the name of the typedef, which is left out.
void NameTypedefs(std::vector<Tag>& tags) {
  absl::flat_hash_map<int, size_t> unnamed;  // By last line.
  for (size_t i = 0; i < tags.size(); ++i) {
    const bool is_type = tags[i].kind == "struct" || tags[i].kind == "union" || tags[i].kind == "enum";
    if (is_type && IsMadeUp(tags[i].name) && tags[i].end > 0) unnamed[tags[i].end] = i;
  }
  if (unnamed.empty()) return;
  absl::flat_hash_map<std::string, std::string> names;
  for (Tag& tag : tags) {
    const auto type = tag.kind == "typedef" ? unnamed.find(tag.line) : unnamed.end();
    if (type == unnamed.end() || tag.scope != tags[type->second].scope) continue;
    const auto [entry, added] = names.try_emplace(tags[type->second].name, tag.name);
    if (added) tag.roles = "left out";
  }
  std::erase_if(tags, [](const Tag& tag) { return tag.roles == "left out"; });
  for (Tag& tag : tags) {
    if (const auto name = names.find(tag.name); name != names.end()) tag.name = name->second;
    const size_t last = tag.scope.rfind(':') == std::string::npos ? 0 : tag.scope.rfind(':') + 1;
    const auto scope = names.find(tag.scope.substr(last));
    if (scope != names.end()) tag.scope.replace(last, std::string::npos, scope->second);
  }
}

// A name that a file imports under another, or a module's own name: no definition of the file's.
bool IsDefinition(const Tag& tag) {
  // In a shell, `list=(…)` is no function.
  if (tag.language == "Sh" && tag.name.back() == '=') return false;
  // A lambda is code of what is around it.
  if (tag.kind == "function" && IsMadeUp(tag.name)) return false;
  return tag.is_definition() && tag.kind != "unknown" && tag.kind != "packageName" && tag.kind != "parameter" &&
         tag.kind != "local" && !(tag.language == "Python" && !tag.nameref.empty());
}

// Whether the reference `tag` is an import. `import.name` is empty when it is none.
ImportFact ToImport(const Tag& tag) {
  ImportFact import{tag.name, tag.line, tag.kind == "header", tag.roles == "system", false};
  if (import.is_include) return import;
  if (tag.kind == "unknown" && tag.scope_kind == "module") {
    // `from package import name`: the name may be a module.
    import.name = absl::StrCat(tag.scope, tag.scope.back() == '.' ? "" : ".", tag.name);
    import.only_if_file = true;
    return import;
  }
  const bool is_module = tag.kind == "module" || tag.kind == "package" || tag.kind == "library" ||
                         tag.kind == "script" || tag.kind == "protodef" || tag.kind == "namespace";
  if (!is_module) import.name.clear();
  // `from . import name`: the package itself, which has a file only sometimes.
  if (import.name.find_first_not_of('.') == std::string::npos) import.only_if_file = true;
  return import;
}

SymbolFact ToSymbol(Tag tag, const Language& language) {
  SymbolFact symbol;
  symbol.label = LabelOf(tag.kind, tag.scope_kind, tag.language);
  symbol.name = std::move(tag.name);
  symbol.kind = std::move(tag.kind);
  symbol.signature = text::CutText(std::move(tag.signature), kMaxSignatureBytes);
  symbol.scope = std::move(tag.scope);
  symbol.file_scope = tag.file_scope;
  symbol.first_token = tag.first_token;
  symbol.end_token = tag.end_token;
  symbol.first_code = tag.first_code;
  symbol.end_code = tag.end_code;
  symbol.line = tag.line;
  symbol.end_line = std::max(tag.end, tag.line);
  symbol.qualified_name =
      symbol.scope.empty() ? symbol.name : absl::StrCat(symbol.scope, ToAbsl(language.separator), symbol.name);
  return symbol;
}

// Members whose definitions are not visible from other files only because the file that contains them is no header.
bool IsTypeMember(const SymbolFact& symbol) {
  return symbol.label == SymbolLabel::kField || symbol.label == SymbolLabel::kEnumMember;
}

class Builder {
 public:
  Builder(std::string_view path, std::string_view content, std::vector<Tag> tags)
      : path_(path), content_(content), tags_(std::move(tags)) {}

  FileFacts Run() {
    facts_.lines = CountLines(content_);
    facts_.language = LanguageName();
    language_ = FindLanguage(facts_.language);
    if (language_.lex != nullptr) tokens_ = Tokenise(content_, *LexRulesOf(language_, path_));
    if (ScansDeclarations(language_)) tags_ = ScanDeclarations(tokens_, language_);
    if (language_.name == "Java") AddComponents(tokens_, tags_);
    TakeTags();
    FindEnds();
    if (language_.group == LanguageGroup::kPerl) {
      NestInPackages(tokens_, static_cast<int>(facts_.lines), facts_.symbols, bases_);
    }
    if (language_.group == LanguageGroup::kRust) FindTraits();
    FindParents();
    if (language_.lex == nullptr) return std::move(facts_);
    for (ImportFact& import : ScanImports(tokens_, language_)) facts_.imports.push_back(std::move(import));
    facts_.mentions = ScanMentions(tokens_, language_, facts_.symbols);
    AddBases();
    return std::move(facts_);
  }

 private:
  std::string LanguageName() const {
    // A file of a language with a scan of its own may be another one's to universal-ctags.
    const std::string_view by_path = LanguageNameOf(CtagsName(path_, content_));
    if (ScansDeclarations(FindLanguage(by_path))) return std::string(by_path);
    if (!tags_.empty() && !tags_.front().language.empty()) return tags_.front().language;
    return std::string(by_path);
  }

  void TakeTags() {
    if (language_.group == LanguageGroup::kC) NameTypedefs(tags_);
    std::stable_sort(tags_.begin(), tags_.end(), [](const Tag& a, const Tag& b) {
      return std::make_tuple(a.line, -std::max(a.end, a.line), a.first_token) <
             std::make_tuple(b.line, -std::max(b.end, b.line), b.first_token);
    });
    for (Tag& tag : tags_) {
      if (tag.name.size() > kMaxNameBytes || tag.scope.size() > 2 * kMaxNameBytes) continue;
      if (!tag.is_definition()) {
        ImportFact import = ToImport(tag);
        if (!import.name.empty()) facts_.imports.push_back(std::move(import));
      } else if (IsDefinition(tag) && facts_.symbols.size() < kMaxSymbols) {
        has_end_.push_back(tag.end > 0);
        bases_.push_back(std::move(tag.inherits));
        facts_.symbols.push_back(ToSymbol(std::move(tag), language_));
      }
    }
  }

  // The line of the closing brace for each opening one, by the lines of the opening ones.
  std::vector<std::pair<int, int>> FindBraces() const {
    std::vector<std::pair<int, int>> braces;
    std::vector<size_t> open;
    for (const Token& token : tokens_) {
      if (token.IsSign("{")) {
        open.push_back(braces.size());
        braces.emplace_back(token.line, 0);
      } else if (token.IsSign("}") && !open.empty()) {
        braces[open.back()].second = static_cast<int>(token.line);
        open.pop_back();
      }
    }
    return braces;
  }

  void FindEnds() {
    if (std::find(has_end_.begin(), has_end_.end(), false) == has_end_.end()) return;
    const std::vector<std::pair<int, int>> braces = FindBraces();
    std::vector<SymbolFact>& symbols = facts_.symbols;
    int next_line = static_cast<int>(std::min<int64_t>(facts_.lines, INT32_MAX - 1)) + 1;
    for (size_t i = symbols.size(); i-- > 0;) {
      if (i + 1 < symbols.size() && symbols[i + 1].line > symbols[i].line) next_line = symbols[i + 1].line;
      if (has_end_[i]) continue;
      const auto brace = std::lower_bound(braces.begin(), braces.end(), std::make_pair(symbols[i].line, 0));
      if (brace != braces.end() && brace->first < std::max(next_line, symbols[i].line + 1) && brace->second > 0) {
        symbols[i].end_line = std::max(symbols[i].line, brace->second);
      }
    }
  }

  // `impl Trait for Type`: the type, when it is in this file, has the trait as a base.
  void FindTraits() {
    absl::flat_hash_map<std::string_view, size_t> types;
    for (size_t i = 0; i < facts_.symbols.size(); ++i) {
      const SymbolLabel label = facts_.symbols[i].label;
      if (label == SymbolLabel::kStruct || label == SymbolLabel::kEnum || label == SymbolLabel::kUnion) {
        types.try_emplace(facts_.symbols[i].name, i);
      }
    }
    size_t token = 0;
    for (size_t i = 0; i < facts_.symbols.size(); ++i) {
      const SymbolFact& symbol = facts_.symbols[i];
      if (symbol.kind != "implementation") continue;
      while (token < tokens_.size() && static_cast<int>(tokens_[token].line) < symbol.line) ++token;
      const std::string_view trait = TraitAt(token);
      if (trait.empty()) continue;
      const auto type = types.find(symbol.name);
      std::string& bases = bases_[type == types.end() ? i : type->second];
      if (bases.size() < kMaxNameBytes) absl::StrAppend(&bases, bases.empty() ? "" : ",", ToAbsl(trait));
    }
  }

  // The last name before `for` and outside of angle brackets; empty when there is none before the body.
  std::string_view TraitAt(size_t token) const {
    std::string_view name;
    int depth = 0;
    const size_t most = token + kMostTokensOfImpl;
    for (; token < std::min(tokens_.size(), most) && !tokens_[token].IsSign("{") && !tokens_[token].IsSign(";");
         ++token) {
      if (tokens_[token].IsSign("<")) ++depth;
      if (tokens_[token].IsSign(">")) --depth;
      if (depth > 0 || !tokens_[token].IsName()) continue;
      if (tokens_[token].text == "for") return name;
      name = tokens_[token].text;
    }
    return "";
  }

  // Whether `scope` names `symbol`, whatever stands between the parts of a qualified name. The symbol's own scope is
  // shorter then, so that parents form no circle.
  static bool Names(std::string_view scope, const SymbolFact& symbol) {
    if (symbol.scope.empty()) return scope == symbol.name;
    return scope.size() > symbol.scope.size() + symbol.name.size() &&
           scope.substr(0, symbol.scope.size()) == symbol.scope &&
           scope.substr(scope.size() - symbol.name.size()) == symbol.name;
  }

  // Among symbols that the scope names, the last one before the symbol which also ends after it; else the last one
  // before, else the first one.
  void FindParents() {
    std::vector<SymbolFact>& symbols = facts_.symbols;
    absl::flat_hash_map<std::string_view, std::vector<int>> by_name;
    for (size_t i = 0; i < symbols.size(); ++i) {
      // Members that `impl` adds are the type's.
      if (IsTypeMember(symbols[i]) || symbols[i].kind == "implementation") continue;
      const bool has_parts = symbols[i].label == SymbolLabel::kNamespace;
      by_name[has_parts ? LastPart(symbols[i].name) : symbols[i].name].push_back(static_cast<int>(i));
    }
    constexpr size_t kMostCandidates = 200;
    for (size_t i = 0; i < symbols.size(); ++i) {
      SymbolFact& symbol = symbols[i];
      if (symbol.scope.empty()) continue;
      const auto found = by_name.find(LastPart(symbol.scope));
      if (found == by_name.end()) continue;
      int best = -1;
      int best_rank = -1;
      size_t seen = 0;
      for (auto at = found->second.rbegin(); at != found->second.rend() && seen < kMostCandidates; ++at, ++seen) {
        const SymbolFact& candidate = symbols[static_cast<size_t>(*at)];
        if (!Names(symbol.scope, candidate)) continue;
        const bool is_before = candidate.line <= symbol.line;
        const int rank = (is_before ? 1 : 0) + (is_before && candidate.end_line >= symbol.line ? 1 : 0);
        if (rank > best_rank) {
          best = *at;
          best_rank = rank;
        }
      }
      symbol.parent = best;
    }
  }

  std::string_view LastPart(std::string_view scope) const {
    const size_t at = scope.find_last_of(".:\\/\"");
    return at == std::string_view::npos ? scope : scope.substr(at + 1);
  }

  // The end of the first of the bases, whose type arguments may have commas too.
  static size_t EndOfBase(std::string_view bases) {
    int depth = 0;
    for (size_t i = 0; i < bases.size(); ++i) {
      if (bases[i] == '<' || bases[i] == '[' || bases[i] == '(') ++depth;
      if (bases[i] == '>' || bases[i] == ']' || bases[i] == ')') --depth;
      if (bases[i] == ',' && depth <= 0) return i;
    }
    return bases.size();
  }

  std::string_view NameOfBase(std::string_view whole) const {
    // In Python, "name=" gives a metaclass and the like.
    if (whole.find('=') != std::string_view::npos) return "";
    // Packages of Perl are named whole.
    if (language_.group == LanguageGroup::kPerl) return text::Trim(whole);
    return text::Trim(LastPart(whole.substr(0, whole.find_first_of("<[("))));
  }

  // Adds the base classes that universal-ctags names, such as "Base,other::Interface<T, U>".
  void AddBases() {
    MentionList& list = facts_.mentions;
    for (size_t i = 0; i < bases_.size(); ++i) {
      for (std::string_view rest = bases_[i]; !rest.empty();) {
        const size_t end = EndOfBase(rest);
        const std::string_view base = NameOfBase(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (base.empty() || base.size() > kMaxNameBytes || list.mentions.size() >= kMaxMentions) continue;
        Mention mention;
        mention.source = static_cast<int>(i);
        mention.type = RelationshipType::kExtends;
        mention.line = facts_.symbols[i].line;
        mention.name = static_cast<uint32_t>(list.names.size());
        list.names.emplace_back(base);
        list.mentions.push_back(mention);
      }
    }
  }

  static constexpr size_t kMostTokensOfImpl = 100;

  const std::string_view path_;
  const std::string_view content_;
  std::vector<Tag> tags_;
  Language language_;
  std::vector<Token> tokens_;
  FileFacts facts_;
  std::vector<bool> has_end_;  // By symbol, as is the next.
  std::vector<std::string> bases_;
};

}  // namespace

std::string CtagsName(std::string_view path, std::string_view content) {
  std::string name(LastSegment(path));
  if (const std::string_view known = CtagsExtensionOf(name); !known.empty()) {
    absl::StrAppend(&name, ".", ToAbsl(known));
  } else if (LanguageNameOf(name).empty() && name.find('.') == std::string::npos) {
    name += ScriptExtension(content);
  }
  return name;
}

bool WantsTags(std::string_view ctags_name) { return !ScansDeclarations(FindLanguage(LanguageNameOf(ctags_name))); }

std::string_view TextForCtags(std::string_view ctags_name, std::string_view content, std::string& rewritten) {
  const bool has_new_words =
      content.find("record ") != std::string_view::npos || content.find("sealed ") != std::string_view::npos;
  if (!has_new_words || LanguageNameOf(ctags_name) != "Java") return content;
  rewritten = WithoutRecords(content);
  return rewritten;
}

FileFacts BuildFacts(std::string_view path, std::string_view content, std::vector<Tag> tags) {
  return Builder(path, content, std::move(tags)).Run();
}

}  // namespace toolgate::executors::code_graph::index
