// The report as a page for a browser.
#ifndef TOOLGATE_CLI_LOAD_REPORT_HTML_REPORT_H_
#define TOOLGATE_CLI_LOAD_REPORT_HTML_REPORT_H_

#include <string>

#include "cli/load/report/report.h"

namespace toolgate::cli::load::report {

// A complete HTML document without scripts, which loads nothing. All text from outside is escaped.
std::string HtmlReport(const Report& report);

}  // namespace toolgate::cli::load::report

#endif  // TOOLGATE_CLI_LOAD_REPORT_HTML_REPORT_H_
