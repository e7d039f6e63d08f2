// Tags, as universal-ctags finds them.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_TAG_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_TAG_H_

#include <string>

namespace toolgate::executors::code_graph::index {

// A definition or a reference in one file. Members that a tag lacks are empty or 0; docs of universal-ctags say what
// they mean.
struct Tag {
  std::string name;
  std::string language;
  std::string kind;
  std::string scope;
  std::string scope_kind;
  std::string signature;
  std::string inherits;
  std::string nameref;
  std::string roles;  // "def" for a definition.
  int line = 0;
  int end = 0;
  bool file_scope = false;

  bool is_definition() const { return roles.empty() || roles == "def"; }
};

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_TAG_H_
