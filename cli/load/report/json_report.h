// The report for programs.
#ifndef TOOLGATE_CLI_LOAD_REPORT_JSON_REPORT_H_
#define TOOLGATE_CLI_LOAD_REPORT_JSON_REPORT_H_

#include <string_view>

#include "cli/load/report/report.h"
#include "common/json.h"

namespace toolgate::cli::load::report {

// Value of "schema". Fields may be added within a version, but none is renamed or changes its meaning.
inline constexpr std::string_view kJsonSchema = "toolgate.load/1";

// docs/load.md describes the fields. Times are in seconds, shares from 0 to 1.
Json JsonReport(const Report& report);

}  // namespace toolgate::cli::load::report

#endif  // TOOLGATE_CLI_LOAD_REPORT_JSON_REPORT_H_
