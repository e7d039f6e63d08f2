// Puts the subs of Perl into packages, which universal-ctags lists without telling what is in them.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_PERL_PACKAGES_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_PERL_PACKAGES_H_

#include <string>
#include <vector>

#include "executors/code_graph/index/file_facts.h"
#include "executors/code_graph/index/tokens.h"

namespace toolgate::executors::code_graph::index {

// A package goes to the next one or, if it has a block, to the end of that, and is the scope of the symbols in it.
// `symbols` are sorted by line, with their ends; what `use parent` and `use base` name is added to `bases`, one entry
// for each symbol.
void NestInPackages(const std::vector<Token>& tokens, int lines, std::vector<SymbolFact>& symbols,
                    std::vector<std::string>& bases);

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_PERL_PACKAGES_H_
