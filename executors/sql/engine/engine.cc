#include "executors/sql/engine/engine.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/brief_section.h"
#include "common/sqlite/sqlite_budget.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/sql/engine/caller_statement.h"
#include "executors/sql/engine/change.h"
#include "executors/sql/engine/change_recorder.h"
#include "executors/sql/engine/database.h"
#include "executors/sql/engine/page_file.h"
#include "executors/sql/engine/row_gatherer.h"
#include "executors/sql/engine/schema.h"
#include "executors/sql/engine/sql_error.h"
#include "executors/sql/engine/statement_guard.h"

namespace toolgate::executors::sql::engine {
namespace {

// Time for which a reading statement continues after its answer is full, to count the rows.
constexpr absl::Duration kMaxCountingTime = absl::Milliseconds(500);
// A reversal holds both states of a change and the rows of its tables at the same time.
constexpr int64_t kReversalMemoryFactor = 2;

// State of one piece of work: its clock, its memory, and the file that it reads and writes.
class Session {
 public:
  Session(PageSource& source, const SqlLimits& limits, const Clock& clock, const fibers::Cancellation& cancellation,
          absl::Time now, Engine::Memory* memory = nullptr)
      : source_(source),
        limits_(limits),
        now_(now),
        guard_(clock, cancellation, limits.max_time),
        memory_(memory),
        budget_(
            limits.max_memory_bytes, guard_.stack(), [this] { return MayContinue(); }, memory) {}

  // Opens the database, unless the caller was cancelled already.
  absl::Status Open() {
    RETURN_IF_ERROR(guard_.MayContinue() ? absl::OkStatus() : guard_.status());
    ASSIGN_OR_RETURN(file_, PageFile::Open(source_));
    ASSIGN_OR_RETURN(database_, Database::Open(*file_, limits_, guard_, now_));
    return absl::OkStatus();
  }
  Database& database() { return *database_; }
  // The state before, opened on first use.
  absl::StatusOr<Database*> Before() {
    if (before_ == nullptr) {
      ASSIGN_OR_RETURN(file_before_, PageFile::Open(source_));
      ASSIGN_OR_RETURN(before_, Database::Open(*file_before_, limits_, guard_, now_));
    }
    return before_.get();
  }
  StatementGuard& guard() { return guard_; }

  std::optional<ChangedPages> Pages() const {
    if (!file_->changed()) return std::nullopt;
    return ChangedPages{file_->page_count(), file_->written()};
  }

 private:
  bool MayContinue() {
    if (memory_ != nullptr) guard_.Stop(memory_->status());
    return guard_.MayContinue();
  }

  PageSource& source_;
  const SqlLimits limits_;
  const absl::Time now_;
  StatementGuard guard_;
  Engine::Memory* const memory_;
  sqlite::SqliteBudget budget_;
  std::unique_ptr<PageFile> file_;
  std::unique_ptr<PageFile> file_before_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Database> before_;
};

absl::Status CheckInstalled() {
  if (sqlite::SqliteBudget::Install()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "SQLite was in use before its memory could be bounded: call SqliteBudget::Install first thing in the process");
}

absl::Status TooMuchToUndo(const SqlLimits& limits) {
  return TooMuch(absl::StrCat("nothing was changed: the rows before and after come to more than ",
                              limits.max_undo_bytes >> 10,
                              " KiB, the most that undo can keep of one statement; change fewer rows at a time"));
}

// One run of a caller's statement.
class StatementRun {
 public:
  StatementRun(Session& session, const SqlLimits& limits, const Clock& clock)
      : session_(session),
        limits_(limits),
        clock_(clock),
        authorizer_(session.database().handle(), session.guard()),
        recorder_(
            session.database(), [&session] { return session.Before(); }, limits.max_undo_bytes) {}

  absl::Status Compile(std::string_view sql) {
    ASSIGN_OR_RETURN(statement_, CompileCallerStatement(session_.database(), authorizer_, sql));
    return absl::OkStatus();
  }
  // Schema changes of the statement; none for an EXPLAIN.
  std::vector<SchemaStep> steps() const {
    return sqlite3_stmt_isexplain(statement_.get()) != 0 ? std::vector<SchemaStep>() : authorizer_.schema_steps();
  }

  absl::StatusOr<Outcome> Execute() {
    const bool reads = sqlite3_stmt_readonly(statement_.get()) != 0 || sqlite3_stmt_isexplain(statement_.get()) != 0;
    return reads ? Read() : Change();
  }

 private:
  absl::StatusOr<Outcome> Read();
  absl::StatusOr<Outcome> Change();
  // Gathers every row; a reading statement stops counting some time after the answer is full. True: to the end.
  absl::StatusOr<bool> Gather(RowGatherer& rows, bool to_the_end);
  absl::Status CountDroppedRows(Outcome& outcome);
  // Drops `statement_` and the authoriser: the SQL that follows is our own.
  absl::Status FindOutWhatChanged(Outcome& outcome);

  Session& session_;
  const SqlLimits& limits_;
  const Clock& clock_;
  Authorizer authorizer_;
  ChangeRecorder recorder_;
  Prepared statement_;
};

absl::StatusOr<bool> StatementRun::Gather(RowGatherer& rows, bool to_the_end) {
  std::optional<absl::Duration> full_since;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, StepCallerStatement(session_.database(), authorizer_, statement_.get()));
    if (!row) return true;
    rows.Add();
    if (!rows.truncated() || to_the_end) continue;
    if (!full_since.has_value()) full_since = clock_.Monotonic();
    if (rows.count() % 64 == 0 && clock_.Monotonic() - *full_since > kMaxCountingTime) return false;
  }
}

Json RowsAnswer(RowGatherer& rows, bool counted) {
  Json answer = {{"rows", rows.TakeRows()}};
  if (!rows.truncated()) return answer;
  answer["truncated"] = true;
  if (counted) answer["totalCount"] = rows.count();
  return answer;
}

absl::StatusOr<Outcome> StatementRun::Read() {
  RowGatherer rows(statement_.get(), limits_);
  ASSIGN_OR_RETURN(const bool counted, Gather(rows, /*to_the_end=*/false));
  Outcome outcome;
  outcome.answer = RowsAnswer(rows, counted);
  outcome.change.emplace();
  return outcome;
}

absl::StatusOr<Outcome> StatementRun::Change() {
  RowGatherer rows(statement_.get(), limits_);
  RETURN_IF_ERROR(Gather(rows, /*to_the_end=*/true).status());
  Outcome outcome;
  outcome.steps = authorizer_.schema_steps();
  outcome.affected_rows = outcome.changes_schema() ? 0 : sqlite3_changes64(session_.database().handle());
  if (outcome.changes_schema() || authorizer_.asked_nothing()) {
    outcome.answer = {{"success", true}};
  } else if (sqlite3_column_count(statement_.get()) > 0) {
    outcome.answer = RowsAnswer(rows, /*counted=*/true);
    outcome.answer["affectedRows"] = outcome.affected_rows;
  } else {
    outcome.answer = {{"affectedRows", outcome.affected_rows}};
  }
  statement_.reset();
  RETURN_IF_ERROR(FindOutWhatChanged(outcome));
  return outcome;
}

absl::Status StatementRun::CountDroppedRows(Outcome& outcome) {
  ASSIGN_OR_RETURN(Database* const before, session_.Before());
  for (const SchemaStep& step : outcome.steps) {
    if (step.kind != SchemaStep::Kind::kDrop || step.type != "table") continue;
    ASSIGN_OR_RETURN(const Prepared count,
                     before->Prepare(absl::StrCat("SELECT count(*) FROM main.", QuoteName(step.name))));
    RETURN_IF_ERROR(before->Step(count.get()).status());
    outcome.dropped_rows[step.name] = sqlite3_column_int64(count.get(), 0);
  }
  return absl::OkStatus();
}

absl::Status StatementRun::FindOutWhatChanged(Outcome& outcome) {
  authorizer_.Detach();
  outcome.pages = session_.Pages();
  if (!outcome.pages.has_value()) {
    outcome.change.emplace();
    return absl::OkStatus();
  }
  if (outcome.changes_schema()) {
    RETURN_IF_ERROR(CheckSchema(session_.database()));
    RETURN_IF_ERROR(CountDroppedRows(outcome));
  }
  ASSIGN_OR_RETURN(Database* const before, session_.Before());
  ASSIGN_OR_RETURN(outcome.change, FindChange(*before, session_.database(), recorder_, outcome.changes_schema(),
                                              limits_.max_undo_bytes));
  if (!outcome.change.has_value() && !outcome.changes_schema()) return TooMuchToUndo(limits_);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Outcome> Engine::Run(PageSource& source, std::string_view sql, absl::Time now,
                                    const fibers::Cancellation& cancellation, executors::ProgressSink* progress,
                                    Memory* memory) const {
  BriefSection::Note("a statement on a private database");
  RETURN_IF_ERROR(CheckInstalled());
  Session session(source, limits_, clock_, cancellation, now, memory);
  if (progress != nullptr) session.guard().ReportTo(*progress);
  RETURN_IF_ERROR(session.Open());
  StatementRun run(session, limits_, clock_);
  RETURN_IF_ERROR(run.Compile(sql));
  return run.Execute();
}

absl::StatusOr<std::vector<SchemaStep>> Engine::Inspect(PageSource& source, std::string_view sql, absl::Time now,
                                                        const fibers::Cancellation& cancellation,
                                                        Memory* memory) const {
  BriefSection::Note("a statement on a private database");
  RETURN_IF_ERROR(CheckInstalled());
  Session session(source, limits_, clock_, cancellation, now, memory);
  RETURN_IF_ERROR(session.Open());
  StatementRun run(session, limits_, clock_);
  RETURN_IF_ERROR(run.Compile(sql));
  return run.steps();
}

absl::StatusOr<Reversal> Engine::Reverse(PageSource& source, const internal::v1::SqlChange& change, absl::Time now,
                                         const fibers::Cancellation& cancellation, Memory* memory) const {
  BriefSection::Note("a statement on a private database");
  RETURN_IF_ERROR(CheckInstalled());
  SqlLimits limits = limits_;
  limits.max_memory_bytes *= kReversalMemoryFactor;
  Session session(source, limits, clock_, cancellation, now, memory);
  RETURN_IF_ERROR(session.Open());
  ASSIGN_OR_RETURN(Database* const before, session.Before());
  const bool schema = !change.before().empty() || !change.after().empty();
  Reversal reversal;
  const ChangeRecorder recorder(
      session.database(), [before] { return before; }, limits.max_undo_bytes);
  RETURN_IF_ERROR(ApplyInverse(session.database(), change));
  reversal.pages = session.Pages();
  ASSIGN_OR_RETURN(reversal.change, FindChange(*before, session.database(), recorder, schema, limits.max_undo_bytes));
  return reversal;
}

absl::StatusOr<std::string> Engine::Dump(PageSource& source) const {
  BriefSection::Note("a statement on a private database");
  RETURN_IF_ERROR(CheckInstalled());
  const fibers::Cancellation cancellation;
  Session session(source, limits_, clock_, cancellation, absl::UnixEpoch());
  RETURN_IF_ERROR(session.Open());
  return DumpDatabase(session.database());
}

}  // namespace toolgate::executors::sql::engine
