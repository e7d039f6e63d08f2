// A fixture with an empty store in a folder of its own.
#ifndef TOOLGATE_TESTS_SUPPORT_STORE_FIXTURE_H_
#define TOOLGATE_TESTS_SUPPORT_STORE_FIXTURE_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/ids.h"
#include "gtest/gtest.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_backend.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::testing {

// The workspace is "w", and the user whose records are looked at is "ann".
class StoreFixture : public ::testing::Test {
 protected:
  // `max_undo_bytes`: limit of one change's undo entry.
  explicit StoreFixture(int64_t max_undo_bytes = storage::kMaxUndoBytes) {
    TestStoreOptions options;
    options.data_dir = dir_.path() + "/data";
    options.clock = &clock_;
    options.max_undo_bytes = max_undo_bytes;
    options.wrap = [this](std::unique_ptr<storage::Backend> backend) {
      auto faulty = std::make_unique<FaultyBackend>(std::move(backend));
      faulty_ = faulty.get();
      return faulty;
    };
    store_ = MakeTestStore(options);
  }

  // Runs `body`, which must succeed, on a snapshot.
  void View(absl::FunctionRef<absl::Status(storage::ReadView&)> body) const {
    const absl::Status status = store_->Read("w", body);
    EXPECT_TRUE(status.ok()) << status;
  }
  // Commits `body`, which must succeed, as a change of its own by another user.
  void Commit(absl::FunctionRef<absl::Status(storage::Transaction&)> body) const {
    const storage::WriteContext context{"w", "bob", IdSource::Real().NewId(clock_.Now()), clock_.Now()};
    const absl::Status status = store_->Commit(context, storage::CommitMode::kDurable, fibers::Cancellation(), body);
    EXPECT_TRUE(status.ok()) << status;
  }

  // Newest first, without changes.
  std::vector<storage::UndoEntry> UndoStack() const {
    std::vector<storage::UndoEntry> stack;
    View([&](storage::ReadView& view) {
      auto entries = view.ListUndoEntries("ann");
      if (entries.ok()) stack = *std::move(entries);
      return entries.status();
    });
    return stack;
  }
  // Number of blocks of the type "page".
  int64_t Pages() const {
    storage::BlockQuery query;
    query.types = {"page"};
    query.count_total = true;
    int64_t pages = 0;
    View([&](storage::ReadView& view) {
      const auto found = view.FindBlocks(query);
      if (found.ok()) pages = found->total;
      return found.status();
    });
    return pages;
  }
  std::vector<storage::OpenClaim> Claims() const { return store_->ListClaims({}, 100).value(); }
  // Audit entries of `tool`, or of all tools, that are in the store; newest first.
  std::vector<v1::AuditEntry> AuditLog(std::string_view tool = "") const {
    storage::AuditQuery query;
    query.tool_id = tool;
    query.limit = 100;
    return store_->SearchAudit("w", {}, query).value();
  }

  TempDir dir_;
  FakeClock clock_;
  FaultyBackend* faulty_ = nullptr;  // Of the store: fails what tools do.
  std::unique_ptr<storage::Store> store_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_STORE_FIXTURE_H_
