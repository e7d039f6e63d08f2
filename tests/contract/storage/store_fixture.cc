#include "tests/contract/storage/store_fixture.h"

#include <utility>

namespace toolgate::storage::testing {

std::string CodeOf(const absl::Status& status) {
  if (status.ok()) return "OK";
  const std::optional<ToolError> error = GetToolError(status);
  return error ? std::string(ErrorCodeName(error->code)) : status.ToString();
}

std::string FactOf(const absl::Status& status, std::string_view name) {
  const std::optional<ToolError> error = GetToolError(status);
  if (!error) return "";
  for (const auto& [fact, value] : error->facts) {
    if (fact == name) return value;
  }
  return "";
}

std::vector<std::string> IdsOf(const std::vector<Block>& blocks) {
  std::vector<std::string> ids;
  for (const Block& block : blocks) ids.push_back(block.id);
  return ids;
}

StoreTest::StoreTest() : factory_(GetParam().make()), store_(factory_->Open(clock_, kMaxUndoBytes)) {}

void StoreTest::Reopen(int64_t max_undo_bytes) {
  store_.reset();
  store_ = factory_->Open(clock_, max_undo_bytes);
}

WriteContext StoreTest::Context(std::string_view change_id, std::string_view workspace, std::string_view user) const {
  return {std::string(workspace), std::string(user), std::string(change_id), clock_.Now()};
}

absl::Status StoreTest::Commit(absl::FunctionRef<absl::Status(Transaction&)> body) { return Commit(Context(), body); }

absl::Status StoreTest::Commit(const WriteContext& context, absl::FunctionRef<absl::Status(Transaction&)> body) {
  return store_->Commit(context, CommitMode::kDurable, never_, body);
}

absl::Status StoreTest::Read(absl::FunctionRef<absl::Status(ReadView&)> body, std::string_view workspace) {
  return store_->Read(workspace, body);
}

Block StoreTest::Create(std::string_view id, std::string_view parent, std::string_view data, std::string_view type) {
  absl::StatusOr<Block> created;
  const absl::Status status = Commit(Context(std::string("create-") + std::string(id)), [&](Transaction& transaction) {
    created = transaction.CreateBlock({.id = std::string(id),
                                       .type = std::string(type),
                                       .parent_id = std::string(parent),
                                       .data = std::string(data),
                                       .position = std::nullopt});
    return created.status();
  });
  EXPECT_TRUE(status.ok()) << status;
  return created.ok() ? *created : Block();
}

Changes StoreTest::Change(std::string_view change_id, absl::FunctionRef<absl::Status(Transaction&)> body) {
  Changes changes;
  const absl::Status status = Commit(Context(change_id), [&](Transaction& transaction) {
    const absl::Status done = body(transaction);
    changes = transaction.changes();
    return done;
  });
  EXPECT_TRUE(status.ok()) << status;
  return changes;
}

std::optional<Block> StoreTest::Find(std::string_view id, std::string_view workspace) {
  std::optional<Block> found;
  const absl::Status status = Read(
      [&](ReadView& view) {
        auto block = view.FindBlock(id);
        if (block.ok()) found = *std::move(block);
        return block.status();
      },
      workspace);
  EXPECT_TRUE(status.ok()) << status;
  return found;
}

std::vector<std::string> StoreTest::ChildrenOf(std::string_view parent, std::string_view workspace) {
  std::vector<std::string> ids;
  const absl::Status status = Read(
      [&](ReadView& view) {
        const auto children = view.ListChildren(parent, 1'000'000);
        if (children.ok()) ids = IdsOf(*children);
        return children.status();
      },
      workspace);
  EXPECT_TRUE(status.ok()) << status;
  return ids;
}

std::vector<std::string> StoreTest::Matching(const BlockQuery& query, std::string_view workspace) {
  std::vector<std::string> ids;
  const absl::Status status = Read(
      [&](ReadView& view) {
        const auto page = view.FindBlocks(query);
        if (page.ok()) ids = IdsOf(page->blocks);
        return page.status();
      },
      workspace);
  EXPECT_TRUE(status.ok()) << status;
  return ids;
}

SearchPage StoreTest::Search(std::string_view text, std::string_view workspace) {
  SearchPage found;
  SearchQuery query;
  query.text = text;
  const absl::Status status = Read(
      [&](ReadView& view) {
        auto page = view.Search(query);
        if (page.ok()) found = *std::move(page);
        return page.status();
      },
      workspace);
  EXPECT_TRUE(status.ok()) << status;
  return found;
}

std::vector<std::string> StoreTest::Hits(std::string_view text, std::string_view workspace) {
  std::vector<std::string> ids;
  for (const SearchHit& hit : Search(text, workspace).hits) ids.push_back(hit.block.id);
  return ids;
}

v1::AuditEntry StoreTest::Entry(std::string_view id, std::string_view workspace) const {
  v1::AuditEntry entry;
  entry.set_id(std::string(id));
  entry.set_workspace_id(std::string(workspace));
  entry.set_user_id("alice");
  entry.set_tool_id("create_block");
  entry.set_success(true);
  const absl::Time now = clock_.Now();
  entry.mutable_timestamp()->set_seconds(absl::ToUnixSeconds(now));
  entry.mutable_timestamp()->set_nanos(
      static_cast<int>(absl::ToInt64Nanoseconds(now - absl::FromUnixSeconds(absl::ToUnixSeconds(now)))));
  return entry;
}

}  // namespace toolgate::storage::testing
