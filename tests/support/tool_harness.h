// Runs tools of the built-in catalogue on a real store, without the layers around them.
#ifndef TOOLGATE_TESTS_SUPPORT_TOOL_HARNESS_H_
#define TOOLGATE_TESTS_SUPPORT_TOOL_HARNESS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/caller.h"
#include "common/json.h"
#include "executors/catalog.h"
#include "executors/registration/registration.h"
#include "security/param_validation/json_schema.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace toolgate::testing {

// One store in a temporary directory that is deleted with the harness. Each call is a separate transaction, committed
// if the tool succeeds. Arguments are checked against the tool's schema and its defaults filled in, as layer 2 does;
// results are checked against the result schema, and a tool's changes against the rules between blocks
// (executors/blocks/integrity.h). Unless `options` says otherwise, each workspace has a directory below files(). Used
// by one thread.
class ToolHarness {
 public:
  // `max_undo_bytes`: what undo keeps of one change.
  explicit ToolHarness(const executors::CatalogOptions& options = {}, int64_t max_undo_bytes = storage::kMaxUndoBytes);

  absl::StatusOr<Json> Call(std::string_view tool_id, const Json& arguments,
                            storage::CommitMode mode = storage::CommitMode::kDurable);
  absl::StatusOr<executors::Preview> PreviewOf(std::string_view tool_id, const Json& arguments);

  // Changes of the last successful call of a writing tool, and its description for the undo stack.
  const storage::Changes& changes() const { return changes_; }
  const std::string& description() const { return description_; }
  // Takes them back as the tool undo does, and returns the changes of that: reverting it again is a redo.
  absl::StatusOr<storage::Changes> Revert(const storage::Changes& changes);

  // Every block of the workspace as JSON text without its version, ordered by id, and every link: equal before a call
  // and after its undo.
  std::string Snapshot();
  storage::Block Block(std::string_view id);
  Json Data(std::string_view id);

  storage::Store& store() { return *store_; }
  const executors::Catalog& catalog() const { return *catalog_; }
  FakeClock& clock() { return clock_; }
  // The folder of the workspaces' directories.
  std::string files() const { return directory_.path() + "/files"; }
  // The workspace, user and time zone of further calls.
  Caller& caller() { return caller_; }

 private:
  struct Schemas {
    std::unique_ptr<const security::param_validation::JsonSchema> arguments;
    std::unique_ptr<const security::param_validation::JsonSchema> result;
  };
  class Steps;

  absl::StatusOr<Json> Prepare(const executors::Tool& tool, Json arguments) const;
  absl::StatusOr<executors::ToolOutput> RunHandler(const executors::Tool& tool, const Json& arguments,
                                                   storage::ReadView& view, storage::Transaction* transaction);
  // Acts, and commits the settlement.
  absl::StatusOr<executors::ToolOutput> RunEffect(const executors::Tool& tool, const Json& arguments,
                                                  storage::CommitMode mode);
  absl::Status CheckResult(const executors::Tool& tool, const Json& result) const;
  storage::WriteContext NextWrite();

  TempDir directory_;
  FakeClock clock_;
  std::unique_ptr<storage::Store> store_;
  std::shared_ptr<const executors::Catalog> catalog_;
  std::vector<Schemas> schemas_;  // By tool index.
  Caller caller_;
  int writes_ = 0;
  storage::Changes changes_;
  std::string description_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_TOOL_HARNESS_H_
