// Places among siblings as text, so that a block moves by writing one row.
//
// A rank is a string over 0-9, A-Z, a-z that never ends in '0'; ranks compare byte by byte. Between any two different
// ranks there is always another one, so siblings never have to be renumbered. Appending and prepending count in a
// number whose width grows with its size: a hundred thousand appended siblings need at most five characters each.
#ifndef TOOLGATE_STORAGE_RANK_H_
#define TOOLGATE_STORAGE_RANK_H_

#include <string>
#include <string_view>

namespace toolgate::storage {

// A rank greater than `before` and smaller than `after`. An empty bound is an open end. `before` must be smaller than
// `after` when both are given.
std::string RankBetween(std::string_view before, std::string_view after);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_RANK_H_
