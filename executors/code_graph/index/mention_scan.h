// Finds what the symbols of a file mention.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_MENTION_SCAN_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_MENTION_SCAN_H_

#include <vector>

#include "executors/code_graph/index/file_facts.h"
#include "executors/code_graph/index/language.h"
#include "executors/code_graph/index/tokens.h"

namespace toolgate::executors::code_graph::index {

// Names in `tokens`, by the innermost of `symbols` around each. A name before "(" is a call, as is one with a lambda in
// Kotlin, or one in small letters in Ruby; any other is a reference. A variable makes no calls: they are of the
// function around it, unless its definition has code of its own. Left out are keywords, the names that a symbol defines
// in the same line, and those that look like variables or parameters of the function around them. `symbols` are sorted
// by line.
MentionList ScanMentions(const std::vector<Token>& tokens, const Language& language,
                         const std::vector<SymbolFact>& symbols);

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_MENTION_SCAN_H_
