// Finds the files that imports mean.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_IMPORT_RESOLVER_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_IMPORT_RESOLVER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "executors/code_graph/index/language.h"

namespace toolgate::executors::code_graph::index {

// All paths of a workspace's files. Resolves by the customs of each language, without its search path: relative to the
// importing file, or to a path that ends in what the import says, the one nearest to the importing file. Depends on
// paths alone, never on ids or order. Built once, then read by any thread.
class ImportResolver {
 public:
  // Borrows the paths.
  explicit ImportResolver(const std::vector<std::pair<std::string, int64_t>>& files);

  // The id of the file that `from`, of the given language group, imports as `name`. `is_system`: #include <name>, which
  // means a file of a folder "include" unless it names one.
  std::optional<int64_t> Resolve(std::string_view from, LanguageGroup group, std::string_view name,
                                 bool is_system = false) const;

 private:
  class Attempt;
  struct File {
    std::string_view path;
    int64_t id = 0;
  };

  absl::flat_hash_map<std::string_view, int64_t> by_path_;
  absl::flat_hash_map<std::string_view, std::vector<File>> by_name_;  // By last segment.
};

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_IMPORT_RESOLVER_H_
