// Blocks as tools answer them:
//   {"id", "type", "parentId", "data", "position"?, "version", "createdAt", "createdBy", "updatedAt", "updatedBy"}
// parentId is null at the root; times are RFC 3339 in UTC with milliseconds.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_BLOCK_JSON_H_
#define TOOLGATE_EXECUTORS_BLOCKS_BLOCK_JSON_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "storage/block.h"

namespace toolgate::executors::blocks {

// Append JSON text to `out`. The stored data goes in as it is, since it is compact JSON already.

// Without the closing brace, so that more members can follow.
void AppendOpenBlock(const storage::Block& block, std::optional<int64_t> position, std::string& out);
void AppendBlock(const storage::Block& block, std::string& out);
// "2026-03-02T09:00:00.000Z" in quotes.
void AppendTime(absl::Time time, std::string& out);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_BLOCK_JSON_H_
