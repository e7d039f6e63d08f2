// The contents of one file, as far as the graph is concerned: found without knowing any other file.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_FILE_FACTS_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_FILE_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "executors/code_graph/index/graph_schema.h"

namespace toolgate::executors::code_graph::index {

struct SymbolFact {
  std::string name;
  std::string kind;
  std::string signature;
  std::string scope;  // As universal-ctags writes it: the qualified name of what the symbol is in; may be empty.
  std::string qualified_name;
  SymbolLabel label = SymbolLabel::kNone;
  bool file_scope = false;  // Cannot be seen from other files.
  int line = 0;
  int end_line = 0;
  int parent = -1;  // Index of the symbol that it is in; -1: none in this file.

  // As of Tag; not kept. Without them, lines tell what is in the symbol.
  size_t first_token = 0;
  size_t end_token = 0;
  size_t first_code = 0;
  size_t end_code = 0;
};

struct ImportFact {
  std::string name;  // As written.
  int line = 0;
  bool is_include = false;
  bool is_system = false;     // #include <name>
  bool only_if_file = false;  // Not an import at all when no file of the workspace has the name.
};

// Something that a symbol's text names. Texts are indexes into MentionList::names.
struct Mention {
  static constexpr uint32_t kNoName = UINT32_MAX;

  int source = -1;  // Index of the innermost symbol around it; -1: the file.
  uint32_t name = 0;
  uint32_t qualifier = kNoName;                           // The name before "." or "::".
  RelationshipType type = RelationshipType::kReferences;  // Of kCalls, kReferences and kExtends.
  bool is_member = false;                                 // Behind "." or "->".
  int line = 0;                                           // Of the first.
  int count = 1;

  bool operator==(const Mention&) const = default;
};

struct MentionList {
  std::vector<std::string> names;
  std::vector<Mention> mentions;

  bool operator==(const MentionList&) const = default;
};

struct FileFacts {
  std::string language;  // Empty: unknown.
  int64_t lines = 0;
  std::vector<SymbolFact> symbols;  // By line.
  std::vector<ImportFact> imports;
  MentionList mentions;
};

// A compact form for keeping.
std::string PackMentions(const MentionList& list);
// DATA_LOSS when `bytes` is not from PackMentions.
absl::StatusOr<MentionList> UnpackMentions(std::string_view bytes);
// Whether the packed mentions have any of `names`, qualifiers included. Reads no more than the names.
bool MentionsAny(std::string_view bytes, const absl::flat_hash_set<std::string>& names);

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_FILE_FACTS_H_
