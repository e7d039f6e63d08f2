#include "storage/sqlite/search_words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/json_parser.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "storage/query.h"
#include "storage/snapshot_revoked.h"

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

int TakeWord(void* take, int, const char* token, int length, int, int) {
  (*static_cast<const absl::FunctionRef<void(std::string_view)>*>(take))(
      std::string_view(token, static_cast<size_t>(length)));
  return SQLITE_OK;
}

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

absl::StatusOr<WordSplitter> WordSplitter::Create(Connection& connection) {
  fts5_api* const api = Fts5Of(connection.db());
  void* context = nullptr;
  fts5_tokenizer tokenizer;
  if (api == nullptr || api->xFindTokenizer(api, "unicode61", &context, &tokenizer) != SQLITE_OK) {
    return absl::InternalError("SQLite has no FTS5 tokenizer unicode61");
  }
  // As in the schema.
  std::array<const char*, 2> options = {"remove_diacritics", "2"};
  Fts5Tokenizer* instance = nullptr;
  const int result = tokenizer.xCreate(context, options.data(), options.size(), &instance);
  RETURN_IF_ERROR(SqliteStatus(nullptr, result, "making a tokenizer"));
  return WordSplitter(tokenizer, instance);
}

WordSplitter::WordSplitter(WordSplitter&& other) noexcept
    : tokenizer_(other.tokenizer_), instance_(std::exchange(other.instance_, nullptr)) {}

WordSplitter::~WordSplitter() {
  if (instance_ != nullptr) tokenizer_.xDelete(instance_);
}

absl::Status WordSplitter::Split(std::string_view text, absl::FunctionRef<void(std::string_view)> take) const {
  const int result = tokenizer_.xTokenize(instance_, &take, FTS5_TOKENIZE_DOCUMENT, text.data(),
                                          static_cast<int>(text.size()), TakeWord);
  return SqliteStatus(nullptr, result, "splitting a text into words");
}

absl::StatusOr<SearchWords> WordsOf(Connection& connection, std::string_view text) {
  const ConnectionUse use(connection);
  if (!use.granted()) return SnapshotRevoked();
  ASSIGN_OR_RETURN(const WordSplitter splitter, WordSplitter::Create(connection));
  std::vector<std::string> split;
  RETURN_IF_ERROR(splitter.Split(text, [&](std::string_view word) { split.emplace_back(word); }));
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

std::string WorkspaceTerm(int64_t workspace) { return absl::StrCat("w", workspace); }

std::string MatchExpression(int64_t workspace, const SearchWords& words) {
  // Words contain only letters, digits and marks, so quotes need no escape.
  std::string match = absl::StrCat("workspace : ", WorkspaceTerm(workspace));
  for (const std::string& word : words.whole) absl::StrAppend(&match, " AND {title body} : \"", word, "\"");
  if (!words.beginning.empty()) absl::StrAppend(&match, " AND {title body} : \"", words.beginning, "\" *");
  return match;
}

}  // namespace toolgate::storage::sqlite
