// A private database in memory; runs statements as the tool db_query does, without a store.
#ifndef TOOLGATE_TESTS_SUPPORT_SQL_SANDBOX_H_
#define TOOLGATE_TESTS_SUPPORT_SQL_SANDBOX_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "common/json.h"
#include "executors/sql/engine/engine.h"
#include "executors/sql/engine/page_source.h"
#include "executors/sql/engine/sql_limits.h"

namespace toolgate::testing {

// Pages in a vector.
class VectorPages final : public executors::sql::engine::PageSource {
 public:
  absl::StatusOr<int64_t> PageCount() override { return static_cast<int64_t>(pages.size()); }
  absl::StatusOr<std::string> ReadPage(int64_t number) override {
    ++reads;
    if (!failure.ok()) return failure;
    return pages.at(static_cast<size_t>(number));
  }
  void Apply(const executors::sql::engine::ChangedPages& changed) {
    pages.resize(static_cast<size_t>(changed.page_count));
    for (const auto& [number, bytes] : changed.pages) pages[static_cast<size_t>(number)] = bytes;
  }

  std::vector<std::string> pages;
  int64_t reads = 0;
  absl::Status failure;  // Result of reading a page, unless OK.
};

// Bounds that statements of tests keep unless they are about one.
inline executors::sql::engine::SqlLimits UsualSqlLimits() {
  return {.max_rows = 1000,
          .max_answer_bytes = 256 << 10,
          .max_time = absl::Seconds(5),
          .max_database_bytes = 16 << 20,
          .max_memory_bytes = 64 << 20,
          .max_undo_bytes = 8 << 20};
}

// Used by one thread. Time stands at 2026-03-02 09:00 UTC for the statements; their time limit runs on the real clock.
class SqlSandbox {
 public:
  explicit SqlSandbox(const executors::sql::engine::SqlLimits& limits = UsualSqlLimits())
      : engine_(limits, Clock::Real()) {}
  // With UsualSqlLimits as `change` changes them.
  explicit SqlSandbox(absl::FunctionRef<void(executors::sql::engine::SqlLimits&)> change)
      : SqlSandbox(Changed(change)) {}

  // Runs `sql` and keeps its changes, also in history().
  absl::StatusOr<Json> Run(std::string_view sql) {
    absl::StatusOr<executors::sql::engine::Outcome> outcome = Try(sql);
    if (!outcome.ok()) return outcome.status();
    if (outcome->pages.has_value()) pages_.Apply(*outcome->pages);
    last_ = *std::move(outcome);
    return last_.answer;
  }
  // Runs `sql` and keeps nothing.
  absl::StatusOr<executors::sql::engine::Outcome> Try(std::string_view sql) {
    return engine_.Run(pages_, sql, now_, cancellation_);
  }
  // Takes a change back and returns the reversal of that.
  absl::StatusOr<executors::sql::engine::Reversal> Reverse(const internal::v1::SqlChange& change) {
    absl::StatusOr<executors::sql::engine::Reversal> reversal = engine_.Reverse(pages_, change, now_, cancellation_);
    if (reversal.ok() && reversal->pages.has_value()) pages_.Apply(*reversal->pages);
    return reversal;
  }
  // Content of the database, as text; an error's text if it cannot be read.
  std::string Dump() {
    const absl::StatusOr<std::string> dump = engine_.Dump(pages_);
    return dump.ok() ? *dump : dump.status().ToString();
  }

  const executors::sql::engine::Outcome& last() const { return last_; }
  VectorPages& pages() { return pages_; }
  fibers::Cancellation& cancellation() { return cancellation_; }
  const executors::sql::engine::Engine& engine() const { return engine_; }
  absl::Time now() const { return now_; }

 private:
  static executors::sql::engine::SqlLimits Changed(absl::FunctionRef<void(executors::sql::engine::SqlLimits&)> change) {
    executors::sql::engine::SqlLimits limits = UsualSqlLimits();
    change(limits);
    return limits;
  }

  executors::sql::engine::Engine engine_;
  VectorPages pages_;
  fibers::Cancellation cancellation_;
  absl::Time now_ = absl::FromUnixSeconds(1'772'442'000);
  executors::sql::engine::Outcome last_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_SQL_SANDBOX_H_
