// Places among siblings as text, so that a block moves by writing one row.
//
// A rank is a string over 0-9, A-Z, a-z that never ends in '0'; ranks compare byte by byte. Between any two different
// ranks there is always another one. Appending and prepending count with numbers whose width grows with their size: a
// hundred thousand appended siblings need at most five characters each.
//
// Length of ranks: 6 characters after 10,000 insertions in the same place; 14 after 10,000 moves of a thousand siblings
// at random, 50 after 200,000. But narrowing one gap again and again from both sides (moving two cards into the middle
// in turn, or always inserting halfway) adds half a character with each change, 5,000 in all, and no choice of ranks
// avoids it: each such change takes a share of the remaining gap. So Transaction gives the siblings around such a gap
// new ranks when one would grow beyond kMaxRankLength; storage/rank_map.h explains how undo copes with that.
#ifndef TOOLGATE_STORAGE_RANK_H_
#define TOOLGATE_STORAGE_RANK_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate::storage {

// Maximum length of a newly chosen rank. Ranks that an undo restores may be longer.
inline constexpr size_t kMaxRankLength = 64;
// Siblings with ranks up to this length are unchanged when others around them get new ranks.
inline constexpr size_t kShortRankLength = 16;

// A rank greater than `before` and smaller than `after`. An empty bound is an open end. `before` must be smaller than
// `after` if both are given.
std::string RankBetween(std::string_view before, std::string_view after);

// `count` ranks in ascending order between the bounds, as short as RankBetween makes them.
std::vector<std::string> SpreadRanks(std::string_view before, std::string_view after, size_t count);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_RANK_H_
