// Check of HTML pages, and of HTML inside Markdown.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_HTML_HTML_CHECK_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_HTML_HTML_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

#include "executors/artifacts/checks/problem.h"

namespace toolgate::executors::artifacts::checks::html {

struct HtmlPolicy {
  // Hosts whose scripts and style sheets a page may load.
  std::vector<std::string> hosts;
};

// Problems of a page that will run in a sandboxed frame. docs/generation.md lists the rules.
std::vector<Problem> CheckPage(std::string_view source, const HtmlPolicy& policy);

// Problems of HTML that will be shown inside another page: it may format, but run and embed nothing. Structure is not
// checked.
std::vector<Problem> CheckEmbedded(std::string_view source);

}  // namespace toolgate::executors::artifacts::checks::html

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_HTML_HTML_CHECK_H_
