// References and active content in style sheets.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_CSS_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_CSS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "executors/artifacts/checks/url.h"

namespace toolgate::executors::artifacts::checks {

// A place where a style sheet loads something, or would run it in an old browser.
struct CssReference {
  enum class Kind { kImport, kUrl, kScript };  // kScript: expression(), behavior, -moz-binding.
  Kind kind = Kind::kUrl;
  size_t offset = 0;  // In the style sheet.
  Url url;            // Of kImport and kUrl.
};

// Finds them in a sheet or the value of a style attribute. Escapes are resolved, comments and strings understood, as
// CSS Syntax has it. Linear in time.
std::vector<CssReference> FindCssReferences(std::string_view css);

}  // namespace toolgate::executors::artifacts::checks

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_CSS_H_
