// A store that fails when blocks are read or changed.
#ifndef TOOLGATE_TESTS_SUPPORT_FAULTY_STORE_H_
#define TOOLGATE_TESTS_SUPPORT_FAULTY_STORE_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/forwarding_store.h"

namespace toolgate::testing {

// While `fault` is not OK, views and transactions return it whenever a block is read or changed; everything else works,
// so that only tools encounter the fault, and a call's records can be kept.
class FaultyStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  absl::Status fault;

  using ForwardingStore::Read;
  absl::Status Read(std::string_view workspace_id, const storage::ReadPatience& patience,
                    absl::FunctionRef<absl::Status(storage::ReadView&)> body) override {
    return store().Read(workspace_id, patience, [&](storage::ReadView& view) {
      if (fault.ok()) return body(view);
      FaultyView faulty(view, fault);
      return body(faulty);
    });
  }
  absl::Status Commit(const storage::WriteContext& context, storage::CommitMode mode,
                      const fibers::Cancellation& cancellation,
                      absl::FunctionRef<absl::Status(storage::Transaction&)> body) override {
    return store().Commit(context, mode, cancellation, [&](storage::Transaction& transaction) {
      if (fault.ok()) return body(transaction);
      FaultyTransaction faulty(transaction, fault);
      return body(faulty);
    });
  }

 private:
  template <typename Base>
  class FaultyReads : public Base {
   public:
    template <typename... Arguments>
    FaultyReads(storage::ReadView& view, const absl::Status& failure, Arguments&&... arguments)
        : Base(std::forward<Arguments>(arguments)...), view_(view), fault_(failure) {}

    absl::StatusOr<std::optional<storage::Block>> FindBlock(std::string_view) override { return fault_; }
    absl::StatusOr<std::vector<storage::Block>> ListChildren(std::string_view, int64_t) override { return fault_; }
    absl::StatusOr<storage::BlockPage> FindBlocks(const storage::BlockQuery&) override { return fault_; }
    absl::StatusOr<storage::DeletionSize> MeasureDeletion(const storage::Block&, storage::Children, storage::Measure,
                                                          size_t) override {
      return fault_;
    }
    absl::StatusOr<storage::SearchPage> Search(const storage::SearchQuery&) override { return fault_; }
    absl::StatusOr<std::optional<storage::Link>> FindLink(std::string_view, std::string_view,
                                                          std::string_view) override {
      return fault_;
    }
    absl::StatusOr<std::vector<storage::Link>> ListLinks(std::string_view, int64_t) override { return fault_; }
    absl::StatusOr<std::optional<storage::UndoEntry>> FindUndoEntry(std::string_view user,
                                                                    std::string_view id) override {
      return view_.FindUndoEntry(user, id);
    }
    absl::StatusOr<std::optional<storage::UndoEntry>> TopUndoEntry(std::string_view user) override {
      return view_.TopUndoEntry(user);
    }
    absl::StatusOr<bool> HasLeftUndoStack(std::string_view user, const storage::UndoGroup& group) override {
      return view_.HasLeftUndoStack(user, group);
    }
    absl::StatusOr<std::optional<storage::UndoEntry>> OutlineUndoEntry(std::string_view user,
                                                                       std::string_view id) override {
      return view_.OutlineUndoEntry(user, id);
    }
    absl::StatusOr<std::optional<storage::UndoEntry>> OutlineTopUndoEntry(std::string_view user) override {
      return view_.OutlineTopUndoEntry(user);
    }
    absl::StatusOr<std::vector<storage::UndoEntry>> ListUndoEntries(std::string_view user) override {
      return view_.ListUndoEntries(user);
    }
    absl::StatusOr<std::optional<storage::Confirmation>> FindConfirmation(std::string_view id) override {
      return view_.FindConfirmation(id);
    }
    absl::StatusOr<std::vector<storage::Confirmation>> ListPendingConfirmations(absl::Time now, int64_t limit,
                                                                                std::string_view after) override {
      return view_.ListPendingConfirmations(now, limit, after);
    }
    absl::StatusOr<storage::PendingConfirmations> CountPendingConfirmations(absl::Time now,
                                                                            std::string_view user) override {
      return view_.CountPendingConfirmations(now, user);
    }
    absl::StatusOr<std::optional<storage::IdempotentOutcome>> FindOutcome(std::string_view user, std::string_view key,
                                                                          absl::Time now) override {
      return view_.FindOutcome(user, key, now);
    }
    absl::StatusOr<std::optional<storage::KeptPart>> ReadKeptResult(std::string_view user, std::string_view id,
                                                                    int64_t offset, int64_t length,
                                                                    absl::Time now) override {
      return view_.ReadKeptResult(user, id, offset, length, now);
    }
    absl::StatusOr<std::optional<std::string>> FindDocument(std::string_view kind, std::string_view name) override {
      return view_.FindDocument(kind, name);
    }
    absl::StatusOr<std::optional<storage::Claim>> FindClaim(std::string_view id) override {
      return view_.FindClaim(id);
    }
    absl::StatusOr<std::optional<storage::Claim>> FindClaimByKey(std::string_view user, std::string_view key) override {
      return view_.FindClaimByKey(user, key);
    }
    absl::StatusOr<std::vector<storage::SettledStep>> ListSettledSteps(std::string_view claim_id) override {
      return view_.ListSettledSteps(claim_id);
    }
    absl::StatusOr<std::optional<storage::Conversation>> FindConversation(std::string_view user,
                                                                          std::string_view id) override {
      return view_.FindConversation(user, id);
    }
    absl::StatusOr<std::vector<storage::Conversation>> ListConversations(
        std::string_view user, int64_t limit, const storage::ConversationPlace& after) override {
      return view_.ListConversations(user, limit, after);
    }
    absl::StatusOr<std::vector<storage::StoredMessage>> ListMessages(std::string_view user, std::string_view id,
                                                                     const storage::MessageQuery& query) override {
      return view_.ListMessages(user, id, query);
    }
    absl::StatusOr<std::vector<storage::StoredArtifact>> ListArtifacts(std::string_view user, std::string_view id,
                                                                       int64_t first, int64_t last) override {
      return view_.ListArtifacts(user, id, first, last);
    }
    absl::StatusOr<std::optional<storage::FileHead>> FindFile(std::string_view) override { return fault_; }
    absl::StatusOr<std::string> ReadFilePage(std::string_view, int64_t) override { return fault_; }

   protected:
    const absl::Status& fault() const { return fault_; }

   private:
    storage::ReadView& view_;
    const absl::Status fault_;
  };

  class FaultyView final : public FaultyReads<storage::ReadView> {
   public:
    using FaultyReads<storage::ReadView>::FaultyReads;
  };

  class FaultyTransaction final : public FaultyReads<storage::Transaction> {
   public:
    FaultyTransaction(storage::Transaction& inner, const absl::Status& failure)
        : FaultyReads<storage::Transaction>(inner, failure, inner.context(), storage::kMaxUndoBytes, kNoFields),
          inner_(inner) {}

    absl::Status PushUndoEntry(const storage::UndoEntry& entry) override { return inner_.PushUndoEntry(entry); }
    absl::Status SetUndone(std::string_view user, std::string_view id, bool undone) override {
      return inner_.SetUndone(user, id, undone);
    }
    absl::Status PutConfirmation(const storage::Confirmation& row) override { return inner_.PutConfirmation(row); }
    absl::StatusOr<bool> TransitionConfirmation(std::string_view id, storage::Confirmation::State from,
                                                storage::Confirmation::State to, std::string_view by) override {
      return inner_.TransitionConfirmation(id, from, to, by);
    }
    absl::Status PutConversation(const storage::Conversation& row) override { return inner_.PutConversation(row); }
    absl::Status AppendMessage(std::string_view user, std::string_view id,
                               const storage::StoredMessage& message) override {
      return inner_.AppendMessage(user, id, message);
    }
    absl::Status PutArtifact(std::string_view user, std::string_view id,
                             const storage::StoredArtifact& artifact) override {
      return inner_.PutArtifact(user, id, artifact);
    }
    absl::StatusOr<bool> DeleteConversation(std::string_view user, std::string_view id) override {
      return inner_.DeleteConversation(user, id);
    }
    absl::StatusOr<std::optional<storage::IdempotentOutcome>> ClaimIdempotencyKey(std::string_view user,
                                                                                  std::string_view key) override {
      return inner_.ClaimIdempotencyKey(user, key);
    }
    absl::Status PutOutcome(std::string_view user, std::string_view key,
                            const storage::IdempotentOutcome& outcome) override {
      return inner_.PutOutcome(user, key, outcome);
    }
    absl::Status PutClaim(const storage::Claim& claim) override { return inner_.PutClaim(claim); }
    absl::StatusOr<bool> RenewClaim(std::string_view id, std::string_view owner, absl::Time good_until,
                                    std::string_view checkpoint) override {
      return inner_.RenewClaim(id, owner, good_until, checkpoint);
    }
    absl::StatusOr<bool> TakeOverClaim(std::string_view id, std::string_view owner, std::string_view new_owner,
                                       absl::Time good_until) override {
      return inner_.TakeOverClaim(id, owner, new_owner, good_until);
    }
    absl::StatusOr<bool> DropClaim(std::string_view id, std::string_view owner) override {
      return inner_.DropClaim(id, owner);
    }
    absl::StatusOr<bool> PutSettledStep(const storage::SettledStep& step, std::string_view owner) override {
      return inner_.PutSettledStep(step, owner);
    }
    absl::Status DropSettledStep(std::string_view claim_id, int64_t number) override {
      return inner_.DropSettledStep(claim_id, number);
    }
    absl::Status KeepResult(const storage::KeptResult& result) override { return inner_.KeepResult(result); }
    absl::Status PutDocument(std::string_view kind, std::string_view name, std::string_view json) override {
      return inner_.PutDocument(kind, name, json);
    }
    absl::Status DeleteDocument(std::string_view kind, std::string_view name) override {
      return inner_.DeleteDocument(kind, name);
    }
    absl::Status WriteFile(std::string_view, int64_t, const std::map<int64_t, std::string>&) override {
      return fault();
    }
    absl::Status AppendAudit(const v1::AuditEntry& entry) override { return inner_.AppendAudit(entry); }

   protected:
    absl::Status InsertRow(const storage::Block&, const storage::IndexChange&) override { return fault(); }
    absl::Status UpdateRow(const storage::Block&, const storage::IndexChange&) override { return fault(); }
    absl::Status DeleteRow(std::string_view, const storage::IndexChange&) override { return fault(); }
    absl::Status InsertLink(const storage::Link&) override { return fault(); }
    absl::Status EraseLink(const storage::Link&) override { return fault(); }
    absl::StatusOr<Neighbours> FindNeighbours(std::string_view, std::optional<int64_t>, std::string_view) override {
      return fault();
    }
    absl::StatusOr<std::vector<std::string>> ListChildIds(std::string_view) override { return fault(); }
    absl::StatusOr<int64_t> PlaceOf(const storage::Block&) override { return fault(); }
    absl::Status BeginNested() override { return absl::OkStatus(); }
    absl::Status EndNested(bool) override { return absl::OkStatus(); }
    std::string NewBlockId() override { return "unused"; }

   private:
    inline static const storage::DeclaredFields kNoFields;
    storage::Transaction& inner_;
  };
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_FAULTY_STORE_H_
