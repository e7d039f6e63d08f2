#include "executors/code_graph/index/language.h"

#include <array>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_map.h"
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
constexpr LexRules kJvmLex = {
    .line_comment = "//", .block_begin = "/*", .block_end = "*/", .character_literals = true, .triple_quotes = true};
constexpr LexRules kRustLex = {.line_comment = "//",
                               .block_begin = "/*",
                               .block_end = "*/",
                               .nested_blocks = true,
                               .character_literals = true,
                               .strings_span_lines = true};
constexpr LexRules kScriptLex = {.line_comment = "//",
                                 .block_begin = "/*",
                                 .block_end = "*/",
                                 .single_quoted_strings = true,
                                 .backtick_strings = true,
                                 .regex_literals = true,
                                 .dollar_in_names = true};
constexpr LexRules kPhpLex = {.line_comment = "//",
                              .other_line_comment = "#",
                              .block_begin = "/*",
                              .block_end = "*/",
                              .single_quoted_strings = true,
                              .strings_span_lines = true,
                              .sigils = true};
constexpr LexRules kPythonLex = {.line_comment = "#", .single_quoted_strings = true, .triple_quotes = true};
constexpr LexRules kRubyLex = {.line_comment = "#",
                               .comment_after_blank = true,
                               .single_quoted_strings = true,
                               .strings_span_lines = true,
                               .sigils = true};
constexpr LexRules kPerlLex = kRubyLex;
constexpr LexRules kShellLex = kRubyLex;
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
  const Keywords* const jvm = Words(
      "abstract as assert boolean break byte case catch char class companion const constructor continue data default "
      "do "
      "double else enum extends false final finally float for fun goto if implements import in instanceof int "
      "interface "
      "internal is lateinit long native new null object open override package private protected public record return "
      "sealed short static strictfp super switch synchronized this throw throws transient true try typealias val var "
      "void volatile when while yield");
  const Keywords* const sharp = Words(
      "abstract as base bool break byte case catch char checked class const continue decimal default delegate do "
      "double "
      "else enum event explicit extern false finally fixed float for foreach get goto if implicit in int interface "
      "internal is lock long nameof namespace new null object operator out override params private protected public "
      "readonly ref return sbyte sealed set short sizeof stackalloc static string struct switch this throw true try "
      "typeof uint ulong unchecked unsafe ushort using value var virtual void volatile where while yield");
  const Keywords* const script = Words(
      "abstract any as async await boolean break case catch class const constructor continue debugger declare default "
      "delete do else enum export extends false finally for from function get if implements import in instanceof "
      "interface is keyof let namespace never new null number object of private protected public readonly return set "
      "static string super switch symbol this throw true try type typeof undefined unknown var void while with yield");
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
      "alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or "
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
      {"C#", Group::kSharp, ".", &kJvmLex, true, false, sharp},
      {"Go", Group::kGo, ".", &kGoLex, true, false, go},
      {"Java", Group::kJvm, ".", &kJvmLex, true, false, jvm},
      {"Kotlin", Group::kJvm, ".", &kJvmLex, true, false, jvm},
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

// Extensions without their dot.
const absl::flat_hash_map<std::string_view, std::string_view>& NamesByExtension() {
  static const auto* const names =
      new absl::flat_hash_map<std::string_view, std::string_view>{{"c", "C"},
                                                                  {"h", "C++"},
                                                                  {"cc", "C++"},
                                                                  {"cpp", "C++"},
                                                                  {"cxx", "C++"},
                                                                  {"hh", "C++"},
                                                                  {"hpp", "C++"},
                                                                  {"hxx", "C++"},
                                                                  {"ipp", "C++"},
                                                                  {"inl", "C++"},
                                                                  {"cu", "CUDA"},
                                                                  {"m", "ObjectiveC"},
                                                                  {"cs", "C#"},
                                                                  {"go", "Go"},
                                                                  {"java", "Java"},
                                                                  {"kt", "Kotlin"},
                                                                  {"js", "JavaScript"},
                                                                  {"mjs", "JavaScript"},
                                                                  {"cjs", "JavaScript"},
                                                                  {"jsx", "JavaScript"},
                                                                  {"ts", "TypeScript"},
                                                                  {"tsx", "TypeScript"},
                                                                  {"rs", "Rust"},
                                                                  {"py", "Python"},
                                                                  {"pyi", "Python"},
                                                                  {"php", "PHP"},
                                                                  {"rb", "Ruby"},
                                                                  {"pl", "Perl"},
                                                                  {"pm", "Perl"},
                                                                  {"sh", "Sh"},
                                                                  {"bash", "Sh"},
                                                                  {"lua", "Lua"},
                                                                  {"proto", "Protobuf"},
                                                                  {"md", "Markdown"},
                                                                  {"sql", "SQL"},
                                                                  {"cmake", "CMake"},

                                                                  {"mk", "Make"},
                                                                  {"css", "CSS"},
                                                                  {"html", "HTML"},
                                                                  {"json", "JSON"},
                                                                  {"xml", "XML"},
                                                                  {"yaml", "Yaml"},
                                                                  {"yml", "Yaml"},
                                                                  {"rst", "ReStructuredText"},
                                                                  {"tex", "Tex"},
                                                                  {"l", "Flex"},
                                                                  {"y", "YACC"},
                                                                  {"hs", "Haskell"}};
  return *names;
}

std::string_view NameByExtension(std::string_view extension) {
  const auto found = NamesByExtension().find(extension);
  return found == NamesByExtension().end() ? std::string_view() : found->second;
}

}  // namespace

Language FindLanguage(std::string_view name) {
  for (const Language& language : AllLanguages().all) {
    if (language.name == name) return language;
  }
  return {.name = name};
}

std::string_view LanguageNameOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const size_t dot = name.rfind('.');
  if (name == "CMakeLists.txt") return "CMake";
  if (name == "Makefile") return "Make";
  return dot == std::string_view::npos ? std::string_view() : NameByExtension(name.substr(dot + 1));
}

}  // namespace toolgate::executors::code_graph::index
