// Records and sealed types of Java, which universal-ctags 5.9 does not know.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_JAVA_RECORDS_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_JAVA_RECORDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "executors/code_graph/index/tag.h"
#include "executors/code_graph/index/tokens.h"

namespace toolgate::executors::code_graph::index {

// The text of a file of Java in older words: records are classes without components, and no type says which ones extend
// it. Every line stays where it is.
std::string WithoutRecords(std::string_view content);

// Adds a field for each component of the records that are among `tags`.
void AddComponents(const std::vector<Token>& tokens, std::vector<Tag>& tags);

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_JAVA_RECORDS_H_
