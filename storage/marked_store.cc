#include "storage/marked_store.h"

#include <map>
#include <optional>
#include <utility>

#include "storage/fault.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage {
namespace {

absl::Status Marked(absl::Status status) { return MarkFault(std::move(status)); }

template <typename T>
absl::StatusOr<T> Marked(absl::StatusOr<T> answer) {
  if (answer.ok()) return answer;
  return MarkFault(std::move(answer).status());
}

// Common part of views and transactions. `Base` is one of them.
template <typename Base>
class MarkedReads : public Base {
 public:
  // Not by Marked, which would move the block.
  absl::StatusOr<std::optional<Block>> FindBlock(std::string_view id) override {
    absl::StatusOr<std::optional<Block>> block = view_.FindBlock(id);
    if (!block.ok()) block = MarkFault(std::move(block).status());
    return block;
  }
  absl::StatusOr<std::vector<Block>> ListChildren(std::string_view parent_id, int64_t limit) override {
    return Marked(view_.ListChildren(parent_id, limit));
  }
  absl::StatusOr<BlockPage> FindBlocks(const BlockQuery& query) override { return Marked(view_.FindBlocks(query)); }
  absl::StatusOr<DeletionSize> MeasureDeletion(const Block& block, Children children, Measure measure,
                                               size_t max_ids) override {
    return Marked(view_.MeasureDeletion(block, children, measure, max_ids));
  }
  absl::StatusOr<SearchPage> Search(const SearchQuery& query) override { return Marked(view_.Search(query)); }
  absl::StatusOr<std::optional<Link>> FindLink(std::string_view from_id, std::string_view to_id,
                                               std::string_view relation) override {
    return Marked(view_.FindLink(from_id, to_id, relation));
  }
  absl::StatusOr<std::vector<Link>> ListLinks(std::string_view block_id, int64_t limit) override {
    return Marked(view_.ListLinks(block_id, limit));
  }
  absl::StatusOr<std::optional<UndoEntry>> FindUndoEntry(std::string_view user_id, std::string_view id) override {
    return Marked(view_.FindUndoEntry(user_id, id));
  }
  absl::StatusOr<std::optional<UndoEntry>> TopUndoEntry(std::string_view user_id) override {
    return Marked(view_.TopUndoEntry(user_id));
  }
  absl::StatusOr<std::optional<UndoEntry>> OutlineUndoEntry(std::string_view user_id, std::string_view id) override {
    return Marked(view_.OutlineUndoEntry(user_id, id));
  }
  absl::StatusOr<std::optional<UndoEntry>> OutlineTopUndoEntry(std::string_view user_id) override {
    return Marked(view_.OutlineTopUndoEntry(user_id));
  }
  absl::StatusOr<bool> HasLeftUndoStack(std::string_view user_id, const UndoGroup& group) override {
    return Marked(view_.HasLeftUndoStack(user_id, group));
  }
  absl::StatusOr<std::vector<UndoEntry>> ListUndoEntries(std::string_view user_id) override {
    return Marked(view_.ListUndoEntries(user_id));
  }
  absl::StatusOr<std::optional<Confirmation>> FindConfirmation(std::string_view id) override {
    return Marked(view_.FindConfirmation(id));
  }
  absl::StatusOr<std::vector<Confirmation>> ListPendingConfirmations(absl::Time now, int64_t limit,
                                                                     std::string_view after_id) override {
    return Marked(view_.ListPendingConfirmations(now, limit, after_id));
  }
  absl::StatusOr<PendingConfirmations> CountPendingConfirmations(absl::Time now, std::string_view user_id) override {
    return Marked(view_.CountPendingConfirmations(now, user_id));
  }
  absl::StatusOr<std::optional<IdempotentOutcome>> FindOutcome(std::string_view user_id, std::string_view key,
                                                               absl::Time now) override {
    return Marked(view_.FindOutcome(user_id, key, now));
  }
  absl::StatusOr<std::optional<KeptPart>> ReadKeptResult(std::string_view user_id, std::string_view id, int64_t offset,
                                                         int64_t length, absl::Time now) override {
    return Marked(view_.ReadKeptResult(user_id, id, offset, length, now));
  }
  absl::StatusOr<std::optional<std::string>> FindDocument(std::string_view kind, std::string_view name) override {
    return Marked(view_.FindDocument(kind, name));
  }
  absl::StatusOr<std::optional<Claim>> FindClaim(std::string_view id) override { return Marked(view_.FindClaim(id)); }
  absl::StatusOr<std::optional<Claim>> FindClaimByKey(std::string_view user_id, std::string_view key) override {
    return Marked(view_.FindClaimByKey(user_id, key));
  }
  absl::StatusOr<std::vector<SettledStep>> ListSettledSteps(std::string_view claim_id) override {
    return Marked(view_.ListSettledSteps(claim_id));
  }
  absl::StatusOr<std::optional<Conversation>> FindConversation(std::string_view user_id, std::string_view id) override {
    return Marked(view_.FindConversation(user_id, id));
  }
  absl::StatusOr<std::vector<Conversation>> ListConversations(std::string_view user_id, int64_t limit,
                                                              const ConversationPlace& after) override {
    return Marked(view_.ListConversations(user_id, limit, after));
  }
  absl::StatusOr<std::vector<StoredMessage>> ListMessages(std::string_view user_id, std::string_view conversation_id,
                                                          const MessageQuery& query) override {
    return Marked(view_.ListMessages(user_id, conversation_id, query));
  }
  absl::StatusOr<std::vector<StoredArtifact>> ListArtifacts(std::string_view user_id, std::string_view conversation_id,
                                                            int64_t first, int64_t last) override {
    return Marked(view_.ListArtifacts(user_id, conversation_id, first, last));
  }
  absl::StatusOr<std::optional<FileHead>> FindFile(std::string_view name) override {
    return Marked(view_.FindFile(name));
  }
  absl::StatusOr<std::string> ReadFilePage(std::string_view name, int64_t number) override {
    return Marked(view_.ReadFilePage(name, number));
  }

 protected:
  template <typename... Arguments>
  explicit MarkedReads(ReadView& view, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...), view_(view) {}

 private:
  ReadView& view_;
};

class MarkedView final : public MarkedReads<ReadView> {
 public:
  explicit MarkedView(ReadView& view) : MarkedReads(view) {}
};

}  // namespace

// Runs the rules of Transaction on the rows of `inner`; changes are recorded here as well.
class MarkedTransaction final : public MarkedReads<Transaction> {
 public:
  explicit MarkedTransaction(Transaction& inner)
      : MarkedReads(inner, inner.context(), inner.max_undo_bytes(), inner.fields()), inner_(inner) {}

  absl::Status PushUndoEntry(const UndoEntry& entry) override { return Marked(inner_.PushUndoEntry(entry)); }
  absl::Status SetUndone(std::string_view user_id, std::string_view entry_id, bool undone) override {
    return Marked(inner_.SetUndone(user_id, entry_id, undone));
  }
  absl::Status PutConfirmation(const Confirmation& confirmation) override {
    return Marked(inner_.PutConfirmation(confirmation));
  }
  absl::StatusOr<bool> TransitionConfirmation(std::string_view id, Confirmation::State from, Confirmation::State to,
                                              std::string_view decided_by) override {
    return Marked(inner_.TransitionConfirmation(id, from, to, decided_by));
  }
  absl::StatusOr<std::optional<IdempotentOutcome>> ClaimIdempotencyKey(std::string_view user_id,
                                                                       std::string_view key) override {
    return Marked(inner_.ClaimIdempotencyKey(user_id, key));
  }
  absl::Status PutOutcome(std::string_view user_id, std::string_view key, const IdempotentOutcome& outcome) override {
    return Marked(inner_.PutOutcome(user_id, key, outcome));
  }
  absl::Status PutClaim(const Claim& claim) override { return Marked(inner_.PutClaim(claim)); }
  absl::StatusOr<bool> RenewClaim(std::string_view id, std::string_view owner, absl::Time good_until,
                                  std::string_view checkpoint) override {
    return Marked(inner_.RenewClaim(id, owner, good_until, checkpoint));
  }
  absl::StatusOr<bool> TakeOverClaim(std::string_view id, std::string_view owner, std::string_view new_owner,
                                     absl::Time good_until) override {
    return Marked(inner_.TakeOverClaim(id, owner, new_owner, good_until));
  }
  absl::StatusOr<bool> DropClaim(std::string_view id, std::string_view owner) override {
    return Marked(inner_.DropClaim(id, owner));
  }
  absl::StatusOr<bool> PutSettledStep(const SettledStep& step, std::string_view owner) override {
    return Marked(inner_.PutSettledStep(step, owner));
  }
  absl::Status DropSettledStep(std::string_view claim_id, int64_t number) override {
    return Marked(inner_.DropSettledStep(claim_id, number));
  }
  absl::Status KeepResult(const KeptResult& result) override { return Marked(inner_.KeepResult(result)); }
  absl::Status PutConversation(const Conversation& conversation) override {
    return Marked(inner_.PutConversation(conversation));
  }
  absl::Status AppendMessage(std::string_view user_id, std::string_view conversation_id,
                             const StoredMessage& message) override {
    return Marked(inner_.AppendMessage(user_id, conversation_id, message));
  }
  absl::Status PutArtifact(std::string_view user_id, std::string_view conversation_id,
                           const StoredArtifact& artifact) override {
    return Marked(inner_.PutArtifact(user_id, conversation_id, artifact));
  }
  absl::StatusOr<bool> DeleteConversation(std::string_view user_id, std::string_view id) override {
    return Marked(inner_.DeleteConversation(user_id, id));
  }
  absl::Status PutDocument(std::string_view kind, std::string_view name, std::string_view json) override {
    return Marked(inner_.PutDocument(kind, name, json));
  }
  absl::Status DeleteDocument(std::string_view kind, std::string_view name) override {
    return Marked(inner_.DeleteDocument(kind, name));
  }
  absl::Status WriteFile(std::string_view name, int64_t page_count,
                         const std::map<int64_t, std::string>& pages) override {
    return Marked(inner_.WriteFile(name, page_count, pages));
  }
  absl::Status AppendAudit(const v1::AuditEntry& entry) override { return Marked(inner_.AppendAudit(entry)); }

 protected:
  absl::Status InsertRow(const Block& block, const IndexChange& change) override {
    return Marked(inner_.InsertRow(block, change));
  }
  absl::Status UpdateRow(const Block& block, const IndexChange& change) override {
    return Marked(inner_.UpdateRow(block, change));
  }
  absl::Status DeleteRow(std::string_view id, const IndexChange& change) override {
    return Marked(inner_.DeleteRow(id, change));
  }
  absl::Status InsertLink(const Link& link) override { return Marked(inner_.InsertLink(link)); }
  absl::Status EraseLink(const Link& link) override { return Marked(inner_.EraseLink(link)); }
  absl::StatusOr<Neighbours> FindNeighbours(std::string_view parent_id, std::optional<int64_t> position,
                                            std::string_view excluding) override {
    return Marked(inner_.FindNeighbours(parent_id, position, excluding));
  }
  absl::StatusOr<std::vector<std::string>> ListChildIds(std::string_view parent_id) override {
    return Marked(inner_.ListChildIds(parent_id));
  }
  absl::StatusOr<int64_t> PlaceOf(const Block& block) override { return Marked(inner_.PlaceOf(block)); }
  absl::Status BeginNested() override { return Marked(inner_.BeginNested()); }
  absl::Status EndNested(bool keep) override { return Marked(inner_.EndNested(keep)); }
  std::string NewBlockId() override { return inner_.NewBlockId(); }

 private:
  Transaction& inner_;
};

absl::Status MarkedStore::Read(std::string_view workspace_id, const ReadPatience& patience,
                               absl::FunctionRef<absl::Status(ReadView&)> body) {
  absl::Status of_body;
  absl::Status status = store_.Read(workspace_id, patience, [&](ReadView& view) {
    MarkedView marked(view);
    return of_body = body(marked);
  });
  // A failure of the body is marked already if it was the store's.
  return of_body.ok() ? MarkFault(std::move(status)) : status;
}

absl::Status MarkedStore::Commit(const WriteContext& context, CommitMode mode, const fibers::Cancellation& cancellation,
                                 absl::FunctionRef<absl::Status(Transaction&)> body) {
  absl::Status of_body;
  absl::Status status = store_.Commit(context, mode, cancellation, [&](Transaction& transaction) {
    MarkedTransaction marked(transaction);
    return of_body = body(marked);
  });
  return of_body.ok() ? MarkFault(std::move(status)) : status;
}

absl::Status MarkedStore::AppendPackedAudit(const std::vector<PackedAuditEntry>& entries) {
  return Marked(store_.AppendPackedAudit(entries));
}

absl::StatusOr<std::vector<v1::AuditEntry>> MarkedStore::SearchAudit(std::string_view workspace_id,
                                                                     const ReadPatience& patience,
                                                                     const AuditQuery& query) {
  return Marked(store_.SearchAudit(workspace_id, patience, query));
}

absl::StatusOr<v1::AuditEntry> MarkedStore::GetAudit(std::string_view workspace_id, const ReadPatience& patience,
                                                     std::string_view entry_id) {
  return Marked(store_.GetAudit(workspace_id, patience, entry_id));
}

absl::StatusOr<ChainReport> MarkedStore::VerifyChain(std::string_view workspace_id, const ReadPatience& patience) {
  return Marked(store_.VerifyChain(workspace_id, patience));
}

absl::StatusOr<AuditTrim> MarkedStore::TrimAudit(absl::Time before, int64_t from) {
  return Marked(store_.TrimAudit(before, from));
}

absl::StatusOr<std::vector<OpenClaim>> MarkedStore::ListClaims(int64_t limit) {
  return Marked(store_.ListClaims(limit));
}

absl::StatusOr<std::string> MarkedStore::GetOrCreateSecret(std::string_view name, std::string_view fresh) {
  return Marked(store_.GetOrCreateSecret(name, fresh));
}

// Its failures may also be due to the path, and no tool encounters them.
absl::Status MarkedStore::Backup(const std::string& path, const fibers::Cancellation& cancellation) {
  return store_.Backup(path, cancellation);
}

absl::Status MarkedStore::CheckHealth() { return Marked(store_.CheckHealth()); }

}  // namespace toolgate::storage
