// The parts of a block that are searched.
#ifndef TOOLGATE_STORAGE_SEARCH_BLOCK_TEXT_H_
#define TOOLGATE_STORAGE_SEARCH_BLOCK_TEXT_H_

#include <string>
#include <string_view>

namespace toolgate::storage::search {

// The texts of a block that are searched.
struct BlockText {
  std::string title;  // The part that people see first.
  std::string body;
};

// `data`: a block's. Nothing of data that is no JSON object.
BlockText TextOf(std::string_view data);

}  // namespace toolgate::storage::search

#endif  // TOOLGATE_STORAGE_SEARCH_BLOCK_TEXT_H_
