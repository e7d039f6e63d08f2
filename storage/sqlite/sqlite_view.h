// The reading part shared by ReadView and Transaction, which differ only in the connection below.
#ifndef TOOLGATE_STORAGE_SQLITE_SQLITE_VIEW_H_
#define TOOLGATE_STORAGE_SQLITE_SQLITE_VIEW_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/sqlite/workspace_rows.h"
#include "storage/store.h"

namespace toolgate::storage::sqlite {

// `Base` is ReadView or Transaction.
template <typename Base>
class SqliteView : public Base {
 public:
  absl::StatusOr<std::optional<Block>> FindBlock(std::string_view id) override { return rows_.FindBlock(id); }
  absl::StatusOr<std::vector<Block>> ListChildren(std::string_view parent_id, int64_t limit) override {
    return rows_.ListChildren(parent_id, limit);
  }
  absl::StatusOr<BlockPage> FindBlocks(const BlockQuery& query) override { return rows_.FindBlocks(query); }
  absl::StatusOr<DeletionSize> MeasureDeletion(const Block& block, Children children, Measure measure,
                                               size_t max_ids) override {
    return rows_.MeasureDeletion(block, children, {measure, max_undo_bytes_, max_ids});
  }
  absl::StatusOr<SearchPage> Search(const SearchQuery& query) override {
    absl::StatusOr<SearchTail> tail = rows_.FindTail(query);
    if (tail.ok() && tail->too_long) {
      if (absl::Status status = CatchUpSearch(); !status.ok()) return status;
      tail = rows_.FindTail(query);
      // If it is still too long, the rest was committed meanwhile, and need not be found.
      if (tail.ok() && tail->too_long) tail = SearchTail();
    }
    return tail.ok() ? rows_.Search(query, *tail) : std::move(tail).status();
  }
  absl::StatusOr<std::optional<Link>> FindLink(std::string_view from_id, std::string_view to_id,
                                               std::string_view relation) override {
    return rows_.FindLink(from_id, to_id, relation);
  }
  absl::StatusOr<std::vector<Link>> ListLinks(std::string_view block_id, int64_t limit) override {
    return rows_.ListLinks(block_id, limit);
  }
  absl::StatusOr<std::optional<UndoEntry>> FindUndoEntry(std::string_view user_id, std::string_view id) override {
    return rows_.FindUndoEntry(user_id, id, UndoContent::kWhole);
  }
  absl::StatusOr<std::optional<UndoEntry>> TopUndoEntry(std::string_view user_id) override {
    return rows_.TopUndoEntry(user_id, UndoContent::kWhole);
  }
  absl::StatusOr<std::optional<UndoEntry>> OutlineUndoEntry(std::string_view user_id, std::string_view id) override {
    return rows_.FindUndoEntry(user_id, id, UndoContent::kOutline);
  }
  absl::StatusOr<std::optional<UndoEntry>> OutlineTopUndoEntry(std::string_view user_id) override {
    return rows_.TopUndoEntry(user_id, UndoContent::kOutline);
  }
  absl::StatusOr<std::vector<UndoEntry>> ListUndoEntries(std::string_view user_id) override {
    return rows_.ListUndoEntries(user_id);
  }
  absl::StatusOr<bool> HasLeftUndoStack(std::string_view user_id, const UndoGroup& group) override {
    return rows_.HasLeftUndoStack(user_id, group);
  }
  absl::StatusOr<std::optional<Confirmation>> FindConfirmation(std::string_view id) override {
    return rows_.FindConfirmation(id);
  }
  absl::StatusOr<std::vector<Confirmation>> ListPendingConfirmations(absl::Time now, int64_t limit,
                                                                     std::string_view after_id) override {
    return rows_.ListPendingConfirmations(now, limit, after_id);
  }
  absl::StatusOr<PendingConfirmations> CountPendingConfirmations(absl::Time now, std::string_view user_id) override {
    return rows_.CountPendingConfirmations(now, user_id);
  }
  absl::StatusOr<std::optional<IdempotentOutcome>> FindOutcome(std::string_view user_id, std::string_view key,
                                                               absl::Time now) override {
    return rows_.FindOutcome(user_id, key, now);
  }
  absl::StatusOr<std::optional<KeptPart>> ReadKeptResult(std::string_view user_id, std::string_view id, int64_t offset,
                                                         int64_t length, absl::Time now) override {
    return rows_.ReadKeptResult(user_id, id, offset, length, now);
  }
  absl::StatusOr<std::optional<std::string>> FindDocument(std::string_view kind, std::string_view name) override {
    return rows_.FindDocument(kind, name);
  }
  absl::StatusOr<std::optional<Claim>> FindClaim(std::string_view id) override { return rows_.journal().Find(id); }
  absl::StatusOr<std::optional<Claim>> FindClaimByKey(std::string_view user_id, std::string_view key) override {
    return rows_.journal().FindByKey(user_id, key);
  }
  absl::StatusOr<std::vector<SettledStep>> ListSettledSteps(std::string_view claim_id) override {
    return rows_.journal().ListSteps(claim_id);
  }
  absl::StatusOr<std::optional<Conversation>> FindConversation(std::string_view user_id, std::string_view id) override {
    return rows_.conversations().Find(user_id, id);
  }
  absl::StatusOr<std::vector<Conversation>> ListConversations(std::string_view user_id, int64_t limit,
                                                              const ConversationPlace& after) override {
    return rows_.conversations().List(user_id, limit, after);
  }
  absl::StatusOr<std::vector<StoredMessage>> ListMessages(std::string_view user_id, std::string_view conversation_id,
                                                          const MessageQuery& query) override {
    return rows_.conversations().ListMessages(user_id, conversation_id, query);
  }
  absl::StatusOr<std::vector<StoredArtifact>> ListArtifacts(std::string_view user_id, std::string_view conversation_id,
                                                            int64_t first, int64_t last) override {
    return rows_.conversations().ListArtifacts(user_id, conversation_id, first, last);
  }
  absl::StatusOr<std::optional<FileHead>> FindFile(std::string_view name) override { return rows_.FindFile(name); }
  absl::StatusOr<std::string> ReadFilePage(std::string_view name, int64_t number) override {
    return rows_.ReadFilePage(name, number);
  }

 protected:
  template <typename... Arguments>
  SqliteView(Connection& connection, int64_t workspace, const DeclaredFields& fields, int64_t max_undo_bytes,
             Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...),
        rows_(connection, workspace, fields),
        fields_(fields),
        max_undo_bytes_(max_undo_bytes) {}

  // Brings the index up to the state of this view.
  virtual absl::Status CatchUpSearch() = 0;

  WorkspaceRows& rows() { return rows_; }
  // Continues over another connection.
  void MoveTo(Connection& connection, int64_t workspace) { rows_ = WorkspaceRows(connection, workspace, fields_); }

 private:
  WorkspaceRows rows_;
  const DeclaredFields& fields_;
  const int64_t max_undo_bytes_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SQLITE_VIEW_H_
