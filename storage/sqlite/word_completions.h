// Words of the full-text index that begin with the last word of a search.
//
// FTS5 would merge all blocks of all words with a prefix before it returned the first, at a cost in time and memory
// that grows with the workspace. The words themselves are few, and a search for any of them reads no more blocks than
// it finds.
#ifndef TOOLGATE_STORAGE_SQLITE_WORD_COMPLETIONS_H_
#define TOOLGATE_STORAGE_SQLITE_WORD_COMPLETIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {

// Words that a search looks for in place of a beginning.
inline constexpr size_t kMaxCompletions = 256;

struct Completions {
  std::vector<std::string> words;  // In order of their bytes: the beginning itself first, if it is a word.
  bool is_cut = false;             // There are more.
};

// Makes the list of the index's words readable for this connection, which does not change the file. After Migrate;
// again does nothing.
absl::Status AddVocabulary(Connection& connection);

absl::StatusOr<Completions> CompleteWord(Connection& connection, int64_t workspace, std::string_view beginning);

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_WORD_COMPLETIONS_H_
