// Layers for `toolgate inspect`.
#ifndef TOOLGATE_CLI_INSPECTIONS_H_
#define TOOLGATE_CLI_INSPECTIONS_H_

#include <vector>

#include "cli/inspect_command.h"

namespace toolgate::cli {

// Inspections injection, schema, redact and jws, with the code of the service. The verdict on an unreadable line is
// {"error": "…"}.
std::vector<Inspection> Inspections();

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_INSPECTIONS_H_
