// Places among siblings as text, so that a block moves by writing one row.
//
// A rank is a string over 0-9, A-Z, a-z that never ends in '0'; ranks compare byte by byte. Between any two different
// ranks there is always another one. Appending and prepending count in a number whose width grows with its size: a
// hundred thousand appended siblings need at most five characters each.
//
// How long ranks get: 6 characters after 10,000 insertions at always the same place; 14 after 10,000 moves of a
// thousand siblings at random, 50 after 200,000. But whoever keeps narrowing one gap from both sides (moves two cards
// into the middle in turn, or always inserts halfway) adds half a character with each change, 5,000 in all, and no
// choice of ranks could help it: each such change takes a share of what is left of the gap. So Transaction gives the
// siblings around such a gap new ranks when one would grow beyond kMaxRankLength; storage/rank_map.h says how undo
// bears that.
#ifndef TOOLGATE_STORAGE_RANK_H_
#define TOOLGATE_STORAGE_RANK_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate::storage {

// The most characters of a newly chosen rank. Those that an undo restores may be longer.
inline constexpr size_t kMaxRankLength = 64;
// Siblings with ranks up to this length stay as they are when others around them get new ranks.
inline constexpr size_t kShortRankLength = 16;

// A rank greater than `before` and smaller than `after`. An empty bound is an open end. `before` must be smaller than
// `after` when both are given.
std::string RankBetween(std::string_view before, std::string_view after);

// `count` ranks in ascending order between the bounds, as short as RankBetween makes them.
std::vector<std::string> SpreadRanks(std::string_view before, std::string_view after, size_t count);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_RANK_H_
