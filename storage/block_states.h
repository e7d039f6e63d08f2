// Comparisons of two states of a block.
#ifndef TOOLGATE_STORAGE_BLOCK_STATES_H_
#define TOOLGATE_STORAGE_BLOCK_STATES_H_

#include "storage/block.h"
#include "storage/rank.h"
#include "storage/rank_map.h"

namespace toolgate::storage {

inline bool SamePlace(const Block& a, const Block& b) {
  return a.parent_id == b.parent_id && RankOf(a.rank) == RankOf(b.rank);
}

// Versions, authors and times do not count.
inline bool SameContent(const Block& a, const Block& b) {
  return a.type == b.type && SamePlace(a, b) && a.data == b.data;
}

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_BLOCK_STATES_H_
