// Tags, as universal-ctags finds them.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_TAG_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_TAG_H_

#include <cstddef>
#include <string>

namespace toolgate::executors::code_graph::index {

// A definition or a reference in one file. Members that a tag lacks are empty or 0; docs of universal-ctags say what
// they mean. ScanDeclarations makes some in the same words.
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

  // Of tags from ScanDeclarations: the tokens of the definition, and those of code that runs in the name of a variable
  // or property, as of its accessors. Ends are exclusive; 0 when there are none.
  size_t first_token = 0;
  size_t end_token = 0;
  size_t first_code = 0;
  size_t end_code = 0;

  bool is_definition() const { return roles.empty() || roles == "def"; }
};

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_TAG_H_
