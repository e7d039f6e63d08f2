// Internal tool that reads the rest of a long result. The RPC ReadResult and the models of chats alone call it; it
// passes the same layers as any other call.
#ifndef TOOLGATE_EXECUTORS_RESULTS_READ_RESULT_H_
#define TOOLGATE_EXECUTORS_RESULTS_READ_RESULT_H_

#include "executors/family.h"
#include "executors/tool.h"

namespace toolgate::executors::results {

Family ResultsFamily();

// Every part of data from outside is marked as untrusted. NOT_FOUND for a continuation that is unknown or no longer
// kept, FORBIDDEN if the caller may no longer use the tool that produced the result.
ToolHandlers ReadResultTool(MayUseTool may_use, IsToolOn is_on);

}  // namespace toolgate::executors::results

#endif  // TOOLGATE_EXECUTORS_RESULTS_READ_RESULT_H_
