#include "executors/code_graph/index/file_bases.h"

#include <cstddef>

namespace toolgate::executors::code_graph::index {
namespace {

constexpr size_t kMostBases = 64;
constexpr std::string_view kSeparators = ".:\\/";

}  // namespace

FileBases::FileBases(const MentionList& list, const std::vector<std::string_view>& qualified_names) {
  for (const Mention& mention : list.mentions) {
    if (mention.type != RelationshipType::kExtends || mention.source < 0) continue;
    direct_[qualified_names[static_cast<size_t>(mention.source)]].push_back(list.names[mention.name]);
  }
}

const BaseNames& FileBases::Of(std::string_view scope) {
  const auto [entry, added] = known_.try_emplace(scope);
  if (!added || direct_.empty()) return entry->second;
  while (!scope.empty()) {
    AddBasesOf(scope, entry->second);
    const size_t end = scope.find_last_of(kSeparators);
    const size_t last = end == std::string_view::npos ? end : scope.find_last_not_of(kSeparators, end);
    if (last == std::string_view::npos) break;
    scope = scope.substr(0, last + 1);
  }
  return entry->second;
}

void FileBases::AddBasesOf(std::string_view scope, BaseNames& bases) const {
  std::vector<std::string> classes = {std::string(scope)};
  while (!classes.empty()) {
    const std::string name = std::move(classes.back());
    classes.pop_back();
    const auto found = direct_.find(name);
    if (found == direct_.end()) continue;
    // A base in the file is beside the class, or at the top.
    const size_t around = name.find_last_of(kSeparators) + 1;
    for (const std::string_view base : found->second) {
      if (bases.size() >= kMostBases) return;
      if (!bases.insert(base).second) continue;
      classes.push_back(name.substr(0, around).append(base));
      if (around > 0) classes.emplace_back(base);
    }
  }
}

}  // namespace toolgate::executors::code_graph::index
