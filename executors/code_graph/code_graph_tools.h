// The code graph as a family of one tool.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_CODE_GRAPH_TOOLS_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_CODE_GRAPH_TOOLS_H_

#include <string>

#include "executors/code_graph/graph_query.h"
#include "executors/code_graph/index/refresh.h"
#include "executors/code_graph/settings.pb.h"
#include "executors/family.h"

namespace toolgate::executors::code_graph {

// "GraphQuery", with the settings of the section "code_graph". Absent, with the reason, when workspaces have no
// directories or the host no universal-ctags. Graphs are kept in the folder code_graph of the data directory, or in a
// temporary one when there is none.
Family CodeGraphFamily();

// `settings` has a value for every field; `ctags` is the program.
QueryLimits LimitsOf(const CodeGraphSettings& settings);
index::IndexOptions OptionsOf(const CodeGraphSettings& settings, std::string ctags);

}  // namespace toolgate::executors::code_graph

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_CODE_GRAPH_TOOLS_H_
