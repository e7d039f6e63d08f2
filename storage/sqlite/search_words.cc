#include "storage/sqlite/search_words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json_parser.h"
#include "common/tool_error.h"
#include "storage/query.h"
#include "storage/search/words.h"

namespace toolgate::storage::sqlite {
namespace {

// The keys that people see first of a block.
constexpr std::array<std::string_view, 4> kTitleKeys = {"title", "name", "content", "text"};

void AppendStrings(const simdjson::dom::element& value, std::string& out) {
  if (value.is_string()) {
    const std::string_view text = value;
    out.append(text).push_back('\n');
  } else if (value.is_array()) {
    for (const simdjson::dom::element item : value.get_array()) AppendStrings(item, out);
  } else if (value.is_object()) {
    for (const auto [key, member] : value.get_object()) AppendStrings(member, out);
  }
}

// Neither of the two parts contains the line between them.
std::string TermOf(int64_t workspace, std::string_view word) { return absl::StrCat(workspace, "_", ToAbsl(word)); }

absl::Status TooManyWords(size_t count) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = absl::StrCat("the text to look for has ", count, " different words, and a search takes at most ",
                               kMaxSearchWords, ", all of which must occur; name those that matter");
  error.violations.push_back({"", "maxWords", absl::StrCat("at most ", kMaxSearchWords, " different words"),
                              absl::StrCat(count, " different words")});
  return ToStatus(error);
}

}  // namespace

fts5_api* Fts5Of(sqlite3* db) {
  fts5_api* api = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, "SELECT fts5(?)", -1, &statement, nullptr) != SQLITE_OK) return nullptr;
  sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", nullptr);
  sqlite3_step(statement);
  sqlite3_finalize(statement);
  return api;
}

BlockText TextOf(std::string_view data) {
  thread_local simdjson::dom::parser kept;
  std::optional<simdjson::dom::parser> passing;
  BlockText text;
  simdjson::dom::object root;
  if (ParserFor(data, kept, passing).parse(data.data(), data.size()).get(root) != simdjson::SUCCESS) return text;
  for (const auto [key, value] : root) {
    const bool title = std::find(kTitleKeys.begin(), kTitleKeys.end(), key) != kTitleKeys.end();
    AppendStrings(value, title ? text.title : text.body);
  }
  return text;
}

absl::StatusOr<SearchWords> WordsOf(std::string_view text) {
  std::vector<std::string> split;
  search::SplitWords(text, [&](std::string_view word) { split.emplace_back(word); });
  SearchWords words;
  absl::flat_hash_set<std::string_view> known;
  for (size_t i = 0; i < split.size(); ++i) {
    if (!known.insert(split[i]).second) continue;
    if (i + 1 < split.size()) {
      words.whole.push_back(split[i]);
    } else {
      words.beginning = split[i];
    }
  }
  if (known.size() > kMaxSearchWords) return TooManyWords(known.size());
  return words;
}

std::string TermsOf(int64_t workspace, std::string_view text) {
  std::string terms;
  search::SplitWords(text, [&](std::string_view word) {
    absl::StrAppend(&terms, terms.empty() ? "" : " ", workspace, "_", ToAbsl(word));
  });
  return terms;
}

std::string MatchExpression(int64_t workspace, const SearchWords& words) {
  // Words contain only letters, digits and marks, so quotes need no escape.
  std::string match;
  const auto add = [&](std::string_view word, std::string_view kind) {
    absl::StrAppend(&match, match.empty() ? "" : " AND ", "\"", TermOf(workspace, word), "\"", ToAbsl(kind));
  };
  for (const std::string& word : words.whole) add(word, "");
  if (!words.beginning.empty()) add(words.beginning, " *");
  return match;
}

}  // namespace toolgate::storage::sqlite
