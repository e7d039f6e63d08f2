// The field eventLinks of cards and notes, and the links that stand for it.
//
// A card or a note names the calendar events that belong to it in its data, and for each of them there is a link
// "references" from it to the event, so that the event knows of them too. The two always say the same: whoever writes
// one, writes the other, here.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_EVENT_LINKS_H_
#define TOOLGATE_EXECUTORS_BLOCKS_EVENT_LINKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/data_context.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

inline constexpr std::string_view kReferences = "references";

// Whether blocks of this type have the field.
bool HasEventLinks(const BlockType& type);

// Brings data's eventLinks, if any, into their stored form: each event once, an occurrence of a series
// ("<id>@2026-03-02") as the series. An id that names no event may stay where the context says so or `present`, the
// data until now, has it; there is no link for it then. INVALID_PARAMS below `path` for any other.
absl::Status SettleEventLinks(const DataContext& context, const Json& present, std::string_view path, Json& data);

// Makes the links of a block say what its data says. `data` has been settled.
absl::Status WriteEventLinks(storage::Transaction& transaction, const storage::Block& block, const Json& data);

// Takes events that are gone out of the data of the cards and notes that named them. `removed` are the links that went
// with them.
absl::Status ForgetEvents(storage::Transaction& transaction, const std::vector<storage::Link>& removed);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_EVENT_LINKS_H_
