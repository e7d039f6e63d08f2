// Modules that a script in a page loads.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_HTML_SCRIPT_IMPORTS_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_HTML_SCRIPT_IMPORTS_H_

#include <string>
#include <string_view>
#include <vector>

namespace toolgate::executors::artifacts::checks::html {

// Addresses in import and export declarations and in import() with a plain string. Comments and other strings are
// passed over. A script can build an address in ways that no reader finds.
std::vector<std::string> FindScriptImports(std::string_view script);

// All strings of an import map, which is JSON.
std::vector<std::string> FindMappedImports(std::string_view import_map);

}  // namespace toolgate::executors::artifacts::checks::html

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_HTML_SCRIPT_IMPORTS_H_
