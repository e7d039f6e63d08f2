#include "executors/code_graph/index/language.h"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"

namespace toolgate::executors::code_graph::index {
namespace {

using Keywords = absl::flat_hash_set<std::string_view>;
using Group = LanguageGroup;

const Keywords* Words(std::string_view text) {
  auto* const words = new Keywords;
  for (const absl::string_view word : absl::StrSplit(ToAbsl(text), ' ')) words->insert(FromAbsl(word));
  return words;
}

constexpr LexRules kCLex = {
    .line_comment = "//", .block_begin = "/*", .block_end = "*/", .character_literals = true, .raw_strings = true};
constexpr LexRules kGoLex = {
    .line_comment = "//", .block_begin = "/*", .block_end = "*/", .character_literals = true, .backtick_strings = true};
constexpr LexRules kJavaLex = {
    .line_comment = "//", .block_begin = "/*", .block_end = "*/", .character_literals = true, .triple_quotes = true};
constexpr LexRules kKotlinLex = {.line_comment = "//",
                                 .block_begin = "/*",
                                 .block_end = "*/",
                                 .nested_blocks = true,
                                 .character_literals = true,
                                 .backtick_names = true,
                                 .interpolated_code = true,
                                 .triple_quotes = true};
constexpr LexRules kSharpLex = {.line_comment = "//",
                                .block_begin = "/*",
                                .block_end = "*/",
                                .character_literals = true,
                                .verbatim_strings = true,
                                .directives = true,
                                .triple_quotes = true};
constexpr LexRules kRustLex = {.line_comment = "//",
                               .block_begin = "/*",
                               .block_end = "*/",
                               .nested_blocks = true,
                               .character_literals = true,
                               .strings_span_lines = true};
constexpr LexRules ScriptLex(bool jsx) {
  return {.line_comment = "//",
          .block_begin = "/*",
          .block_end = "*/",
          .single_quoted_strings = true,
          .backtick_strings = true,
          .template_code = true,
          .jsx = jsx,
          .regex_literals = true,
          .dollar_in_names = true};
}
constexpr LexRules kScriptLex = ScriptLex(false);
constexpr LexRules kJsxLex = ScriptLex(true);
constexpr LexRules kPhpLex = {.line_comment = "//",
                              .other_line_comment = "#",
                              .block_begin = "/*",
                              .block_end = "*/",
                              .single_quoted_strings = true,
                              .strings_span_lines = true,
                              .code_in_tags = true,
                              .heredocs = true,
                              .sigils = true};
constexpr LexRules kPythonLex = {
    .line_comment = "#", .single_quoted_strings = true, .triple_quotes = true, .format_strings = true};
constexpr LexRules kPerlLex = {.line_comment = "#",
                               .pod_end = "\n=cut",
                               .single_quoted_strings = true,
                               .strings_span_lines = true,
                               .special_variables = true,
                               .quote_words = true,
                               .heredocs = true,
                               .regex_literals = true,
                               .sigils = true};
constexpr LexRules kShellLex = {.line_comment = "#",
                                .comment_after_blank = true,
                                .single_quoted_strings = true,
                                .strings_span_lines = true,
                                .command_code = true,
                                .heredocs = true,
                                .sigils = true};
constexpr LexRules kRubyLex = {.line_comment = "#",
                               .pod_end = "\n=end",
                               .single_quoted_strings = true,
                               .strings_span_lines = true,
                               .hash_code = true,
                               .marked_names = true,
                               .special_variables = true,
                               .heredocs = true,
                               .regex_literals = true,
                               .sigils = true};
constexpr LexRules kLuaLex = {.line_comment = "--", .single_quoted_strings = true, .long_brackets = true};

struct Languages {
  const Keywords* const c = Words(
      "alignas alignof and asm auto bool break case catch char char16_t char32_t class co_await co_return co_yield "
      "const "
      "consteval constexpr constinit const_cast continue decltype default defined delete do double dynamic_cast elif "
      "else endif enum explicit export extern false final float for friend goto if ifdef ifndef include inline int "
      "long "
      "mutable namespace new noexcept not nullptr NULL operator or override pragma private protected public register "
      "reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch "
      "template this thread_local throw true try typedef typeid typename typeof undef union unsigned using va_arg "
      "virtual void volatile wchar_t while __attribute__ __asm__ __inline __restrict __volatile__ define error");
  const Keywords* const go = Words(
      "append bool break byte cap case chan close complex const continue copy default defer delete else error "
      "fallthrough false float32 float64 for func go goto if import int int16 int32 int64 int8 interface iota len make "
      "map new nil package panic range recover return rune select string struct switch true type uint uint16 uint32 "
      "uint64 uint8 uintptr var");
  const Keywords* const java = Words(
      "abstract assert boolean break byte case catch char class const continue default do double else enum extends "
      "false final finally float for goto if implements import instanceof int interface long native new null package "
      "private protected public return short static strictfp super switch synchronized this throw throws transient "
      "true try var void volatile while yield");
  const Keywords* const kotlin = Words(
      "abstract actual annotation as break by catch class companion const constructor continue crossinline data do "
      "else enum expect external false final finally for fun if import in infix init inline inner interface internal "
      "is lateinit noinline null object open operator out override package private protected public reified return "
      "sealed super suspend tailrec this throw true try typealias val value var vararg when where while");
  const Keywords* const sharp = Words(
      "abstract and as ascending async await base bool break byte case catch char checked class const continue decimal "
      "default delegate descending do double else enum equals event explicit extern false finally fixed float for "
      "foreach goto if implicit in int interface internal into is join lock long nameof namespace new not null object "
      "on operator or orderby out override params partial private protected public readonly record ref required return "
      "sbyte scoped sealed select set short sizeof stackalloc static string struct switch this throw true try typeof "
      "uint ulong unchecked unsafe ushort using var virtual void volatile when where while with yield");
  const Keywords* const script = Words(
      "as asserts async await break case catch class const constructor continue debugger default delete do else enum "
      "export extends false finally for function if implements import in infer instanceof interface keyof let new "
      "null of private protected public readonly return satisfies static super switch this throw true try typeof "
      "undefined unique var void while with yield");
  const Keywords* const rust = Words(
      "as async await bool box break char const continue crate dyn else enum extern f32 f64 false fn for i128 i16 i32 "
      "i64 i8 if impl in isize let loop match mod move mut pub ref return self Self static str struct super trait true "
      "type u128 u16 u32 u64 u8 union unsafe use usize where while");
  const Keywords* const python = Words(
      "and as assert async await break class cls continue def del elif else except False finally for from global if "
      "import in is lambda None nonlocal not or pass raise return self True try while with yield");
  const Keywords* const php = Words(
      "abstract and array as break callable case catch class clone const continue declare default die do echo else "
      "elseif empty enddeclare endfor endforeach endif endswitch endwhile enum exit extends false final finally fn for "
      "foreach function global goto if implements include include_once instanceof insteadof interface isset list match "
      "namespace new null or parent print private protected public readonly require require_once return self static "
      "switch this throw trait true try unset use var while xor yield");
  const Keywords* const ruby = Words(
      "alias and begin break case class def defined defined? do else elsif end ensure false for if in module next nil "
      "not or "
      "redo "
      "rescue retry return self super then true undef unless until when while yield");
  const Keywords* const perl = Words(
      "and cmp continue do else elsif eq for foreach ge given gt if last le local lt my ne next no not or our package "
      "print q qq qr qw redo return sub tr unless until use when while xor");
  const Keywords* const shell = Words(
      "case do done echo elif else esac exit export fi for function if in local return set shift then unset until "
      "while");
  const Keywords* const lua = Words(
      "and break do else elseif end false for function goto if in local nil not or repeat return self then true until "
      "while");

  const std::array<Language, 20> all = {{
      {"C", Group::kC, "::", &kCLex, false, false, c},
      {"C++", Group::kC, "::", &kCLex, false, false, c},
      {"CUDA", Group::kC, "::", &kCLex, false, false, c},
      {"ObjectiveC", Group::kC, "::", &kCLex, false, false, c},
      {"Flex", Group::kC, "::", &kCLex, false, false, c},
      {"YACC", Group::kC, "::", &kCLex, false, false, c},
      {"C#", Group::kSharp, ".", &kSharpLex, true, false, sharp},
      {"Go", Group::kGo, ".", &kGoLex, true, false, go},
      {"Java", Group::kJvm, ".", &kJavaLex, true, false, java},
      {"Kotlin", Group::kJvm, ".", &kKotlinLex, true, false, kotlin},
      {"JavaScript", Group::kScript, ".", &kScriptLex, false, false, script},
      {"TypeScript", Group::kScript, ".", &kScriptLex, false, false, script},
      {"Rust", Group::kRust, "::", &kRustLex, false, false, rust},
      {"Python", Group::kPython, ".", &kPythonLex, false, true, python},
      {"PHP", Group::kPhp, "\\", &kPhpLex, false, false, php},
      {"Ruby", Group::kRuby, ".", &kRubyLex, false, true, ruby},
      {"Perl", Group::kPerl, "::", &kPerlLex, false, false, perl},
      {"Sh", Group::kShell, ".", &kShellLex, false, false, shell},
      {"Lua", Group::kLua, ".", &kLuaLex, false, false, lua},
      {"Protobuf", Group::kOther, ".", nullptr, false, false, nullptr},
  }};
};

const Languages& AllLanguages() {
  static const auto* const languages = new Languages;
  return *languages;
}

struct Extensions {
  std::string_view language;
  std::string_view known;   // Those that universal-ctags maps to the language.
  std::string_view others;  // Those that it does not, or maps to another one.
};

// Without their dots. The first known one is given to universal-ctags for all others.
constexpr std::array kExtensions = {
    Extensions{"C", "c", ""},
    Extensions{"C++", "cpp cc cxx c++ cp h hh hpp hxx h++ hp inl", "ipp tpp txx tcc ixx cppm ccm mpp ii ino"},
    Extensions{"CUDA", "cu cuh", ""},
    Extensions{"ObjectiveC", "mm m", ""},
    Extensions{"C#", "cs", "csx"},
    Extensions{"Go", "go", ""},
    Extensions{"Java", "java", "jav"},
    Extensions{"Kotlin", "kt kts", ""},
    Extensions{"JavaScript", "js jsx mjs", "cjs es6"},
    Extensions{"TypeScript", "ts", "tsx mts cts"},
    Extensions{"Rust", "rs", ""},
    Extensions{"Python", "py pyx pxd pxi scons wsgi", "pyi pyw py3 gyp bzl"},
    Extensions{"PHP", "php php3 php4 php5 php7 phtml", "php8 phps phpt"},
    Extensions{"Ruby", "rb ruby", "rake gemspec ru podspec jbuilder thor rbi rabl builder"},
    Extensions{"Perl", "pl pm ph plx perl", "psgi t"},
    Extensions{"Sh", "sh bsh bash ksh zsh ash", "dash bats ebuild"},
    Extensions{"Lua", "lua", "luau rockspec"},
    Extensions{"Protobuf", "proto", ""},
    Extensions{"Markdown", "md markdown", ""},
    Extensions{"SQL", "sql", ""},
    Extensions{"CMake", "cmake", ""},
    Extensions{"Make", "mk mak", ""},
    Extensions{"CSS", "css", ""},
    Extensions{"HTML", "html htm", ""},
    Extensions{"JSON", "json", ""},
    Extensions{"XML", "xml", ""},
    Extensions{"Yaml", "yaml yml", ""},
    Extensions{"ReStructuredText", "rst", ""},
    Extensions{"Tex", "tex", ""},
    Extensions{"Flex", "l", ""},
    Extensions{"YACC", "y", ""},
    Extensions{"Haskell", "hs", ""},
};

// Whole names of files.
constexpr std::array<std::pair<std::string_view, std::string_view>, 26> kFileNames = {{
    {"CMakeLists.txt", "CMake"},
    {"Makefile", "Make"},
    {"GNUmakefile", "Make"},
    {"makefile", "Make"},
    {"Rakefile", "Ruby"},
    {"Gemfile", "Ruby"},
    {"Guardfile", "Ruby"},
    {"Vagrantfile", "Ruby"},
    {"Podfile", "Ruby"},
    {"Fastfile", "Ruby"},
    {"Capfile", "Ruby"},
    {"Brewfile", "Ruby"},
    {"Dangerfile", "Ruby"},
    {"Appraisals", "Ruby"},
    {"SConstruct", "Python"},
    {"SConscript", "Python"},
    {"wscript", "Python"},
    {"cpanfile", "Perl"},
    {"PKGBUILD", "Sh"},
    {"APKBUILD", "Sh"},
    {".bashrc", "Sh"},
    {".bash_profile", "Sh"},
    {".bash_aliases", "Sh"},
    {".profile", "Sh"},
    {".zshrc", "Sh"},
    {".zshenv", "Sh"},
}};

struct ExtensionUse {
  std::string_view language;
  std::string_view canonical;  // For universal-ctags; empty when it knows the extension.
};

const absl::flat_hash_map<std::string_view, ExtensionUse>& UsesByExtension() {
  static const auto* const uses = [] {
    auto* const made = new absl::flat_hash_map<std::string_view, ExtensionUse>;
    for (const Extensions& extensions : kExtensions) {
      const std::string_view first = extensions.known.substr(0, extensions.known.find(' '));
      for (const absl::string_view known : absl::StrSplit(ToAbsl(extensions.known), ' ')) {
        made->insert({FromAbsl(known), {extensions.language, ""}});
      }
      for (const absl::string_view other : absl::StrSplit(ToAbsl(extensions.others), ' ', absl::SkipEmpty())) {
        made->insert({FromAbsl(other), {extensions.language, first}});
      }
    }
    return made;
  }();
  return *uses;
}

std::string_view FileNameOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Of the last segment of a path; a whole name counts as one that universal-ctags does not know. Extensions in capitals,
// as some systems write them, are taken in small letters.
ExtensionUse UseOf(std::string_view name) {
  for (const auto& [whole, language] : kFileNames) {
    if (whole != name) continue;
    for (const Extensions& extensions : kExtensions) {
      if (extensions.language == language) {
        return {language, extensions.known.substr(0, extensions.known.find(' '))};
      }
    }
  }
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  std::string extension(name.substr(dot + 1));
  if (extension.size() > 1) absl::AsciiStrToLower(&extension);  // A C in capitals is C++.
  const auto found = UsesByExtension().find(extension);
  if (found == UsesByExtension().end()) return {};
  ExtensionUse use = found->second;
  if (extension != name.substr(dot + 1) && use.canonical.empty()) use.canonical = found->first;
  return use;
}

}  // namespace

Language FindLanguage(std::string_view name) {
  for (const Language& language : AllLanguages().all) {
    if (language.name == name) return language;
  }
  return {.name = name};
}

const LexRules* LexRulesOf(const Language& language, std::string_view path) {
  const bool may_have_jsx = language.name == "JavaScript" || (language.name == "TypeScript" && path.ends_with("x"));
  return language.lex != nullptr && may_have_jsx ? &kJsxLex : language.lex;
}

std::string_view LanguageNameOf(std::string_view path) { return UseOf(FileNameOf(path)).language; }

std::string_view CtagsExtensionOf(std::string_view path) { return UseOf(FileNameOf(path)).canonical; }

}  // namespace toolgate::executors::code_graph::index
