#include "executors/sql/engine/printf_function.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace toolgate::executors::sql::engine {
namespace {

constexpr std::string_view kFlags = "-+ #!0,";
constexpr std::string_view kIntegers = "diuxXopr";
constexpr std::string_view kReals = "eEfgG";
constexpr std::string_view kTexts = "szqQw";

struct FreeString {
  void operator()(sqlite3_str* string) const { sqlite3_free(sqlite3_str_finish(string)); }
};

// One conversion: "%-8.3f".
struct Conversion {
  std::string flags;
  std::optional<int64_t> width;
  std::optional<int64_t> precision;
  char type = '\0';
};

// Writes one call's text.
class Formatter {
 public:
  Formatter(sqlite3* db, int count, sqlite3_value** arguments)
      : limit_(sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1)),
        made_(sqlite3_str_new(db)),
        arguments_(arguments),
        left_(count) {}

  // False: something is too long.
  bool Format(std::string_view format);
  sqlite3_str* made() const { return made_.get(); }
  // False: there was nothing to write, not even an empty text; the result is NULL.
  bool wrote() const { return wrote_; }

 private:
  sqlite3_value* NextArgument() { return left_ == 0 ? nullptr : (--left_, *arguments_++); }
  int64_t NextInteger() {
    sqlite3_value* const value = NextArgument();
    return value == nullptr ? 0 : sqlite3_value_int64(value);
  }
  double NextReal() {
    sqlite3_value* const value = NextArgument();
    return value == nullptr ? 0 : sqlite3_value_double(value);
  }
  const char* NextText() {
    sqlite3_value* const value = NextArgument();
    return value == nullptr ? nullptr : reinterpret_cast<const char*>(sqlite3_value_text(value));
  }
  // A number, or that of an argument for an asterisk.
  std::optional<int64_t> ReadNumber(std::string_view& format);
  Conversion Read(std::string_view& format);
  // False: the type is unknown, and nothing after it is written.
  bool Write(const Conversion& conversion);
  void WriteCharacter(const Conversion& conversion);
  bool TooLong(const std::optional<int64_t>& number) const { return number.has_value() && *number > limit_; }

  const int64_t limit_;
  const std::unique_ptr<sqlite3_str, FreeString> made_;
  sqlite3_value** arguments_;
  int left_;
  bool wrote_ = false;
};

std::optional<int64_t> Formatter::ReadNumber(std::string_view& format) {
  if (!format.empty() && format[0] == '*') {
    format.remove_prefix(1);
    // SQLite uses the lowest 32 bits.
    return static_cast<int32_t>(NextInteger());
  }
  std::optional<int64_t> number;
  while (!format.empty() && format[0] >= '0' && format[0] <= '9') {
    number = std::min<int64_t>(number.value_or(0) * 10 + (format[0] - '0'), INT32_MAX);
    format.remove_prefix(1);
  }
  return number;
}

Conversion Formatter::Read(std::string_view& format) {
  Conversion conversion;
  while (!format.empty() && kFlags.find(format[0]) != std::string_view::npos) {
    conversion.flags.push_back(format[0]);
    format.remove_prefix(1);
  }
  conversion.width = ReadNumber(format);
  if (conversion.width.has_value() && *conversion.width < 0) {
    conversion.flags.push_back('-');
    conversion.width = -*conversion.width;
  }
  if (!format.empty() && format[0] == '.') {
    format.remove_prefix(1);
    conversion.precision = ReadNumber(format).value_or(0);
    if (*conversion.precision < 0) conversion.precision = -*conversion.precision;
  }
  // Length modifiers are ignored: an integer has 64 bits.
  while (!format.empty() && format[0] == 'l') format.remove_prefix(1);
  if (!format.empty()) {
    conversion.type = format[0];
    format.remove_prefix(1);
  }
  return conversion;
}

bool Formatter::Write(const Conversion& conversion) {
  std::string spec = absl::StrCat("%", conversion.flags);
  if (conversion.width.has_value()) absl::StrAppend(&spec, *conversion.width);
  if (conversion.precision.has_value()) absl::StrAppend(&spec, ".", *conversion.precision);
  const char type = conversion.type;
  if (kIntegers.find(type) != std::string_view::npos) {
    // A pointer is printed as a number, which has 64 bits without a modifier.
    if (type != 'p') spec.append("ll");
    spec.push_back(type);
    sqlite3_str_appendf(made(), spec.c_str(), static_cast<sqlite3_int64>(NextInteger()));
  } else if (kReals.find(type) != std::string_view::npos) {
    spec.push_back(type);
    sqlite3_str_appendf(made(), spec.c_str(), NextReal());
  } else if (kTexts.find(type) != std::string_view::npos) {
    // SQLite would free the text of %z.
    spec.push_back(type == 'z' ? 's' : type);
    sqlite3_str_appendf(made(), spec.c_str(), NextText());
  } else if (type == 'c') {
    WriteCharacter(conversion);
  } else if (type == '%') {
    spec.push_back('%');
    sqlite3_str_appendf(made(), spec.c_str());
  } else {
    return type == 'n';
  }
  return true;
}

// The first character of a text, `precision` times; a zero where there is none.
void Formatter::WriteCharacter(const Conversion& conversion) {
  const char* const text = NextText();
  const std::string_view rest = text == nullptr || *text == '\0' ? std::string_view("\0", 1) : std::string_view(text);
  size_t size = 1;
  while (size < rest.size() && (static_cast<unsigned char>(rest[size]) & 0xC0) == 0x80) ++size;
  const int64_t times = std::max<int64_t>(conversion.precision.value_or(1), 1);
  const int64_t padding = std::max<int64_t>(conversion.width.value_or(0) - times, 0);
  const bool left = conversion.flags.find('-') != std::string::npos;
  if (!left) sqlite3_str_appendchar(made(), static_cast<int>(padding), ' ');
  for (int64_t i = 0; i < times; ++i) sqlite3_str_append(made(), rest.data(), static_cast<int>(size));
  if (left) sqlite3_str_appendchar(made(), static_cast<int>(padding), ' ');
}

bool Formatter::Format(std::string_view format) {
  while (!format.empty()) {
    const size_t percent = format.find('%');
    const std::string_view plain = format.substr(0, percent);
    sqlite3_str_append(made(), plain.data(), static_cast<int>(plain.size()));
    wrote_ |= !plain.empty();
    if (percent == std::string_view::npos) break;
    format.remove_prefix(percent + 1);
    if (format.empty()) sqlite3_str_append(made(), "%", 1);
    wrote_ |= format.empty();
    if (format.empty()) break;
    const Conversion conversion = Read(format);
    if (TooLong(conversion.width) || TooLong(conversion.precision)) return false;
    if (!Write(conversion)) break;
    wrote_ = true;
    if (sqlite3_str_errcode(made()) != SQLITE_OK) break;
  }
  return sqlite3_str_errcode(made()) != SQLITE_TOOBIG;
}

}  // namespace

void Printf(sqlite3_context* context, int count, sqlite3_value** arguments) {
  if (count == 0) return;
  const auto* const format = reinterpret_cast<const char*>(sqlite3_value_text(arguments[0]));
  if (format == nullptr) return;
  Formatter formatter(sqlite3_context_db_handle(context), count - 1, arguments + 1);
  if (!formatter.Format(format)) return sqlite3_result_error_toobig(context);
  if (sqlite3_str_errcode(formatter.made()) != SQLITE_OK) return sqlite3_result_error_nomem(context);
  if (!formatter.wrote()) return;
  const char* const text = sqlite3_str_value(formatter.made());
  sqlite3_result_text(context, text == nullptr ? "" : text, sqlite3_str_length(formatter.made()), SQLITE_TRANSIENT);
}

}  // namespace toolgate::executors::sql::engine
