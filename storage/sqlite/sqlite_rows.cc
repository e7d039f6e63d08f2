#include "storage/sqlite/sqlite_rows.h"

#include <string_view>

#include "common/status_macros.h"
#include "storage/fault.h"
#include "storage/sqlite/search_index.h"

namespace toolgate::storage::sqlite {
namespace {

absl::Status NotInATransaction() { return absl::FailedPreconditionError("a snapshot cannot be changed"); }

}  // namespace

absl::Status SqliteRows::AppendAudit(std::vector<PackedAuditEntry>) { return NotInATransaction(); }
absl::Status SqliteRows::BeginNested() { return NotInATransaction(); }
absl::Status SqliteRows::EndNested(bool) { return NotInATransaction(); }

SqliteTransactionRows::SqliteTransactionRows(Writer& writer, int64_t workspace, std::string_view workspace_id,
                                             const DeclaredFields& fields, const fibers::Cancellation& cancellation,
                                             LongBacklog long_backlog)
    : SqliteRows(writer, workspace, workspace_id, fields, static_cast<SearchCatchUp&>(*this)),
      writer_(writer),
      cancellation_(cancellation),
      long_backlog_(long_backlog) {}

absl::Status SqliteTransactionRows::AppendAudit(std::vector<PackedAuditEntry> entries) {
  audit_ = std::move(entries);
  return absl::OkStatus();
}

absl::Status SqliteTransactionRows::BeginNested() {
  nested_.push_back(writer_.job_changes());
  if (writer_.hopeful()) return absl::OkStatus();
  RETURN_IF_ERROR(access().BeforeChange());
  return writer_.BeginNested();
}

absl::Status SqliteTransactionRows::EndNested(bool keep) {
  const int64_t changes = nested_.back();
  nested_.pop_back();
  if (writer_.hopeful()) {
    if (!keep && writer_.job_changes() != changes) writer_.RequireSavepoints();
    return absl::OkStatus();
  }
  return writer_.EndNested(keep);
}

absl::Status SqliteTransactionRows::CatchUpSearch() {
  ASSIGN_OR_RETURN(SearchBacklog backlog, MeasureSearchBacklog(writer_.connection()));
  bool is_long = backlog.is_long;
  while (!backlog.empty()) {
    if (is_long && long_backlog_ == LongBacklog::kGiveUp) {
      gave_up_ = true;
      return MarkFault(absl::UnavailableError("the search index has too much to read within a transaction"));
    }
    RETURN_IF_ERROR(cancellation_.Check());
    RETURN_IF_ERROR(writer_.CatchUpSearch(backlog));
    is_long = true;  // One step was not enough: few rows may hold much.
  }
  return absl::OkStatus();
}

}  // namespace toolgate::storage::sqlite
