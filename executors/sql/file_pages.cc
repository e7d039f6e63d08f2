#include "executors/sql/file_pages.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"

namespace toolgate::executors::sql {

std::string DatabaseFile(const Caller& caller) { return absl::StrCat("sql/", caller.user_id); }

absl::StatusOr<FilePages> FilePages::Open(storage::ReadView& view, std::string name) {
  ASSIGN_OR_RETURN(std::optional<storage::FileHead> head, view.FindFile(name));
  return FilePages(view, std::move(name), std::move(head).value_or(storage::FileHead()));
}

absl::Status CheckUnchanged(storage::ReadView& view, std::string_view name, std::string_view planned_on) {
  ASSIGN_OR_RETURN(const std::optional<storage::FileHead> head, view.FindFile(name));
  const std::string_view present = head.has_value() ? std::string_view(head->change_id) : std::string_view();
  return present == planned_on ? absl::OkStatus() : absl::AbortedError("the private database was changed meanwhile");
}

}  // namespace toolgate::executors::sql
