#ifndef TOOLGATE_EXECUTORS_NOTES_NOTES_UPDATE_H_
#define TOOLGATE_EXECUTORS_NOTES_NOTES_UPDATE_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::notes {

absl::StatusOr<ToolOutput> NotesUpdate(ToolContext& context, storage::Transaction& transaction);

}  // namespace toolgate::executors::notes

#endif  // TOOLGATE_EXECUTORS_NOTES_NOTES_UPDATE_H_
