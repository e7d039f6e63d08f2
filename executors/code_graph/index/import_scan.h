// Finds the imports of a file.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_IMPORT_SCAN_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_IMPORT_SCAN_H_

#include <vector>

#include "executors/code_graph/index/file_facts.h"
#include "executors/code_graph/index/language.h"
#include "executors/code_graph/index/tokens.h"

namespace toolgate::executors::code_graph::index {

// Imports, in the languages for which universal-ctags has none or is not asked.
std::vector<ImportFact> ScanImports(const std::vector<Token>& tokens, const Language& language);

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_IMPORT_SCAN_H_
