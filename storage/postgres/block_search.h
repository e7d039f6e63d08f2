// A search for words in a workspace's blocks.
//
// The measure is BM25 (k1 = 1.2, b = 0.75), as on SQLite, over the blocks of the workspace alone.
#ifndef TOOLGATE_STORAGE_POSTGRES_BLOCK_SEARCH_H_
#define TOOLGATE_STORAGE_POSTGRES_BLOCK_SEARCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/postgres/block_query.h"
#include "storage/postgres/session.h"
#include "storage/query.h"
#include "storage/search/search_words.h"

namespace toolgate::storage::postgres {

// Borrows both. Used by one thread, once.
class BlockSearch {
 public:
  BlockSearch(Session& session, const SearchQuery& query) : session_(session), query_(query) {}

  absl::StatusOr<SearchPage> Run();

 private:
  struct Measures {
    double average_length = 1;
    std::vector<double> rarity;  // Of each word.
  };
  struct Candidate {
    SortedMatch match;
    double score = 0;
  };

  absl::StatusOr<SearchPage> ListAll();
  absl::StatusOr<Measures> Measure(const search::SearchWords& words);
  absl::StatusOr<std::vector<Candidate>> FindCandidates(const BlockQuery& narrowing, const search::SearchWords& words,
                                                        const Measures& measures);

  Session& session_;
  const SearchQuery& query_;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_BLOCK_SEARCH_H_
