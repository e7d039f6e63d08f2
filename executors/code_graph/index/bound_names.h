// Finds the names that functions and patterns bind: parameters and variables, which mention no symbol.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_BOUND_NAMES_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_BOUND_NAMES_H_

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "executors/code_graph/index/file_facts.h"
#include "executors/code_graph/index/language.h"
#include "executors/code_graph/index/tokens.h"

namespace toolgate::executors::code_graph::index {

// By token, whether it binds its name; empty for languages whose declarations the scan of mentions tells one by one.
// `ranges` are the tokens of each of `symbols`, [first, end).
std::vector<bool> FindBoundNames(const std::vector<Token>& tokens, const Language& language,
                                 const std::vector<SymbolFact>& symbols,
                                 const std::vector<std::pair<size_t, size_t>>& ranges);

// Whether the symbol has parameters, and variables of its own.
bool IsFunction(const SymbolFact& symbol);
// Whether a name begins as variables mostly do.
bool StartsLower(std::string_view name);
// A keyword in front of a name that declares it as a variable.
bool DeclaresVariables(const Token& keyword);

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_BOUND_NAMES_H_
