// Makes a file's facts from its tags and its text.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_FACT_BUILDER_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_FACT_BUILDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "executors/code_graph/index/file_facts.h"
#include "executors/code_graph/index/tag.h"

namespace toolgate::executors::code_graph::index {

// The name under which universal-ctags is given a file: the last segment of its path, with an extension where the first
// line names the interpreter of a script.
std::string CtagsName(std::string_view path, std::string_view content);

// Whether BuildFacts wants the tags of a file with this CtagsName.
bool WantsTags(std::string_view ctags_name);

// The text that universal-ctags is given of a file with this CtagsName: the file's, but for words of Java that it does
// not know. Lines stay where they are. `content` outlives what is returned, which may be kept in `rewritten`.
std::string_view TextForCtags(std::string_view ctags_name, std::string_view content, std::string& rewritten);

// Definitions and imports are universal-ctags', but for the definitions of languages that ScanDeclarations reads, whose
// tags are not looked at. Where it does not tell the end of a definition, that is its closing
// brace, or else the line before the next one. Calls and references, and the imports of languages for which it finds
// none, come from a scan of the tokens (docs/code-graph.md says how far to trust them). Bounded by kMaxSymbols and
// kMaxMentions; what is beyond is left out.
FileFacts BuildFacts(std::string_view path, std::string_view content, std::vector<Tag> tags);

inline constexpr size_t kMaxSymbols = 100'000;   // Of a file.
inline constexpr size_t kMaxMentions = 200'000;  // Of a file.
inline constexpr size_t kMaxNameBytes = 512;     // Longer names are left out.
inline constexpr size_t kMaxSignatureBytes = 1000;

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_FACT_BUILDER_H_
