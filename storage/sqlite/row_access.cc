#include "storage/sqlite/row_access.h"

#include "common/status_macros.h"
#include "storage/sqlite/writer.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr char kFindWorkspace[] = "SELECT key FROM workspaces WHERE id = ?";

}  // namespace

absl::StatusOr<int64_t> FindWorkspaceKey(Connection& connection, std::string_view id) {
  Cursor cursor = connection.Use(kFindWorkspace);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(id).Step());
  return found ? cursor.Int(0) : 0;
}

RowAccess::RowAccess(Writer& writer, int64_t workspace, std::string_view workspace_id, const DeclaredFields& fields,
                     SearchCatchUp& catch_up)
    : connection_(&writer.connection()),
      workspace_(workspace),
      fields_(fields),
      catch_up_(catch_up),
      writer_(&writer),
      workspace_id_(workspace_id) {}

absl::Status RowAccess::BeforeChange() {
  if (writer_ == nullptr) return absl::FailedPreconditionError("a snapshot cannot be changed");
  RETURN_IF_ERROR(writer_->BeforeChange());
  if (workspace_ != 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(workspace_, writer_->WorkspaceKey(workspace_id_, true));
  return absl::OkStatus();
}

}  // namespace toolgate::storage::sqlite
