// Base of the contract suite: a store of the backend under test, and shorthands for common steps.
#ifndef TOOLGATE_TESTS_CONTRACT_STORAGE_STORE_FIXTURE_H_
#define TOOLGATE_TESTS_CONTRACT_STORAGE_STORE_FIXTURE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/fibers/cancellation.h"
#include "common/tool_error.h"
#include "gtest/gtest.h"
#include "storage/store.h"
#include "tests/contract/storage/store_factory.h"
#include "tests/support/fake_clock.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage::testing {

// The code of a ToolError, "OK", or the status as text if it is not a ToolError.
std::string CodeOf(const absl::Status& status);
// The fact of that name, empty if there is none.
std::string FactOf(const absl::Status& status, std::string_view name);
std::vector<std::string> IdsOf(const std::vector<Block>& blocks);

class StoreTest : public ::testing::TestWithParam<Backend> {
 protected:
  StoreTest();

  // Closes the store and opens it again.
  void Reopen(int64_t max_undo_bytes = kMaxUndoBytes);

  WriteContext Context(std::string_view change_id = "change", std::string_view workspace = "w",
                       std::string_view user = "alice") const;
  absl::Status Commit(absl::FunctionRef<absl::Status(Transaction&)> body);
  absl::Status Commit(const WriteContext& context, absl::FunctionRef<absl::Status(Transaction&)> body);
  absl::Status Read(absl::FunctionRef<absl::Status(ReadView&)> body, std::string_view workspace = "w");

  // These expect to succeed.
  Block Create(std::string_view id, std::string_view parent = "", std::string_view data = "{}",
               std::string_view type = "text");
  // Commits the body under the change id and returns its changes.
  Changes Change(std::string_view change_id, absl::FunctionRef<absl::Status(Transaction&)> body);
  std::optional<Block> Find(std::string_view id, std::string_view workspace = "w");
  std::vector<std::string> ChildrenOf(std::string_view parent, std::string_view workspace = "w");
  // The ids of blocks that match the query, in order.
  std::vector<std::string> Matching(const BlockQuery& query, std::string_view workspace = "w");
  SearchPage Search(std::string_view text, std::string_view workspace = "w");
  std::vector<std::string> Hits(std::string_view text, std::string_view workspace = "w");
  v1::AuditEntry Entry(std::string_view id, std::string_view workspace = "w") const;

  ::toolgate::testing::FakeClock clock_;
  std::unique_ptr<StoreFactory> factory_;
  std::unique_ptr<Store> store_;
  fibers::Cancellation never_;
};

}  // namespace toolgate::storage::testing

#endif  // TOOLGATE_TESTS_CONTRACT_STORAGE_STORE_FIXTURE_H_
