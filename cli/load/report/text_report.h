// The report for a terminal.
#ifndef TOOLGATE_CLI_LOAD_REPORT_TEXT_REPORT_H_
#define TOOLGATE_CLI_LOAD_REPORT_TEXT_REPORT_H_

#include <string>

#include "cli/load/report/report.h"
#include "cli/terminal.h"

namespace toolgate::cli::load::report {

// Printable text of several paragraphs.
std::string TextReport(const Report& report, const Terminal& terminal);

}  // namespace toolgate::cli::load::report

#endif  // TOOLGATE_CLI_LOAD_REPORT_TEXT_REPORT_H_
