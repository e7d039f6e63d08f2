// A backend that counts the round trips that a distant one would need.
#ifndef TOOLGATE_TESTS_SUPPORT_COUNTING_BACKEND_H_
#define TOOLGATE_TESTS_SUPPORT_COUNTING_BACKEND_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/forwarding_backend.h"

namespace toolgate::testing {

// Each read is a round trip, and so is the end of a transaction. Writes are not: they are sent with what follows.
class CountingBlockRows final : public storage::BlockRows {
 public:
  CountingBlockRows(storage::BlockRows& rows, int64_t& trips) : rows_(rows), trips_(trips) {}

  absl::StatusOr<std::vector<storage::Block>> Find(storage::Ids ids) override {
    ++trips_;
    return rows_.Find(ids);
  }
  absl::StatusOr<std::vector<storage::BlockPlace>> FindPlaces(storage::Ids ids) override {
    ++trips_;
    return rows_.FindPlaces(ids);
  }
  absl::StatusOr<std::vector<storage::Block>> ListChildren(std::string_view parent_id,
                                                           const storage::SiblingPlace& after, int64_t limit) override {
    ++trips_;
    return rows_.ListChildren(parent_id, after, limit);
  }
  absl::StatusOr<std::vector<storage::Block>> ListBelow(std::string_view id) override {
    ++trips_;
    return rows_.ListBelow(id);
  }
  absl::StatusOr<std::vector<storage::Block>> FindOneChildOfEach(storage::Ids parent_ids) override {
    ++trips_;
    return rows_.FindOneChildOfEach(parent_ids);
  }
  absl::Status VisitSizes(std::string_view id, storage::Below below,
                          absl::FunctionRef<bool(std::string_view id, int64_t data_bytes)> visit) override {
    ++trips_;
    return rows_.VisitSizes(id, below, visit);
  }
  absl::StatusOr<int64_t> MeasureHeight(std::string_view id, int64_t limit) override {
    ++trips_;
    return rows_.MeasureHeight(id, limit);
  }
  absl::StatusOr<storage::Neighbours> FindNeighbours(std::string_view parent_id, std::optional<int64_t> position,
                                                     std::string_view excluding) override {
    ++trips_;
    return rows_.FindNeighbours(parent_id, position, excluding);
  }
  absl::StatusOr<std::vector<std::string>> FindSharedRanks(storage::Ids ids) override {
    ++trips_;
    return rows_.FindSharedRanks(ids);
  }
  absl::StatusOr<int64_t> CountBefore(const storage::Block& block) override {
    ++trips_;
    return rows_.CountBefore(block);
  }
  absl::StatusOr<storage::BlockPage> Query(const storage::BlockQuery& query) override {
    ++trips_;
    return rows_.Query(query);
  }
  absl::StatusOr<storage::SearchPage> Search(const storage::SearchQuery& query) override {
    ++trips_;
    return rows_.Search(query);
  }
  absl::Status Write(absl::Span<const storage::BlockWrite> writes) override { return rows_.Write(writes); }

 private:
  storage::BlockRows& rows_;
  int64_t& trips_;
};

class CountingLinkRows final : public storage::LinkRows {
 public:
  CountingLinkRows(storage::LinkRows& rows, int64_t& trips) : rows_(rows), trips_(trips) {}

  absl::StatusOr<std::vector<storage::Link>> Find(absl::Span<const storage::LinkKey> keys) override {
    ++trips_;
    return rows_.Find(keys);
  }
  absl::StatusOr<std::vector<storage::Link>> List(std::string_view block_id, int64_t limit) override {
    ++trips_;
    return rows_.List(block_id, limit);
  }
  absl::StatusOr<std::vector<storage::Link>> FindOfBlocks(storage::Ids block_ids) override {
    ++trips_;
    return rows_.FindOfBlocks(block_ids);
  }
  absl::Status Erase(absl::Span<const storage::Link> links) override { return rows_.Erase(links); }
  absl::Status Insert(absl::Span<const storage::Link> links) override { return rows_.Insert(links); }

 private:
  storage::LinkRows& rows_;
  int64_t& trips_;
};

class CountingUndoRows final : public storage::UndoRows {
 public:
  CountingUndoRows(storage::UndoRows& rows, int64_t& trips) : rows_(rows), trips_(trips) {}

  absl::StatusOr<std::vector<storage::UndoHead>> ListHeads(std::string_view user_id, int64_t changes) override {
    ++trips_;
    return rows_.ListHeads(user_id, changes);
  }
  absl::StatusOr<std::vector<storage::UndoEntry>> Load(std::string_view user_id, absl::Span<const int64_t> numbers,
                                                       storage::UndoContent content) override {
    ++trips_;
    return rows_.Load(user_id, numbers, content);
  }
  absl::StatusOr<bool> HasBelow(std::string_view user_id, const storage::UndoGroup& group, int64_t number) override {
    ++trips_;
    return rows_.HasBelow(user_id, group, number);
  }
  absl::StatusOr<int64_t> NextNumber(std::string_view user_id) override {
    ++trips_;
    return rows_.NextNumber(user_id);
  }
  absl::Status Push(int64_t number, const storage::UndoEntry& entry) override { return rows_.Push(number, entry); }
  absl::Status Drop(std::string_view user_id, absl::Span<const int64_t> numbers) override {
    return rows_.Drop(user_id, numbers);
  }
  absl::Status SetUndone(std::string_view user_id, int64_t number, bool undone) override {
    return rows_.SetUndone(user_id, number, undone);
  }
  absl::Status Trim(std::string_view user_id, const storage::UndoTrim& trim) override {
    return rows_.Trim(user_id, trim);
  }

 private:
  storage::UndoRows& rows_;
  int64_t& trips_;
};

class CountingConfirmationRows final : public storage::ConfirmationRows {
 public:
  CountingConfirmationRows(storage::ConfirmationRows& rows, int64_t& trips) : rows_(rows), trips_(trips) {}

  absl::StatusOr<std::optional<storage::Confirmation>> Find(std::string_view id) override {
    ++trips_;
    return rows_.Find(id);
  }
  absl::StatusOr<std::vector<storage::Confirmation>> ListPending(absl::Time now, int64_t limit,
                                                                 std::string_view after_id) override {
    ++trips_;
    return rows_.ListPending(now, limit, after_id);
  }
  absl::StatusOr<storage::PendingConfirmations> CountPending(absl::Time now, std::string_view user_id) override {
    ++trips_;
    return rows_.CountPending(now, user_id);
  }
  absl::Status Put(const storage::Confirmation& confirmation) override { return rows_.Put(confirmation); }

 private:
  storage::ConfirmationRows& rows_;
  int64_t& trips_;
};

class CountingOutcomeRows final : public storage::OutcomeRows {
 public:
  CountingOutcomeRows(storage::OutcomeRows& rows, int64_t& trips) : rows_(rows), trips_(trips) {}

  absl::StatusOr<std::optional<storage::IdempotentOutcome>> Find(std::string_view user_id, std::string_view key,
                                                                 absl::Time created_after) override {
    ++trips_;
    return rows_.Find(user_id, key, created_after);
  }
  absl::StatusOr<storage::KeyHolder> TakeKey(std::string_view user_id, std::string_view key,
                                             absl::Time created_after) override {
    ++trips_;
    return rows_.TakeKey(user_id, key, created_after);
  }
  absl::Status Put(std::string_view user_id, std::string_view key, const storage::IdempotentOutcome& outcome) override {
    return rows_.Put(user_id, key, outcome);
  }

 private:
  storage::OutcomeRows& rows_;
  int64_t& trips_;
};

class CountingKeptResultRows final : public storage::KeptResultRows {
 public:
  CountingKeptResultRows(storage::KeptResultRows& rows, int64_t& trips) : rows_(rows), trips_(trips) {}

  absl::StatusOr<std::optional<storage::KeptPart>> ReadPart(std::string_view user_id, std::string_view id,
                                                            int64_t offset, int64_t length,
                                                            absl::Time created_after) override {
    ++trips_;
    return rows_.ReadPart(user_id, id, offset, length, created_after);
  }
  absl::StatusOr<std::vector<storage::KeptSize>> ListSizes(std::string_view user_id) override {
    ++trips_;
    return rows_.ListSizes(user_id);
  }
  absl::Status Insert(const storage::KeptResult& result) override { return rows_.Insert(result); }
  absl::Status Erase(std::string_view user_id, storage::Ids ids) override { return rows_.Erase(user_id, ids); }

 private:
  storage::KeptResultRows& rows_;
  int64_t& trips_;
};

class CountingDocumentRows final : public storage::DocumentRows {
 public:
  CountingDocumentRows(storage::DocumentRows& rows, int64_t& trips) : rows_(rows), trips_(trips) {}

  absl::StatusOr<std::vector<storage::Document>> Find(absl::Span<const storage::DocumentKey> keys) override {
    ++trips_;
    return rows_.Find(keys);
  }
  absl::Status Put(const storage::DocumentKey& key, std::string_view json) override { return rows_.Put(key, json); }
  absl::Status Erase(const storage::DocumentKey& key) override { return rows_.Erase(key); }

 private:
  storage::DocumentRows& rows_;
  int64_t& trips_;
};

class CountingJournalRows final : public storage::JournalRows {
 public:
  CountingJournalRows(storage::JournalRows& rows, int64_t& trips) : rows_(rows), trips_(trips) {}

  absl::StatusOr<std::optional<storage::Claim>> Find(std::string_view id) override {
    ++trips_;
    return rows_.Find(id);
  }
  absl::StatusOr<std::optional<storage::Claim>> FindByKey(std::string_view user_id, std::string_view key) override {
    ++trips_;
    return rows_.FindByKey(user_id, key);
  }
  absl::StatusOr<std::vector<storage::Claim>> ListParts(std::string_view id) override {
    ++trips_;
    return rows_.ListParts(id);
  }
  absl::StatusOr<std::vector<storage::SettledStep>> ListSteps(std::string_view claim_id) override {
    ++trips_;
    return rows_.ListSteps(claim_id);
  }
  absl::Status Insert(const storage::Claim& claim) override { return rows_.Insert(claim); }
  absl::Status Update(const storage::Claim& claim) override { return rows_.Update(claim); }
  absl::Status Erase(std::string_view claim_id) override { return rows_.Erase(claim_id); }
  absl::Status InsertStep(const storage::SettledStep& step) override { return rows_.InsertStep(step); }
  absl::Status EraseStep(std::string_view claim_id, int64_t number) override {
    return rows_.EraseStep(claim_id, number);
  }

 private:
  storage::JournalRows& rows_;
  int64_t& trips_;
};

class CountingConversationRows final : public storage::ConversationRows {
 public:
  CountingConversationRows(storage::ConversationRows& rows, int64_t& trips) : rows_(rows), trips_(trips) {}

  absl::StatusOr<std::optional<storage::Conversation>> Find(std::string_view user_id, std::string_view id) override {
    ++trips_;
    return rows_.Find(user_id, id);
  }
  absl::StatusOr<std::vector<storage::Conversation>> List(std::string_view user_id, int64_t limit,
                                                          const storage::ConversationPlace& after) override {
    ++trips_;
    return rows_.List(user_id, limit, after);
  }
  absl::StatusOr<std::vector<storage::StoredMessage>> ListMessages(std::string_view user_id,
                                                                   std::string_view conversation_id,
                                                                   const storage::MessageQuery& query) override {
    ++trips_;
    return rows_.ListMessages(user_id, conversation_id, query);
  }
  absl::StatusOr<std::vector<storage::StoredArtifact>> ListArtifacts(std::string_view user_id,
                                                                     std::string_view conversation_id, int64_t first,
                                                                     int64_t last) override {
    ++trips_;
    return rows_.ListArtifacts(user_id, conversation_id, first, last);
  }
  absl::StatusOr<bool> HasMessage(std::string_view user_id, std::string_view conversation_id,
                                  std::string_view message_id) override {
    ++trips_;
    return rows_.HasMessage(user_id, conversation_id, message_id);
  }
  absl::StatusOr<bool> HasArtifact(std::string_view user_id, std::string_view conversation_id, int64_t message,
                                   int64_t number) override {
    ++trips_;
    return rows_.HasArtifact(user_id, conversation_id, message, number);
  }
  absl::Status Put(const storage::Conversation& conversation) override { return rows_.Put(conversation); }
  absl::Status InsertMessage(std::string_view user_id, std::string_view conversation_id,
                             const storage::StoredMessage& message) override {
    return rows_.InsertMessage(user_id, conversation_id, message);
  }
  absl::Status InsertArtifact(std::string_view user_id, std::string_view conversation_id,
                              const storage::StoredArtifact& artifact) override {
    return rows_.InsertArtifact(user_id, conversation_id, artifact);
  }
  absl::Status Erase(std::string_view user_id, std::string_view id) override { return rows_.Erase(user_id, id); }

 private:
  storage::ConversationRows& rows_;
  int64_t& trips_;
};

class CountingFileRows final : public storage::FileRows {
 public:
  CountingFileRows(storage::FileRows& rows, int64_t& trips) : rows_(rows), trips_(trips) {}

  absl::StatusOr<std::optional<storage::FileHead>> Find(std::string_view name) override {
    ++trips_;
    return rows_.Find(name);
  }
  absl::StatusOr<std::map<int64_t, std::string>> ReadPages(std::string_view name,
                                                           absl::Span<const int64_t> numbers) override {
    ++trips_;
    return rows_.ReadPages(name, numbers);
  }
  absl::Status Write(std::string_view name, const storage::FileHead& head,
                     const std::map<int64_t, std::string>& pages) override {
    return rows_.Write(name, head, pages);
  }

 private:
  storage::FileRows& rows_;
  int64_t& trips_;
};

class CountingRows final : public ForwardingRows {
 public:
  CountingRows(storage::Rows& rows, int64_t& trips)
      : ForwardingRows(rows),
        blocks_(rows.blocks(), trips),
        links_(rows.links(), trips),
        undo_(rows.undo(), trips),
        confirmations_(rows.confirmations(), trips),
        outcomes_(rows.outcomes(), trips),
        kept_results_(rows.kept_results(), trips),
        documents_(rows.documents(), trips),
        journal_(rows.journal(), trips),
        conversations_(rows.conversations(), trips),
        files_(rows.files(), trips),
        trips_(trips) {}

  storage::BlockRows& blocks() override { return blocks_; }
  storage::LinkRows& links() override { return links_; }
  storage::UndoRows& undo() override { return undo_; }
  storage::ConfirmationRows& confirmations() override { return confirmations_; }
  storage::OutcomeRows& outcomes() override { return outcomes_; }
  storage::KeptResultRows& kept_results() override { return kept_results_; }
  storage::DocumentRows& documents() override { return documents_; }
  storage::JournalRows& journal() override { return journal_; }
  storage::ConversationRows& conversations() override { return conversations_; }
  storage::FileRows& files() override { return files_; }
  absl::Status Flush() override {
    ++trips_;
    return ForwardingRows::Flush();
  }

 private:
  CountingBlockRows blocks_;
  CountingLinkRows links_;
  CountingUndoRows undo_;
  CountingConfirmationRows confirmations_;
  CountingOutcomeRows outcomes_;
  CountingKeptResultRows kept_results_;
  CountingDocumentRows documents_;
  CountingJournalRows journal_;
  CountingConversationRows conversations_;
  CountingFileRows files_;
  int64_t& trips_;
};

// Not thread-safe.
class CountingBackend final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;

  int64_t snapshot_trips = 0;
  int64_t transaction_trips = 0;

  absl::Status Read(std::string_view workspace_id, const storage::ReadPatience& patience,
                    absl::FunctionRef<absl::Status(storage::Rows&)> body) override {
    return backend().Read(workspace_id, patience, [&](storage::Rows& rows) {
      CountingRows counting(rows, snapshot_trips);
      return body(counting);
    });
  }
  absl::Status Commit(const storage::WriteContext& context, storage::CommitMode mode,
                      const fibers::Cancellation& cancellation,
                      absl::FunctionRef<absl::Status(storage::Rows&)> body) override {
    return backend().Commit(context, mode, cancellation, [&](storage::Rows& rows) {
      CountingRows counting(rows, transaction_trips);
      return body(counting);
    });
  }
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_COUNTING_BACKEND_H_
