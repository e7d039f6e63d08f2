// Reads one workspace's rows over one connection.
#ifndef TOOLGATE_STORAGE_SQLITE_WORKSPACE_ROWS_H_
#define TOOLGATE_STORAGE_SQLITE_WORKSPACE_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/declared_fields.h"
#include "storage/query.h"
#include "storage/records.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/conversation_rows.h"
#include "storage/sqlite/journal_rows.h"
#include "storage/sqlite/search_rank.h"
#include "storage/sqlite/search_tail.h"
#include "storage/sqlite/search_words.h"
#include "storage/store.h"

namespace toolgate::storage::sqlite {

// Of an undo entry's changes: all, or what store.h calls an outline.
enum class UndoContent { kWhole, kOutline };

inline constexpr absl::Duration kOutcomeLifetime = absl::Hours(24);

// A workspace's key; 0 if the workspace does not exist.
absl::StatusOr<int64_t> FindWorkspaceKey(Connection& connection, std::string_view id);

// Statements for ReadView; storage/store.h describes their guarantees. A workspace that does not exist has key 0 and no
// rows. Borrows the connection and the declared fields; used by one thread at a time.
class WorkspaceRows {
 public:
  WorkspaceRows(Connection& connection, int64_t workspace, const DeclaredFields& fields)
      : connection_(&connection), workspace_(workspace), fields_(&fields) {}

  int64_t workspace() const { return workspace_; }
  void set_workspace(int64_t workspace) { workspace_ = workspace; }
  JournalRows journal() { return {*connection_, workspace_}; }
  ConversationRows conversations() { return {*connection_, workspace_}; }

  absl::StatusOr<std::optional<Block>> FindBlock(std::string_view id);
  absl::StatusOr<std::vector<Block>> ListChildren(std::string_view parent_id, int64_t limit);
  absl::StatusOr<BlockPage> FindBlocks(const BlockQuery& query);
  struct DeletionBounds {
    Measure measure;
    int64_t max_undo_bytes;
    size_t max_ids;
  };
  absl::StatusOr<DeletionSize> MeasureDeletion(const Block& block, Children children, const DeletionBounds& bounds);
  // The blocks that a search must look through beside the index.
  absl::StatusOr<SearchTail> FindTail(const SearchQuery& query);
  absl::StatusOr<SearchPage> Search(const SearchQuery& query, const SearchTail& tail);

  absl::StatusOr<std::optional<Link>> FindLink(std::string_view from_id, std::string_view to_id,
                                               std::string_view relation);
  absl::StatusOr<std::vector<Link>> ListLinks(std::string_view block_id, int64_t limit);

  absl::StatusOr<std::optional<UndoEntry>> FindUndoEntry(std::string_view user_id, std::string_view id,
                                                         UndoContent content);
  absl::StatusOr<std::optional<UndoEntry>> TopUndoEntry(std::string_view user_id, UndoContent content);
  absl::StatusOr<std::vector<UndoEntry>> ListUndoEntries(std::string_view user_id);
  absl::StatusOr<bool> HasLeftUndoStack(std::string_view user_id, const UndoGroup& group);

  absl::StatusOr<std::optional<Confirmation>> FindConfirmation(std::string_view id);
  absl::StatusOr<std::vector<Confirmation>> ListPendingConfirmations(absl::Time now, int64_t limit,
                                                                     std::string_view after_id);
  absl::StatusOr<PendingConfirmations> CountPendingConfirmations(absl::Time now, std::string_view user_id);
  absl::StatusOr<std::optional<IdempotentOutcome>> FindOutcome(std::string_view user_id, std::string_view key,
                                                               absl::Time now);
  absl::StatusOr<std::optional<KeptPart>> ReadKeptResult(std::string_view user_id, std::string_view id, int64_t offset,
                                                         int64_t length, absl::Time now);
  absl::StatusOr<std::optional<std::string>> FindDocument(std::string_view kind, std::string_view name);

  absl::StatusOr<std::optional<FileHead>> FindFile(std::string_view name);
  absl::StatusOr<std::string> ReadFilePage(std::string_view name, int64_t number);

 private:
  // A block that a search found.
  struct Candidate {
    double rank;  // SearchRank's: smaller is better.
    int64_t row;
  };

  absl::StatusOr<SearchPage> SearchText(const SearchQuery& query, const SearchWords& words, const SearchTail& tail);
  absl::Status SearchIndex(const BlockQuery& narrowing, const SearchWords& words, SearchRank& rank,
                           const SearchTail& tail, std::vector<Candidate>& candidates);
  absl::Status SearchInTail(const BlockQuery& narrowing, const SearchTail& tail, const SearchRank& rank,
                            std::vector<Candidate>& candidates);
  absl::StatusOr<SearchPage> SearchAll(const SearchQuery& query);
  absl::StatusOr<std::optional<UndoEntry>> ReadOneUndoEntry(Cursor cursor, UndoContent content);

  Connection* connection_;
  int64_t workspace_;
  const DeclaredFields* fields_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_WORKSPACE_ROWS_H_
