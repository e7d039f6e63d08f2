// Compares the documents' lists with the code.
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/json.h"
#include "executors/registration/registration.h"
#include "gtest/gtest.h"
#include "security/authorization/permissions.h"
#include "services/api/rpc_table.h"
#include "tests/support/source_dir.h"

namespace toolgate {
namespace {

namespace api = services::api;

std::string ReadDocument(const std::string& name) {
  std::ifstream file(SourceDir() + "/docs/" + name);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The annotated arguments of a schema, as "argument" or "data.argument".
void CollectArguments(const Json& schema, const std::string& path,
                      std::map<std::string, std::set<std::string>>& by_permission) {
  if (!schema.is_object()) return;
  const auto permission = schema.find("x-toolgate-permission");
  if (permission != schema.end()) by_permission[permission->get<std::string>()].insert(path);
  const auto properties = schema.find("properties");
  if (properties == schema.end()) return;
  for (const auto& [name, member] : properties->items()) {
    CollectArguments(member, path.empty() ? name : absl::StrCat(path, ".", name), by_permission);
  }
}

std::string Cell(const std::set<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(absl::StrCat("`", name, "`"));
  return absl::StrJoin(quoted, ", ");
}

TEST(DocumentsTest, PermissionsAreThoseThatToolsAndRpcsNeed) {
  std::map<std::string, std::set<std::string>> tools, arguments, rpcs;
  const auto catalog = executors::registration::BuiltInCatalog().value();
  for (const executors::Tool& tool : catalog->tools()) {
    for (const std::string& permission : tool.definition.permissions) tools[permission].insert(tool.definition.id);
    std::map<std::string, std::set<std::string>> annotated;
    CollectArguments(tool.definition.argument_schema, "", annotated);
    for (const auto& [permission, paths] : annotated) {
      for (const std::string& path : paths)
        arguments[permission].insert(absl::StrCat(path, " of ", tool.definition.id));
    }
  }
  for (const api::RpcRow& row : api::kRpcTable) {
    for (const std::string_view permission : row.permissions.names()) {
      rpcs[std::string(permission)].insert(std::string(row.method));
    }
  }
  std::string table = "| permission | tools | arguments | RPCs |\n|---|---|---|---|\n";
  const auto known = security::authorization::PermissionTable::Create(catalog->permissions()).value();
  for (const std::string& permission : known.DomainPatterns()) {
    if (permission.ends_with(":*")) continue;
    absl::StrAppend(&table, "| `", permission, "` | ", Cell(tools[permission]), " | ", Cell(arguments[permission]),
                    " | ", Cell(rpcs[permission]), " |\n");
  }
  const std::string document = ReadDocument("permissions.md");
  EXPECT_NE(document.find(table + "\n"), std::string::npos) << "docs/permissions.md must hold:\n" << table;
}

TEST(DocumentsTest, EveryRpcIsListedWithThePermissionsOfItsRow) {
  std::string table = "| RPC | needs |\n|---|---|\n";
  for (const api::RpcRow& row : api::kRpcTable) {
    const auto names = row.permissions.names();
    std::string needs = Cell({names.begin(), names.end()});
    if (row.permissions.of_its_tool()) needs = "the permissions of its tool";
    if (needs.empty()) needs = absl::StrCat("none of its own: it is about ", std::string(row.permissions.reason()));
    absl::StrAppend(&table, "| `", std::string(row.method), "` | ", needs, " |\n");
  }
  EXPECT_NE(ReadDocument("permissions.md").find(table + "\n"), std::string::npos) << "docs/permissions.md must hold:\n"
                                                                                  << table;
}

}  // namespace
}  // namespace toolgate
