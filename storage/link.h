// A relation between two blocks, stored separately from them.
#ifndef TOOLGATE_STORAGE_LINK_H_
#define TOOLGATE_STORAGE_LINK_H_

#include <string>

#include "absl/time/time.h"

namespace toolgate::storage {

// There is at most one link of a relation from one block to another. It lives as long as both blocks do.
struct Link {
  std::string from_id;
  std::string to_id;
  std::string relation;   // 1 to 64 characters: "references", "blocks", …
  std::string change_id;  // The change that created it. An undo restores it with the link.
  std::string created_by;
  absl::Time created_at;  // Whole microseconds.
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_LINK_H_
