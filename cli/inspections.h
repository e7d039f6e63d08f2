// The layers that `toolgate inspect` tries.
#ifndef TOOLGATE_CLI_INSPECTIONS_H_
#define TOOLGATE_CLI_INSPECTIONS_H_

#include <vector>

#include "cli/inspect_command.h"

namespace toolgate::cli {

// injection, schema and redact, with the code that serves calls. A line that cannot be read is answered with
// {"error": "…"}.
std::vector<Inspection> Inspections();

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_INSPECTIONS_H_
