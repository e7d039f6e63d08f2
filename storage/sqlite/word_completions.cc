#include "storage/sqlite/word_completions.h"

#include "common/status_macros.h"
#include "storage/sqlite/search_words.h"

namespace toolgate::storage::sqlite {
namespace {

// Of its kinds, this one reads no more of a word's blocks than the first.
constexpr char kVocabulary[] =
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_vocabulary USING fts5vocab(main, search_text, instance)";
constexpr char kNextTerm[] = "SELECT term FROM temp.search_vocabulary WHERE term >= ? LIMIT 1";
// Sorts before every character of a word: the next term after one is the first from it and this on.
constexpr char kSmallest = '\x01';

}  // namespace

absl::Status AddVocabulary(Connection& connection) { return connection.Execute(kVocabulary); }

absl::StatusOr<Completions> CompleteWord(Connection& connection, int64_t workspace, std::string_view beginning) {
  const std::string prefix = TermOf(workspace, beginning);
  const size_t word_begin = prefix.size() - beginning.size();
  Completions completions;
  std::string from = prefix;
  while (true) {
    Cursor cursor = connection.Use(kNextTerm);
    ASSIGN_OR_RETURN(const bool found, cursor.Bind(from).Step());
    if (!found || !cursor.Text(0).starts_with(prefix)) return completions;
    if (completions.words.size() == kMaxCompletions) {
      completions.is_cut = true;
      return completions;
    }
    from = cursor.Text(0);
    completions.words.push_back(from.substr(word_begin));
    from += kSmallest;
  }
}

}  // namespace toolgate::storage::sqlite
