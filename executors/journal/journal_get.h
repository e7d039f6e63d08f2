#ifndef TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_GET_H_
#define TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_GET_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::journal {

absl::StatusOr<ToolOutput> JournalGet(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::journal

#endif  // TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_GET_H_
