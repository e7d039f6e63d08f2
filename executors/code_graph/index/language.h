// Programming languages, as far as the index knows more of them than universal-ctags tells.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_LANGUAGE_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_LANGUAGE_H_

#include <string_view>

#include "absl/container/flat_hash_set.h"

namespace toolgate::executors::code_graph::index {

// Languages whose symbols can mention each other's.
enum class LanguageGroup {
  kOther,
  kC,  // With C++, CUDA and Objective-C.
  kGo,
  kJvm,  // Java and Kotlin.
  kLua,
  kPerl,
  kPhp,
  kPython,
  kRuby,
  kRust,
  kScript,  // JavaScript and TypeScript.
  kSharp,
  kShell,
};

// How a language's source text falls into tokens.
struct LexRules {
  std::string_view line_comment = {};
  std::string_view other_line_comment = {};
  std::string_view block_begin = {};
  std::string_view block_end = {};
  std::string_view pod_end = {};  // Ends the documentation that begins with a line "=word"; empty: there is none.
  bool nested_blocks = false;
  bool comment_after_blank = false;    // A line comment begins a word.
  bool character_literals = false;     // 'x' is a character; a quote that is not closed is not a literal.
  bool single_quoted_strings = false;  // 'text' is a string.
  bool backtick_strings = false;
  bool strings_span_lines = false;
  bool backtick_names = false;     // `any text` is a name.
  bool template_code = false;      // `text ${code}` between backticks.
  bool interpolated_code = false;  // "text ${code}"
  bool hash_code = false;          // "text #{code}"
  bool verbatim_strings = false;   // @"text ""text""" and $"text {code}"
  bool directives = false;         // A line whose first sign is `#` is no code.
  bool jsx = false;                // <Element>text {code}</Element>
  bool marked_names = false;       // `name?` and `name!` are names.
  bool special_variables = false;  // $" and $' are variables.
  bool quote_words = false;        // q(text), m{text}, s/text/text/
  bool code_in_tags = false;       // <?php code ?>
  bool command_code = false;       // "text $(code)"
  bool heredocs = false;           // <<~NAME, the lines until NAME
  bool triple_quotes = false;
  bool format_strings = false;   // f"text {code}"
  bool raw_strings = false;      // R"delimiter( … )delimiter"
  bool regex_literals = false;   // /text/
  bool long_brackets = false;    // [[ … ]] and --[[ … ]]
  bool dollar_in_names = false;  // `$` belongs to names.
  bool sigils = false;           // Names after `$`, `@` or `%` are variables.
};

struct Language {
  std::string_view name;  // As universal-ctags has it.
  LanguageGroup group = LanguageGroup::kOther;
  std::string_view separator = ".";  // In qualified names.
  const LexRules* lex = nullptr;     // Null: its text is not scanned.
  bool shares_folder = false;        // Files of a folder see each other's symbols without an import.
  bool assignments_declare = false;  // `name = …` in a function makes a variable of its own.
  const absl::flat_hash_set<std::string_view>* keywords = nullptr;

  bool IsKeyword(std::string_view word) const { return keywords != nullptr && keywords->contains(word); }
};

// The rules by which the text of a file in `language` is read; null when it is not scanned. Beside the language, the
// extension decides whether there is JSX.
const LexRules* LexRulesOf(const Language& language, std::string_view path);

// A language without rules for names that are not in the list. Valid as long as the program, but for the name, which is
// borrowed from `name` when it is not in the list.
Language FindLanguage(std::string_view name);

// The name of a path's language by its last segment, in universal-ctags' words; empty when it is not known.
std::string_view LanguageNameOf(std::string_view path);

// The extension, with its dot, by which universal-ctags knows the language of files like this one, whose own name does
// not tell it; empty when it does, or when the language is not known.
std::string_view CtagsExtensionOf(std::string_view path);

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_LANGUAGE_H_
