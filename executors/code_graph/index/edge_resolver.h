// Turns what files mention and import into relationships.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_EDGE_RESOLVER_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_EDGE_RESOLVER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/code_graph/index/file_facts.h"
#include "executors/code_graph/index/graph_writer.h"
#include "executors/code_graph/index/language.h"
#include "storage/sqlite/connection.h"

namespace toolgate::executors::code_graph::index {

// Names are resolved within a group of languages, in this order: a symbol of the own class or namespace, of a base
// class that the file names, of the same file, of the files that are imported (through includes to any depth), and one
// whose name is unique in the workspace. A qualifier ("Class::", "module.") narrows the choice. A name that stays
// ambiguous gives no relationship; overloads give one each. A prototype is left out where its definition is there.
//
// The result depends on the files' contents and paths alone: after any changes it is the same as if everything had
// been resolved anew. Works within the transaction of the connection that it borrows. One thread.
class EdgeResolver {
 public:
  // `may_go_on` is asked often; once it says no, the methods answer CANCELLED.
  EdgeResolver(storage::sqlite::Connection& connection, std::function<bool()> may_go_on);
  ~EdgeResolver();

  absl::Status ResolveAll();
  // All that may have changed by the writes of `writer`.
  absl::Status ResolveChanges(const GraphWriter& writer);

 private:
  struct Candidate;
  struct Named;
  struct Source;
  struct File;
  class Choice;
  struct Symbol {
    int64_t id = 0;
    std::string scope, qualified_name;
  };
  struct Edge {
    int line = 0;
    int count = 0;
  };
  // By source, target and type.
  using EdgeMap = std::map<std::tuple<int64_t, int64_t, RelationshipType>, Edge>;

  absl::Status Check() const;
  // Of the files `only`, or of all. Adds those of which an import means another file than before.
  absl::Status ResolveImports(const absl::flat_hash_set<int64_t>* only, absl::flat_hash_set<int64_t>& changed);
  absl::StatusOr<int64_t> ModuleId(std::string_view name, std::string_view language);
  // Of symbols whose scope is not in their own file. Null: of all; otherwise those of `files`, and those in a scope
  // that ends in one of `names`.
  absl::Status ResolveParents(const absl::flat_hash_set<int64_t>* files, const absl::flat_hash_set<std::string>* names);
  absl::StatusOr<std::optional<int64_t>> ParentOf(int64_t file, std::string_view scope);
  // Adds all that import one of `files`, directly or not.
  absl::Status AddImporters(absl::flat_hash_set<int64_t>& files);
  absl::Status AddMentioning(const absl::flat_hash_set<std::string>& names, absl::flat_hash_set<int64_t>& files);
  absl::StatusOr<std::vector<int64_t>> AllFiles();
  absl::Status ResolveFile(int64_t file);
  absl::StatusOr<std::vector<Symbol>> SymbolsOf(int64_t file);
  absl::StatusOr<EdgeMap> ChooseTargets(int64_t file, const MentionList& list, const std::vector<Symbol>& symbols);
  absl::StatusOr<const File*> FileOf(int64_t file);
  absl::StatusOr<const std::vector<int64_t>*> TargetsOf(int64_t file);
  // The files that `file` imports, and through them; without itself.
  absl::StatusOr<absl::flat_hash_set<int64_t>> ReachOf(int64_t file, LanguageGroup group);
  absl::StatusOr<const Named*> SymbolsNamed(const std::string& name);

  storage::sqlite::Connection& connection_;
  const std::function<bool()> may_go_on_;
  absl::flat_hash_map<int64_t, std::unique_ptr<File>> files_;
  absl::flat_hash_map<int64_t, std::unique_ptr<std::vector<int64_t>>> targets_;
  absl::flat_hash_map<std::string, std::unique_ptr<Named>> named_;
};

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_EDGE_RESOLVER_H_
