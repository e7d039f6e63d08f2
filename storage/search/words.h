// Words of texts and queries: the one idea of a word that searches have, on every backend.
#ifndef TOOLGATE_STORAGE_SEARCH_WORDS_H_
#define TOOLGATE_STORAGE_SEARCH_WORDS_H_

#include <string_view>

#include "absl/functional/function_ref.h"

namespace toolgate::storage::search {

// Calls `take` for each word in turn, in its normal form; the word is valid during the call. Words consist of letters,
// digits and marks alone, and have at least one character.
//
// The normal form is NFKC with case folding (Unicode 15), without accents, without vowel points and tatweel in Arabic
// and Hebrew, and without characters that are not seen. Letters that an accent makes another letter of the alphabet
// stay: Cyrillic short i and short u, and voiced kana. In scripts that write no blanks (Chinese, Japanese, Thai, Lao,
// Khmer, Burmese), words are those of ICU's dictionaries, also where such a script is mixed with others. Ill-formed
// UTF-8 ends a word. Thread-safe; linear but for ICU's dictionaries.
void SplitWords(std::string_view text, absl::FunctionRef<void(std::string_view)> take);

}  // namespace toolgate::storage::search

#endif  // TOOLGATE_STORAGE_SEARCH_WORDS_H_
