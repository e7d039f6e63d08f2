// The field eventLinks of cards and notes, and the links that correspond to it.
//
// A card or a note names its calendar events in its data, and for each of them there is a link "references" from it to
// the event, so that the event knows of them too. The two must always agree, so the functions here write both together.
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
// ("<id>@2026-03-02") as the series. An id that names no event is kept if the context allows it or `present`, the
// current data, has it; it gets no link. Otherwise it is INVALID_PARAMS below `path`.
absl::Status SettleEventLinks(const DataContext& context, const Json& present, std::string_view path, Json& data);

// Makes the links of a block match its data. `data` has been settled.
absl::Status WriteEventLinks(storage::Transaction& transaction, const storage::Block& block, const Json& data);

// Removes deleted events from the data of the cards and notes that named them. `removed` are the links that were
// deleted with the events.
absl::Status ForgetEvents(storage::Transaction& transaction, const std::vector<storage::Link>& removed);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_EVENT_LINKS_H_
