#include "executors/artifacts/checks/code/code_check.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"

namespace toolgate::executors::artifacts::checks::code {
namespace {

// How a language writes what may hold brackets that are none.
struct Lexis {
  std::string_view line_comment;
  std::string_view comment_open;
  std::string_view comment_close;
  std::string_view quotes;       // Of strings that end on their line.
  std::string_view long_quotes;  // One character that opens and closes a string of many lines; empty: none.
  bool triple_quotes = false;    // """ and ''' open and close strings of many lines.
};

constexpr Lexis kC = {"//", "/*", "*/", "\"'", ""};
constexpr Lexis kJava = {"//", "/*", "*/", "\"'", "", true};
constexpr Lexis kGo = {"//", "/*", "*/", "\"'", "`"};
// A ' may begin a lifetime or a label.
constexpr Lexis kRust = {"//", "/*", "*/", "", "\""};
constexpr Lexis kPython = {"#", "", "", "\"'", "", true};
constexpr Lexis kSql = {"--", "/*", "*/", "", "'"};
constexpr Lexis kCss = {"", "/*", "*/", "\"'", ""};

struct Language {
  std::string_view name;
  const Lexis* lexis;
};

// Without those that regular expressions, here-documents or strings with code in them make impossible to read so
// simply: JavaScript, Perl, Ruby, PHP, shells.
constexpr auto kLanguages = std::to_array<Language>({
    {"c", &kC},     {"h", &kC},           {"cpp", &kC},      {"c++", &kC},   {"cc", &kC},      {"objc", &kC},
    {"dart", &kC},  {"csharp", &kJava},   {"cs", &kJava},    {"c#", &kJava}, {"java", &kJava}, {"kotlin", &kJava},
    {"kt", &kJava}, {"scala", &kJava},    {"swift", &kJava}, {"go", &kGo},   {"golang", &kGo}, {"rust", &kRust},
    {"rs", &kRust}, {"python", &kPython}, {"py", &kPython},  {"sql", &kSql}, {"css", &kCss},   {"scss", &kC},
    {"proto", &kC}, {"glsl", &kC},
});

const Lexis* FindLexis(std::string_view language) {
  const std::string name = absl::AsciiStrToLower(ToAbsl(language));
  for (const Language& known : kLanguages) {
    if (known.name == name) return known.lexis;
  }
  return nullptr;
}

class CodeReader {
 public:
  CodeReader(std::string_view source, const Lexis& lexis) : source_(source), lexis_(lexis), problems_(source) {}

  std::vector<Problem> Read() && {
    problems_.Unchecked(0, "not-checked", "only brackets, strings and comments are checked, not what is between them");
    while (at_ < source_.size() && !stopped_) Step();
    if (!stopped_ && !open_.empty()) {
      problems_.Warn(open_.back(), "unclosed-bracket",
                     absl::StrCat("nothing closes this ", Quoted(source_.substr(open_.back(), 1))));
    }
    return problems_.Take();
  }

 private:
  bool At(std::string_view text) const { return !text.empty() && source_.substr(at_, text.size()) == text; }

  void Step() {
    const char c = source_[at_];
    if (At(lexis_.line_comment)) {
      at_ = std::min(source_.find('\n', at_), source_.size());
    } else if (At(lexis_.comment_open)) {
      SkipTo(lexis_.comment_close, lexis_.comment_open.size(), false, "unterminated-comment");
    } else if (lexis_.triple_quotes && (At("\"\"\"") || At("'''"))) {
      SkipTo(source_.substr(at_, 3), 3, true, "unterminated-string");
    } else if (lexis_.long_quotes.find(c) != std::string_view::npos) {
      SkipTo(source_.substr(at_, 1), 1, c != '`', "unterminated-string");
    } else if (lexis_.quotes.find(c) != std::string_view::npos) {
      SkipString(c);
    } else {
      ReadBracket(c);
    }
  }

  void SkipTo(std::string_view close, size_t opening, bool escapes, std::string_view rule) {
    const size_t begin = at_;
    at_ += opening;
    while (at_ < source_.size() && !At(close)) at_ += escapes && source_[at_] == '\\' ? 2 : 1;
    if (at_ >= source_.size()) {
      Stop(begin, rule, "the source ends before this does");
      return;
    }
    at_ += close.size();
  }

  void SkipString(char quote) {
    const size_t begin = at_++;
    while (at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n') at_ += source_[at_] == '\\' ? 2 : 1;
    if (at_ >= source_.size() || source_[at_] == '\n') {
      Stop(begin, "unterminated-string", "the string has no end on its line");
      return;
    }
    ++at_;
  }

  void ReadBracket(char c) {
    constexpr std::string_view kOpening = "([{";
    constexpr std::string_view kClosing = ")]}";
    const size_t kind = kClosing.find(c);
    if (kOpening.find(c) != std::string_view::npos) open_.push_back(at_);
    if (kind != std::string_view::npos) {
      if (open_.empty() || source_[open_.back()] != kOpening[kind]) {
        Stop(at_, "unexpected-bracket",
             absl::StrCat("nothing is open that this ", Quoted(source_.substr(at_, 1)), " would close"));
        return;
      }
      open_.pop_back();
    }
    ++at_;
  }

  // Ends the check: the text after `offset` cannot be told apart any more.
  void Stop(size_t offset, std::string_view rule, std::string message) {
    problems_.Warn(offset, rule, std::move(message));
    stopped_ = true;
  }

  const std::string_view source_;
  const Lexis& lexis_;
  Problems problems_;
  size_t at_ = 0;
  bool stopped_ = false;
  std::vector<size_t> open_;
};

// Tells whether a text is JSON, without making anything of it.
class JsonReader final : public nlohmann::json_sax<Json> {
 public:
  explicit JsonReader(Problems& problems) : problems_(problems) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(Json::number_integer_t) override { return true; }
  bool number_unsigned(Json::number_unsigned_t) override { return true; }
  bool number_float(Json::number_float_t, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(Json::binary_t&) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(std::string&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }

  bool parse_error(size_t position, const std::string& token, const nlohmann::detail::exception& error) override {
    const size_t offset = position == 0 ? 0 : position - 1;
    if (error.id == kOutOfRange) {
      problems_.Unchecked(offset, "not-checked",
                          "the number is beyond the range of a double, and nothing behind it is read");
    } else {
      problems_.Error(offset, "not-json", absl::StrCat("this is no JSON from here on: ", Quoted(token)));
    }
    return false;
  }

 private:
  static constexpr int kOutOfRange = 406;  // nlohmann's number for it.

  Problems& problems_;
};

std::vector<Problem> CheckJson(std::string_view source) {
  Problems problems(source);
  JsonReader reader(problems);
  Json::sax_parse(source.begin(), source.end(), &reader);
  return problems.Take();
}

std::vector<Problem> NotChecked(std::string_view source) {
  Problems problems(source);
  problems.Unchecked(0, "not-checked", "source of this language is not checked");
  return problems.Take();
}

}  // namespace

std::vector<Problem> CheckCode(std::string_view source, std::string_view language) {
  if (absl::EqualsIgnoreCase(ToAbsl(language), "json")) return CheckJson(source);
  const Lexis* const lexis = FindLexis(language);
  return lexis == nullptr ? NotChecked(source) : CodeReader(source, *lexis).Read();
}

}  // namespace toolgate::executors::artifacts::checks::code
