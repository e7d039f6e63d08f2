#ifndef TOOLGATE_EXECUTORS_NOTES_NOTES_CREATE_H_
#define TOOLGATE_EXECUTORS_NOTES_NOTES_CREATE_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::notes {

absl::StatusOr<ToolOutput> NotesCreate(ToolContext& context, storage::Transaction& transaction);

}  // namespace toolgate::executors::notes

#endif  // TOOLGATE_EXECUTORS_NOTES_NOTES_CREATE_H_
