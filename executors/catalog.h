// Every tool that this process serves.
#ifndef TOOLGATE_EXECUTORS_CATALOG_H_
#define TOOLGATE_EXECUTORS_CATALOG_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors {

// Immutable after Create, and therefore thread-safe.
class Catalog {
 public:
  // INVALID_ARGUMENT when an id is given twice, a definition has no handler or the other way round, a confirmation rule
  // has no preview, a tool that acts outside of the workspace has no recoverer, two ids have the same alias, a
  // definition names an unknown switch, or this build cannot run its kind of executor. `permissions` are those that
  // may be named besides the service's own, which authorization checks; unset: those that the definitions name.
  static absl::StatusOr<std::shared_ptr<const Catalog>> Create(
      std::vector<ToolDefinition> definitions, const std::vector<ToolHandlers>& handlers,
      const std::vector<ToolSwitch>& switches = {}, std::optional<std::vector<std::string>> permissions = std::nullopt);

  // By id or by alias; nullptr when there is none.
  const Tool* Find(std::string_view id_or_alias) const;
  // Ordered by id; a tool's index is its position here.
  const std::vector<Tool>& tools() const { return tools_; }
  // Of all tools, in their order.
  std::vector<std::string> ids() const;
  // Permissions of the tools' families.
  const std::vector<std::string>& permissions() const { return permissions_; }
  // A short digest of all definitions.
  const std::string& version() const { return version_; }

 private:
  Catalog() = default;

  std::vector<Tool> tools_;
  absl::flat_hash_map<std::string, size_t> by_name_;
  std::vector<std::string> permissions_;
  std::string version_;
};

// `id` in the alphabet [A-Za-z0-9_-] that every provider accepts: other characters become "_".
std::string AliasOf(std::string_view id);

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_CATALOG_H_
