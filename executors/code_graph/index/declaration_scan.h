// Finds definitions in the languages of which universal-ctags knows too little.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_DECLARATION_SCAN_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_DECLARATION_SCAN_H_

#include <vector>

#include "executors/code_graph/index/language.h"
#include "executors/code_graph/index/tag.h"
#include "executors/code_graph/index/tokens.h"

namespace toolgate::executors::code_graph::index {

// Whether definitions of the language's files come from ScanDeclarations: C#, JavaScript, Kotlin, Lua, PHP,
// Ruby and TypeScript. universal-ctags 5.9 loses the rest of a class behind many of their constructs, or where
// functions end.
bool ScansDeclarations(const Language& language);

// Definitions in the order of their begin, in universal-ctags' words, with ends and ranges of tokens. Variables inside
// of functions are left out, unless a function is bound to them. Takes any tokens, in time linear in their number but
// for nested brackets, which are read to a fixed depth.
std::vector<Tag> ScanDeclarations(const std::vector<Token>& tokens, const Language& language);

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_DECLARATION_SCAN_H_
