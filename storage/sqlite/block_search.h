// A search for words in a workspace's blocks.
#ifndef TOOLGATE_STORAGE_SQLITE_BLOCK_SEARCH_H_
#define TOOLGATE_STORAGE_SQLITE_BLOCK_SEARCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/query.h"
#include "storage/sqlite/row_access.h"
#include "storage/sqlite/search_rank.h"
#include "storage/sqlite/search_tail.h"
#include "storage/sqlite/search_words.h"

namespace toolgate::storage::sqlite {

// Borrows both. Used by one thread at a time.
class BlockSearch {
 public:
  BlockSearch(RowAccess& access, const SearchQuery& query) : access_(access), query_(query) {}

  // The blocks that the search must look through beside the index.
  absl::StatusOr<SearchTail> FindTail();
  absl::StatusOr<SearchPage> Run(const SearchTail& tail);

 private:
  struct Candidate {
    double rank;  // SearchRank's: smaller is better.
    int64_t row;
  };

  absl::StatusOr<SearchPage> ListAll();
  absl::StatusOr<SearchPage> FindWords(const SearchWords& words, const SearchTail& tail);
  absl::Status SearchIndex(const BlockQuery& narrowing, const std::string& match, SearchRank& rank,
                           const SearchTail& tail, std::vector<Candidate>& candidates);
  absl::Status SearchInTail(const BlockQuery& narrowing, const SearchTail& tail, const SearchRank& rank,
                            std::vector<Candidate>& candidates);

  RowAccess& access_;
  const SearchQuery& query_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_BLOCK_SEARCH_H_
