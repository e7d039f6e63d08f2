// Ranks the blocks that a search finds, those that the full-text index holds and those that it has not read yet alike.
//
// The measure is BM25 as FTS5's own function computes it (SQLite's documentation of FTS5, "The bm25() function": k1 =
// 1.2, b = 0.75), but for two things: the word that tells a workspace is not counted, which takes as long as the index
// has blocks, and the measure can be computed for a block outside of the index.
#ifndef TOOLGATE_STORAGE_SQLITE_SEARCH_RANK_H_
#define TOOLGATE_STORAGE_SQLITE_SEARCH_RANK_H_

#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "storage/sqlite/search_words.h"

namespace toolgate::storage::sqlite {

// For one search. Used by one thread.
class SearchRank {
 public:
  // Weight of a word in a block's title; in its body it has 1.
  static constexpr double kTitleWeight = 4;

  // How often each word of a search occurs in a block, by weight, and the block's length in words.
  struct Occurrences {
    std::vector<double> weighted;
    int64_t length = 0;

    bool all() const;
  };

  // Adds toolgate_rank(search_text, rank) to the connection, where `rank` is a SearchRank bound as kPointerType: the
  // smaller, the better. Returns a result code of SQLite.
  static int AddFunction(sqlite3* db);
  static constexpr char kPointerType[] = "toolgate.SearchRank";

  // `completions`: number of phrases that stand for the words' beginning, after those of the whole words.
  SearchRank(const SearchWords& words, size_t completions);
  SearchRank(const SearchRank&) = delete;
  SearchRank& operator=(const SearchRank&) = delete;

  Occurrences Count(const BlockText& text) const;

  // Smaller is better. Before the function above has seen a block, how rare a word is and how long blocks are usually
  // is unknown, and does not count.
  double Of(const Occurrences& occurrences) const;

 private:
  struct Measured {
    double average_length;
    std::vector<double> rarity;
  };

  static void Rank(const Fts5ExtensionApi* api, Fts5Context* fts, sqlite3_context* context, int count,
                   sqlite3_value** values);
  // From the index; result codes of SQLite.
  int Measure(const Fts5ExtensionApi* api, Fts5Context* fts);
  int CountIndexed(const Fts5ExtensionApi* api, Fts5Context* fts, Occurrences& occurrences) const;
  // The word for which a phrase of the expression stands.
  size_t WordOf(size_t phrase) const { return std::min(phrase, words_.size() - 1); }

  const SearchWords& words_;
  const size_t phrases_;
  absl::flat_hash_map<std::string_view, size_t> place_of_;  // Of whole words.
  std::optional<Measured> measured_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SEARCH_RANK_H_
