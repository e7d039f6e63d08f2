#include "storage/sqlite/search_words.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "storage/search/words.h"

namespace toolgate::storage::sqlite {

fts5_api* Fts5Of(sqlite3* db) {
  fts5_api* api = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, "SELECT fts5(?)", -1, &statement, nullptr) != SQLITE_OK) return nullptr;
  sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", nullptr);
  sqlite3_step(statement);
  sqlite3_finalize(statement);
  return api;
}

std::string TermsOf(int64_t workspace, std::string_view text) {
  std::string terms;
  search::SplitWords(text, [&](std::string_view word) {
    absl::StrAppend(&terms, terms.empty() ? "" : " ", workspace, "_", ToAbsl(word));
  });
  return terms;
}

// Neither of the two parts contains the line between them.
std::string TermOf(int64_t workspace, std::string_view word) { return absl::StrCat(workspace, "_", ToAbsl(word)); }

std::string MatchExpression(int64_t workspace, const SearchWords& words, const std::vector<std::string>& completions) {
  // Words contain only letters, digits and marks, so quotes need no escape.
  const auto phrase = [workspace](std::string_view word) { return absl::StrCat("\"", TermOf(workspace, word), "\""); };
  std::vector<std::string> parts;
  for (const std::string& word : words.whole) parts.push_back(phrase(word));
  if (!words.beginning.empty()) {
    std::vector<std::string> any;
    for (const std::string& word : completions) any.push_back(phrase(word));
    parts.push_back(absl::StrCat("(", absl::StrJoin(any, " OR "), ")"));
  }
  return absl::StrJoin(parts, " AND ");
}

}  // namespace toolgate::storage::sqlite
