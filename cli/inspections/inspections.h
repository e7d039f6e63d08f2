// Layers for `toolgate inspect`.
#ifndef TOOLGATE_CLI_INSPECTIONS_INSPECTIONS_H_
#define TOOLGATE_CLI_INSPECTIONS_INSPECTIONS_H_

#include <vector>

#include "cli/inspect_command.h"

namespace toolgate::cli::inspections {

// Inspections injection, schema, redact, jws and cypher, with the code of the service. The verdict on an unreadable
// line is {"error": …}.
std::vector<Inspection> Inspections();

}  // namespace toolgate::cli::inspections

#endif  // TOOLGATE_CLI_INSPECTIONS_INSPECTIONS_H_
