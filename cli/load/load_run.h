// One run of a load test, from the first connection to the report.
#ifndef TOOLGATE_CLI_LOAD_LOAD_RUN_H_
#define TOOLGATE_CLI_LOAD_LOAD_RUN_H_

#include <optional>
#include <string>

#include "cli/exit_code.h"
#include "cli/load/load_options.h"
#include "cli/load/report/report.h"
#include "cli/session.h"

namespace toolgate::cli::load {

// Reason for which a run could not begin.
struct RunFailure {
  ExitCode code = ExitCode::kServiceFault;
  std::string message;
  std::string hint;
};

// Connects, prepares the workspaces, makes the calls, and fills in `report`. Shows progress on a terminal. SIGINT ends
// the run early, a second one cancels the calls that still run; the report has what was measured until then.
std::optional<RunFailure> RunLoad(const LoadSetting& setting, const Session& session, report::Report& report);

}  // namespace toolgate::cli::load

#endif  // TOOLGATE_CLI_LOAD_LOAD_RUN_H_
