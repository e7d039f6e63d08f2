// Reading on in a result that was too long, as a tool that only the ReadResult RPC may name: it goes through the same
// layers as any other call.
#ifndef TOOLGATE_EXECUTORS_RESULTS_READ_RESULT_H_
#define TOOLGATE_EXECUTORS_RESULTS_READ_RESULT_H_

#include "executors/tool.h"

namespace toolgate::executors::results {

// What came from outside is marked as such in every part. NOT_FOUND for a continuation that leads nowhere (any more),
// FORBIDDEN when the caller may no longer use the tool whose result it is.
ToolHandlers ReadResultTool(MayUseTool may_use, IsToolOn is_on);

}  // namespace toolgate::executors::results

#endif  // TOOLGATE_EXECUTORS_RESULTS_READ_RESULT_H_
