// Base classes of the classes of a file, as far as the file itself tells.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_FILE_BASES_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_FILE_BASES_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "executors/code_graph/index/file_facts.h"

namespace toolgate::executors::code_graph::index {

using BaseNames = absl::flat_hash_set<std::string_view>;

// Bases by the qualified names of classes. One thread.
class FileBases {
 public:
  // `list` outlives this; `qualified_names` are those of the symbols that are its sources, and outlive it too.
  FileBases(const MentionList& list, const std::vector<std::string_view>& qualified_names);

  // The bases of the class `scope`, of the classes around it, and those of their bases that are in the file; bounded in
  // number. Names are without scopes. Valid as long as this.
  const BaseNames& Of(std::string_view scope);

 private:
  void AddBasesOf(std::string_view scope, BaseNames& bases) const;

  absl::flat_hash_map<std::string_view, std::vector<std::string_view>> direct_;
  std::map<std::string_view, BaseNames> known_;
};

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_FILE_BASES_H_
