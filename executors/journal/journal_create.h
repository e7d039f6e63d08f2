#ifndef TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_CREATE_H_
#define TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_CREATE_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::journal {

absl::StatusOr<ToolOutput> JournalCreate(ToolContext& context, storage::Transaction& transaction);

}  // namespace toolgate::executors::journal

#endif  // TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_CREATE_H_
