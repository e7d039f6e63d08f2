#include "executors/sql/engine/table_content.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/status_macros.h"

namespace toolgate::executors::sql::engine {

std::string TableContent::Hash() const {
  // Each row has as many values as there are fields, so the rows need no separator.
  std::string bytes = absl::StrCat(shape.fields.size(), "\n");
  for (const std::string& field : shape.fields) absl::StrAppend(&bytes, field.size(), ":", field, "\n");
  for (const std::string& row : rows) bytes.append(row);
  return Sha256(bytes);
}

absl::StatusOr<TableContent> ReadContent(Database& database, std::string_view table) {
  ASSIGN_OR_RETURN(std::optional<TableShape> shape, FindTable(database, table));
  if (!shape.has_value()) return absl::NotFoundError(absl::StrCat("no table ", ToAbsl(table)));
  TableContent content;
  content.shape = *shape;
  Table reader(database, *std::move(shape));
  RETURN_IF_ERROR(reader.ForEach([&](std::string row) {
    content.rows.push_back(std::move(row));
    return absl::OkStatus();
  }));
  return content;
}

}  // namespace toolgate::executors::sql::engine
