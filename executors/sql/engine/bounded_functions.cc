#include "executors/sql/engine/bounded_functions.h"

#include <string.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "common/absl_bridge.h"
#include "common/text/utf8.h"
#include "executors/sql/engine/like_pattern.h"
#include "executors/sql/engine/printf_function.h"

namespace toolgate::executors::sql::engine {
namespace {

// Nothing for NULL.
std::optional<std::string_view> Text(sqlite3_value* value) {
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (bytes == nullptr) return std::nullopt;
  return std::string_view(bytes, static_cast<size_t>(sqlite3_value_bytes(value)));
}

std::string_view Blob(sqlite3_value* value) {
  const auto* const bytes = static_cast<const char*>(sqlite3_value_blob(value));
  return {bytes == nullptr ? "" : bytes, static_cast<size_t>(sqlite3_value_bytes(value))};
}

void Answer(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// For functions in which SQLite reads a text only up to its first zero.
std::string_view UpToZero(std::string_view text) { return text.substr(0, text.find('\0')); }

// In linear time, unlike std::string_view::find.
size_t Find(std::string_view text, std::string_view what, size_t from) {
  if (what.size() > text.size() - from) return std::string_view::npos;
  const void* const found = memmem(text.data() + from, text.size() - from, what.data(), what.size());
  return found == nullptr ? std::string_view::npos : static_cast<const char*>(found) - text.data();
}

// ---- instr(X, Y) ----------------------------------------------------------------------------------------------------

// Counts from 1; 0 if `needle` is not found. Texts count characters, and a match begins at the start of one.
int64_t Position(std::string_view text, std::string_view needle, bool characters) {
  if (characters && text::ContinuesCharacter(needle[0])) return text.substr(0, needle.size()) == needle ? 1 : 0;
  const size_t at = Find(text, needle, 0);
  if (at == std::string_view::npos) return 0;
  if (!characters) return static_cast<int64_t>(at) + 1;
  int64_t position = 1;
  for (size_t i = 1; i <= at && i < text.size(); ++i) position += text::ContinuesCharacter(text[i]) ? 0 : 1;
  return position;
}

void Instr(sqlite3_context* context, int, sqlite3_value** arguments) {
  const int kinds[] = {sqlite3_value_type(arguments[0]), sqlite3_value_type(arguments[1])};
  if (kinds[0] == SQLITE_NULL || kinds[1] == SQLITE_NULL) return;
  const bool blobs = kinds[0] == SQLITE_BLOB && kinds[1] == SQLITE_BLOB;
  const std::optional<std::string_view> text = blobs ? Blob(arguments[0]) : Text(arguments[0]);
  const std::optional<std::string_view> needle = blobs ? Blob(arguments[1]) : Text(arguments[1]);
  if (!text.has_value() || !needle.has_value()) return sqlite3_result_error_nomem(context);
  sqlite3_result_int64(context, needle->empty() ? 1 : Position(*text, *needle, !blobs));
}

// ---- replace(X, Y, Z) -----------------------------------------------------------------------------------------------

void Replace(sqlite3_context* context, int, sqlite3_value** arguments) {
  const std::optional<std::string_view> text = Text(arguments[0]);
  const std::optional<std::string_view> what = Text(arguments[1]);
  if (!text.has_value() || !what.has_value()) return;
  if (what->empty() || what->front() == '\0') return sqlite3_result_value(context, arguments[0]);
  const std::optional<std::string_view> by = Text(arguments[2]);
  if (!by.has_value()) return;
  const auto limit = static_cast<size_t>(sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
  std::string made;
  size_t from = 0;
  for (size_t at = Find(*text, *what, 0); at != std::string_view::npos; at = Find(*text, *what, from)) {
    made.append(text->substr(from, at - from)).append(*by);
    from = at + what->size();
    if (made.size() > limit) return sqlite3_result_error_toobig(context);
  }
  made.append(text->substr(from));
  Answer(context, made);
}

// ---- trim(X), trim(X, Y) and their halves ---------------------------------------------------------------------------

enum Side { kLeft = 1, kRight = 2 };

absl::flat_hash_set<std::string_view> Characters(std::string_view text) {
  absl::flat_hash_set<std::string_view> characters;
  while (!text.empty()) {
    size_t size = 1;
    while (size < text.size() && text::ContinuesCharacter(text[size])) ++size;
    characters.insert(text.substr(0, size));
    text.remove_prefix(size);
  }
  return characters;
}

std::string_view TrimmedLeft(std::string_view text, const absl::flat_hash_set<std::string_view>& characters) {
  while (!text.empty()) {
    size_t size = 1;
    while (size < text.size() && text::ContinuesCharacter(text[size])) ++size;
    if (!characters.contains(text.substr(0, size))) break;
    text.remove_prefix(size);
  }
  return text;
}

std::string_view TrimmedRight(std::string_view text, const absl::flat_hash_set<std::string_view>& characters) {
  while (!text.empty()) {
    size_t size = 1;
    while (size < text.size() && text::ContinuesCharacter(text[text.size() - size])) ++size;
    if (!characters.contains(text.substr(text.size() - size))) break;
    text.remove_suffix(size);
  }
  return text;
}

template <int kSides>
void Trim(sqlite3_context* context, int count, sqlite3_value** arguments) {
  const std::optional<std::string_view> text = Text(arguments[0]);
  const std::optional<std::string_view> set = count == 2 ? Text(arguments[1]) : std::string_view(" ");
  if (!text.has_value() || !set.has_value()) return;
  const absl::flat_hash_set<std::string_view> characters = Characters(UpToZero(*set));
  std::string_view rest = *text;
  if (kSides & kLeft) rest = TrimmedLeft(rest, characters);
  if (kSides & kRight) rest = TrimmedRight(rest, characters);
  Answer(context, rest);
}

// ---- LIKE and GLOB --------------------------------------------------------------------------------------------------

// Kept between rows while the pattern stays the same.
struct CompiledPattern {
  std::string source;
  LikePattern pattern;
};

const LikePattern* FindCompiled(sqlite3_context* context, std::string_view source) {
  const auto* const kept = static_cast<const CompiledPattern*>(sqlite3_get_auxdata(context, 0));
  return kept != nullptr && kept->source == source ? &kept->pattern : nullptr;
}

void Match(sqlite3_context* context, const LikePattern& pattern, std::string_view text) {
  StatementGuard& guard = *static_cast<StatementGuard*>(sqlite3_user_data(context));
  const std::optional<bool> matches = pattern.Matches(UpToZero(text), guard);
  if (!matches.has_value()) return sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  sqlite3_result_int(context, *matches ? 1 : 0);
}

template <bool kGlob>
void MatchFunction(sqlite3_context* context, int count, sqlite3_value** arguments) {
  if (sqlite3_value_type(arguments[0]) == SQLITE_BLOB || sqlite3_value_type(arguments[1]) == SQLITE_BLOB) {
    return sqlite3_result_int(context, 0);
  }
  const std::optional<std::string_view> source = Text(arguments[0]);
  if (source.has_value() && source->size() > size_t{kMaxPatternBytes}) {
    return sqlite3_result_error(context, "LIKE or GLOB pattern too complex", -1);
  }
  std::optional<char32_t> escape;
  if (count == 3) {
    std::optional<std::string_view> written = Text(arguments[2]);
    if (!written.has_value()) return;
    written = UpToZero(*written);
    if (!written->empty()) escape = TakeCodePoint(*written);
    if (!escape.has_value() || !written->empty()) {
      return sqlite3_result_error(context, "ESCAPE expression must be a single character", -1);
    }
  }
  const std::optional<std::string_view> text = Text(arguments[1]);
  if (!source.has_value() || !text.has_value()) return;
  // In the two-argument form, a constant pattern is compiled once; an escape character is rare.
  if (count == 2) {
    if (const LikePattern* const kept = FindCompiled(context, *source)) return Match(context, *kept, *text);
  }
  const std::string_view pattern = UpToZero(*source);
  auto compiled = std::make_unique<CompiledPattern>(
      CompiledPattern{std::string(*source), kGlob ? LikePattern::Glob(pattern) : LikePattern::Like(pattern, escape)});
  Match(context, compiled->pattern, *text);
  if (count != 2) return;
  sqlite3_set_auxdata(context, 0, compiled.release(), [](void* kept) { delete static_cast<CompiledPattern*>(kept); });
}

}  // namespace

int AddBoundedFunctions(sqlite3* db, StatementGuard& guard) {
  struct Row {
    const char* name;
    int arguments;
    void (*run)(sqlite3_context*, int, sqlite3_value**);
  };
  constexpr Row kRows[] = {
      {"instr", 2, Instr},
      {"replace", 3, Replace},
      {"trim", 1, Trim<kLeft | kRight>},
      {"trim", 2, Trim<kLeft | kRight>},
      {"ltrim", 1, Trim<kLeft>},
      {"ltrim", 2, Trim<kLeft>},
      {"rtrim", 1, Trim<kRight>},
      {"rtrim", 2, Trim<kRight>},
      {"like", 2, MatchFunction<false>},
      {"like", 3, MatchFunction<false>},
      {"glob", 2, MatchFunction<true>},
      {"printf", -1, Printf},
      {"format", -1, Printf},
  };
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  for (const Row& row : kRows) {
    const int result =
        sqlite3_create_function_v2(db, row.name, row.arguments, kFlags, &guard, row.run, nullptr, nullptr, nullptr);
    if (result != SQLITE_OK) return result;
  }
  return SQLITE_OK;
}

}  // namespace toolgate::executors::sql::engine
