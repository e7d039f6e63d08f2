// The tables of the words of blocks.
#ifndef TOOLGATE_STORAGE_POSTGRES_WORD_INDEX_H_
#define TOOLGATE_STORAGE_POSTGRES_WORD_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "storage/postgres/session.h"
#include "storage/rows.h"

namespace toolgate::storage::postgres {

// Bytes of a word that the index holds. Longer words that agree in these are told apart by the block's text.
inline constexpr size_t kMaxIndexedWord = 128;

// How often each word occurs in a block.
struct WordCounts {
  struct Places {
    int64_t in_title = 0;
    int64_t in_body = 0;
    friend bool operator==(const Places&, const Places&) = default;
  };
  absl::flat_hash_map<std::string, Places> words;
  int64_t length = 0;  // Number of all words.
};
WordCounts CountWords(std::string_view data);

// Whether the write leaves the block's data as it is.
bool HasSameData(const BlockWrite& write);

// Changes to the words of blocks of one workspace.
class WordChanges {
 public:
  // Returns the block's length in words after the write, unless its data stays as it is.
  int64_t Add(const BlockWrite& write);
  // Queues them.
  absl::Status Write(Session& session) const;

 private:
  std::vector<std::string> erased_words_;
  std::vector<std::string_view> erased_blocks_;
  std::vector<std::string> words_;
  std::vector<std::string_view> blocks_;
  std::vector<int64_t> in_title_;
  std::vector<int64_t> in_body_;
  int64_t more_blocks_ = 0;
  int64_t more_words_ = 0;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_WORD_INDEX_H_
