#include "executors/code_graph/index/declaration_scan.h"

#include "executors/code_graph/index/declaration_cursor.h"

namespace toolgate::executors::code_graph::index {

bool ScansDeclarations(const Language& language) {
  return language.group == LanguageGroup::kScript || language.group == LanguageGroup::kSharp ||
         language.group == LanguageGroup::kLua || language.group == LanguageGroup::kPhp ||
         language.group == LanguageGroup::kRuby || language.name == "Kotlin";
}

std::vector<Tag> ScanDeclarations(const std::vector<Token>& tokens, const Language& language) {
  if (language.group == LanguageGroup::kScript) return ScanScript(tokens, language);
  if (language.group == LanguageGroup::kSharp) return ScanSharp(tokens, language);
  if (language.group == LanguageGroup::kLua) return ScanLua(tokens, language);
  if (language.group == LanguageGroup::kPhp) return ScanPhp(tokens, language);
  if (language.group == LanguageGroup::kRuby) return ScanRuby(tokens, language);
  if (language.name == "Kotlin") return ScanKotlin(tokens, language);
  return {};
}

}  // namespace toolgate::executors::code_graph::index
