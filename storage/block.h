// The one model under every tool: a workspace is a forest of blocks.
#ifndef TOOLGATE_STORAGE_BLOCK_H_
#define TOOLGATE_STORAGE_BLOCK_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace toolgate::storage {

struct Block {
  std::string id;         // Unique within the workspace; 1 to 128 characters.
  std::string type;       // One of executors/blocks/block_types.
  std::string parent_id;  // Empty at the root.
  std::string rank;       // Place among siblings: they sort by (rank, id). See storage/rank.h.
  std::string data;       // A JSON object as compact text; its schema is the type's.
  int64_t version = 0;    // 1 at first; every change adds one, an undo too.
  std::string change_id;  // The change that made the present content. An undo restores it with the content, so two
                          // states of a block with the same change_id differ at most in version and rank.
  std::string created_by;
  std::string updated_by;
  absl::Time created_at;  // Whole microseconds.
  absl::Time updated_at;
};

// A place among siblings. Borrowed; the default is before all of them.
struct SiblingPlace {
  std::string_view rank = {};
  std::string_view id = {};

  static SiblingPlace Of(const Block& block) { return {block.rank, block.id}; }
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_BLOCK_H_
