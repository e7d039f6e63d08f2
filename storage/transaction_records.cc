// Everything but blocks, links and documents of the tools: the part of Transaction for undo stacks, confirmations,
// outcomes, kept results, conversations, files, the journal and the audit log.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "storage/signals.h"
#include "storage/transaction.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage {
namespace {

// Entries that left the stack are invisible; they are deleted in groups, which costs less than one by one.
constexpr int64_t kUndoTrimStep = 16;

}  // namespace

// ---- Undo stacks ----------------------------------------------------------------------------------------------------

absl::StatusOr<std::vector<UndoHead>> Transaction::ListUndoHeads(std::string_view user_id) {
  if (!undo_heads_.has_value() || undo_heads_->first != user_id) {
    ASSIGN_OR_RETURN(std::vector<UndoHead> heads, ReadView::ListUndoHeads(user_id));
    undo_heads_.emplace(std::string(user_id), std::move(heads));
  }
  return undo_heads_->second;
}

absl::Status Transaction::PushUndoEntry(const UndoEntry& entry) {
  if (entry.is_undo()) {
    // Of each change, the newest undo alone is kept.
    ASSIGN_OR_RETURN(const std::vector<UndoHead> heads, ListUndoHeads(entry.user_id));
    std::vector<int64_t> earlier;
    for (const UndoHead& head : heads) {
      const bool is_earlier = std::ranges::any_of(head.undoes, [&](const std::string& id) {
        return std::ranges::find(entry.undoes, id) != entry.undoes.end();
      });
      if (is_earlier) earlier.push_back(head.number);
    }
    if (!earlier.empty()) RETURN_IF_ERROR(rows().undo().Drop(entry.user_id, earlier));
  }
  ASSIGN_OR_RETURN(const int64_t number, rows().undo().NextNumber(entry.user_id));
  undo_heads_.reset();
  RETURN_IF_ERROR(rows().undo().Push(number, entry));
  return number > kUndoStackSize && number % kUndoTrimStep == 0 ? TrimUndoStack(entry.user_id) : absl::OkStatus();
}

absl::Status Transaction::TrimUndoStack(std::string_view user_id) {
  ASSIGN_OR_RETURN(const std::vector<UndoHead> heads, rows().undo().ListHeads(user_id, kUndoStackSize + 1));
  if (std::ranges::count_if(heads, [](const UndoHead& head) { return !head.is_undo(); }) <= kUndoStackSize) {
    return absl::OkStatus();
  }
  const int64_t last = heads.back().number;
  return rows().undo().Trim(user_id, {.emptied_up_to = last,
                                      .dropped_up_to = std::max<int64_t>(last - kRememberedChanges, 0),
                                      .undos_dropped_up_to = last});
}

absl::Status Transaction::SetUndone(std::string_view user_id, std::string_view entry_id, bool undone) {
  ASSIGN_OR_RETURN(const std::vector<UndoHead> heads, ListUndoHeads(user_id));
  const auto head = std::ranges::find(heads, entry_id, &UndoHead::id);
  if (head == heads.end()) {
    return MakeError(ErrorCode::kNotFound, absl::StrCat("there is no undo entry ", ToAbsl(entry_id)));
  }
  undo_heads_.reset();
  return rows().undo().SetUndone(user_id, head->number, undone);
}

// ---- Confirmations --------------------------------------------------------------------------------------------------

absl::Status Transaction::PutConfirmation(const Confirmation& confirmation) {
  return rows().confirmations().Put(confirmation);
}

absl::StatusOr<bool> Transaction::TransitionConfirmation(std::string_view id, Confirmation::State from,
                                                         Confirmation::State to, std::string_view decided_by) {
  ASSIGN_OR_RETURN(std::optional<Confirmation> confirmation, rows().confirmations().Find(id));
  if (!confirmation.has_value() || confirmation->state != from) return false;
  confirmation->state = to;
  confirmation->decided_by = decided_by;
  RETURN_IF_ERROR(rows().confirmations().Put(*confirmation));
  signals_.push_back(ConfirmationSignal(context_.workspace_id, id));
  return true;
}

// ---- Outcomes and kept results --------------------------------------------------------------------------------------

absl::StatusOr<std::optional<IdempotentOutcome>> Transaction::ClaimIdempotencyKey(std::string_view user_id,
                                                                                  std::string_view key) {
  ASSIGN_OR_RETURN(KeyHolder holder, rows().outcomes().TakeKey(user_id, key, context_.now - kOutcomeLifetime));
  if (holder.outcome.has_value()) return std::move(holder.outcome);
  if (holder.claim.has_value()) return KeyIsHeld(*holder.claim, context_.now);
  taken_keys_.emplace(user_id, key);
  return std::nullopt;
}

bool Transaction::HasTaken(std::string_view user_id, std::string_view key) const {
  return taken_keys_.contains(std::pair<std::string, std::string>(user_id, key));
}

absl::Status Transaction::PutOutcome(std::string_view user_id, std::string_view key, const IdempotentOutcome& outcome) {
  if (!HasTaken(user_id, key)) {
    return absl::FailedPreconditionError("an outcome is stored only under a key that this transaction has claimed");
  }
  return rows().outcomes().Put(user_id, key, outcome);
}

absl::Status Transaction::KeepResult(const KeptResult& result) {
  const auto size = static_cast<int64_t>(result.data_json.size());
  if (size > kMaxKeptBytes) {
    return absl::InvalidArgumentError(absl::StrCat("a result of ", size, " bytes is too long to be kept"));
  }
  ASSIGN_OR_RETURN(const std::vector<KeptSize> older, rows().kept_results().ListSizes(result.user_id));
  std::vector<std::string_view> dropped;
  int64_t held = size;
  for (const KeptSize& kept : older) {
    held += kept.bytes;
    if (held > kMaxKeptBytes) dropped.push_back(kept.id);
  }
  if (!dropped.empty()) RETURN_IF_ERROR(rows().kept_results().Erase(result.user_id, dropped));
  return rows().kept_results().Insert(result);
}

// ---- Conversations --------------------------------------------------------------------------------------------------

absl::StatusOr<Conversation> Transaction::GetConversation(std::string_view user_id, std::string_view id) {
  ASSIGN_OR_RETURN(std::optional<Conversation> conversation, rows().conversations().Find(user_id, id));
  if (conversation.has_value()) return *std::move(conversation);
  return MakeError(ErrorCode::kNotFound, "the user has no such conversation");
}

absl::Status Transaction::PutConversation(const Conversation& conversation) {
  ASSIGN_OR_RETURN(const std::optional<Conversation> present,
                   rows().conversations().Find(conversation.user_id, conversation.id));
  Conversation written = conversation;
  written.created_at = present.has_value() ? present->created_at : context_.now;
  written.message_count = present.has_value() ? present->message_count : 0;
  written.updated_at = context_.now;
  return rows().conversations().Put(written);
}

absl::Status Transaction::AppendMessage(std::string_view user_id, std::string_view conversation_id,
                                        const StoredMessage& message) {
  ASSIGN_OR_RETURN(Conversation conversation, GetConversation(user_id, conversation_id));
  if (message.number != conversation.message_count) {
    return MakeError(ErrorCode::kConflict,
                     absl::StrCat("the conversation has ", conversation.message_count, " messages, not ",
                                  message.number, ": another caller went on with it"));
  }
  ASSIGN_OR_RETURN(const bool taken, rows().conversations().HasMessage(user_id, conversation_id, message.id));
  if (taken) return MakeError(ErrorCode::kConflict, "the conversation has a message with this id already");
  ++conversation.message_count;
  conversation.updated_at = context_.now;
  RETURN_IF_ERROR(rows().conversations().InsertMessage(user_id, conversation_id, message));
  return rows().conversations().Put(conversation);
}

absl::Status Transaction::PutArtifact(std::string_view user_id, std::string_view conversation_id,
                                      const StoredArtifact& artifact) {
  RETURN_IF_ERROR(GetConversation(user_id, conversation_id).status());
  ASSIGN_OR_RETURN(const bool taken, rows().conversations().HasArtifact(user_id, conversation_id,
                                                                        artifact.message_number, artifact.number));
  if (taken) return MakeError(ErrorCode::kConflict, "the message has an artifact of this number already");
  return rows().conversations().InsertArtifact(user_id, conversation_id, artifact);
}

absl::StatusOr<bool> Transaction::DeleteConversation(std::string_view user_id, std::string_view id) {
  ASSIGN_OR_RETURN(const std::optional<Conversation> present, rows().conversations().Find(user_id, id));
  if (!present.has_value()) return false;
  RETURN_IF_ERROR(rows().conversations().Erase(user_id, id));
  return true;
}

// ---- Documents and files --------------------------------------------------------------------------------------------

absl::Status Transaction::PutDocument(std::string_view kind, std::string_view name, std::string_view json) {
  return rows().documents().Put({kind, name}, json);
}

absl::Status Transaction::DeleteDocument(std::string_view kind, std::string_view name) {
  return rows().documents().Erase({kind, name});
}

absl::Status Transaction::WriteFile(std::string_view name, int64_t page_count,
                                    const std::map<int64_t, std::string>& pages) {
  if (!pages.empty() && (pages.begin()->first < 0 || pages.rbegin()->first >= page_count)) {
    return absl::InvalidArgumentError("a page lies beyond the end of its file");
  }
  return rows().files().Write(name, {page_count, context_.change_id}, pages);
}

// ---- The journal ----------------------------------------------------------------------------------------------------

absl::StatusOr<std::optional<Claim>> Transaction::FindHeld(std::string_view id, const ClaimHold& hold) {
  ASSIGN_OR_RETURN(std::optional<Claim> claim, rows().journal().Find(id));
  if (!claim.has_value() || claim->owner != hold.owner || claim->recoveries != hold.attempt) return std::nullopt;
  return claim;
}

absl::Status Transaction::PutClaim(const Claim& claim, int64_t attempt_of_whole) {
  if (!claim.idempotency_key.empty() && !HasTaken(claim.user_id, claim.idempotency_key)) {
    return absl::FailedPreconditionError("a claim takes only an idempotency key that its transaction has claimed");
  }
  if (!claim.part_of.empty()) {
    ASSIGN_OR_RETURN(const std::optional<Claim> whole, FindHeld(claim.part_of, {claim.owner, attempt_of_whole}));
    if (!whole.has_value()) return NotHeld(claim.part_of);
  }
  return rows().journal().Insert(claim);
}

absl::StatusOr<bool> Transaction::RenewClaim(std::string_view id, const ClaimHold& hold, absl::Time good_until,
                                             std::string_view checkpoint) {
  ASSIGN_OR_RETURN(std::optional<Claim> claim, FindHeld(id, hold));
  if (!claim.has_value()) return false;
  claim->good_until = good_until;
  claim->checkpoint = checkpoint;
  RETURN_IF_ERROR(rows().journal().Update(*claim));
  return true;
}

absl::StatusOr<bool> Transaction::TakeOverClaim(std::string_view id, const ClaimHold& hold, std::string_view new_owner,
                                                absl::Time good_until) {
  ASSIGN_OR_RETURN(std::optional<Claim> claim, FindHeld(id, hold));
  if (!claim.has_value()) return false;
  claim->owner = new_owner;
  claim->good_until = good_until;
  ++claim->recoveries;
  RETURN_IF_ERROR(rows().journal().Update(*claim));
  return true;
}

absl::StatusOr<bool> Transaction::DropClaim(std::string_view id, const ClaimHold& hold) {
  ASSIGN_OR_RETURN(const std::vector<Claim> parts, rows().journal().ListParts(id));
  if (!parts.empty()) return absl::FailedPreconditionError("a step of the claim's call is not settled yet");
  ASSIGN_OR_RETURN(const std::optional<Claim> claim, FindHeld(id, hold));
  if (!claim.has_value()) return false;
  RETURN_IF_ERROR(rows().journal().Erase(id));
  signals_.push_back(ClaimSignal(context_.workspace_id, id));
  return true;
}

absl::StatusOr<bool> Transaction::PutSettledStep(const SettledStep& step, const ClaimHold& hold) {
  ASSIGN_OR_RETURN(const std::optional<Claim> claim, FindHeld(step.claim_id, hold));
  if (!claim.has_value()) return false;
  RETURN_IF_ERROR(rows().journal().InsertStep(step));
  return true;
}

absl::Status Transaction::DropSettledStep(std::string_view claim_id, int64_t number) {
  return rows().journal().EraseStep(claim_id, number);
}

// ---- The audit log --------------------------------------------------------------------------------------------------

absl::Status Transaction::AppendAudit(const v1::AuditEntry& entry) {
  if (entry.workspace_id() != context_.workspace_id) {
    return absl::InvalidArgumentError("an audit entry belongs to its transaction's workspace");
  }
  ASSIGN_OR_RETURN(PackedAuditEntry packed, PackAuditEntry(entry));
  audit_.push_back(std::move(packed));
  return absl::OkStatus();
}

}  // namespace toolgate::storage
