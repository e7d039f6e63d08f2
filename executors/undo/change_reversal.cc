#include "executors/undo/change_reversal.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/blocks/integrity.h"
#include "executors/blocks/series_premise.h"
#include "storage/store.h"

namespace toolgate::executors::undo {

using storage::Changes;
using storage::Effect;
using storage::Transaction;

namespace {

// Half of an undo that could neither go on nor back: without a settlement, recovery makes the rest of it.
absl::StatusOr<Acted> LeftToRecovery(const absl::Status& why) {
  Acted acted;
  acted.settle = [why](Transaction&) {
    return absl::UnavailableError(absl::StrCat("an undo was left half made, for recovery: ", why.message()));
  };
  return acted;
}

}  // namespace

absl::Status AboutChange(std::string_view entry_id, std::string_view description, const absl::Status& status) {
  std::optional<ToolError> error = GetToolError(status);
  if (!error.has_value()) return status;
  error->message = absl::StrCat("\"", ToAbsl(description), "\": ", error->message);
  error->facts.emplace_back("entryId", std::string(entry_id));
  return ToStatus(*error);
}

bool ChangeReversal::NeedsEffect(const Changes& changes) const {
  return std::any_of(changes.effects.begin(), changes.effects.end(),
                     [this](const Effect& effect) { return OutsideReverserOf(effect) != nullptr; });
}

absl::Status ChangeReversal::InStore(Changes changes, ToolContext& context, Transaction& tx) const {
  // The stack has changed since NeedsEffect was asked.
  if (NeedsEffect(changes)) return absl::AbortedError("this change is taken back outside of the store");
  RETURN_IF_ERROR(CheckKinds(changes.effects));
  tx.LiftUndoBound();
  RETURN_IF_ERROR(ReverseInside(changes.effects, context, tx));
  return blocks::Revert(tx, std::move(changes));
}

absl::StatusOr<Acted> ChangeReversal::AsEffect(std::shared_ptr<const std::vector<CallChange>> calls,
                                               ToolContext& context, EffectSession& session) const {
  const auto about = [several = calls->size() > 1](const CallChange& call, const absl::Status& status) {
    return several ? AboutChange(call.entry_id, call.description, status) : status;
  };
  for (const CallChange& call : *calls) RETURN_IF_ERROR(about(call, CheckKinds(call.changes.effects)));
  Effects redos;
  for (const CallChange& call : *calls) {
    const absl::Status reversed = ReverseOutside(call.changes.effects, context, session, redos);
    if (reversed.ok()) continue;
    const absl::Status brought_back = BringBack(redos, context, session);
    return brought_back.ok() ? about(call, reversed) : LeftToRecovery(brought_back);
  }
  Acted acted;
  acted.take_back = [this, redos, &context, &session] { return BringBack(redos, context, session); };
  acted.settle = [this, about, calls = std::move(calls), redos = std::move(redos),
                  &context](Transaction& tx) -> absl::Status {
    tx.LiftUndoBound();
    for (const Effect& redo : redos) RETURN_IF_ERROR(tx.RecordEffect(redo));
    for (const CallChange& call : *calls) {
      absl::Status reversed = ReverseInside(call.changes.effects, context, tx);
      if (reversed.ok()) reversed = blocks::Revert(tx, call.changes);
      if (!reversed.ok()) return about(call, reversed);
    }
    return absl::OkStatus();
  };
  return acted;
}

const OutsideReverser* ChangeReversal::OutsideReverserOf(const Effect& effect) const {
  const AnyReverser* const found = find_reverser_(effect.kind);
  return found == nullptr ? nullptr : std::get_if<OutsideReverser>(found);
}

absl::Status ChangeReversal::CheckKinds(const Effects& effects) const {
  for (const Effect& effect : effects) {
    // blocks::Revert looks at these.
    if (effect.kind == blocks::kSeriesEffect || find_reverser_(effect.kind) != nullptr) continue;
    return MakeError(ErrorCode::kCannotUndo,
                     absl::StrCat("this change is of a kind that this service does not take back: ", effect.kind));
  }
  return absl::OkStatus();
}

absl::Status ChangeReversal::ReverseInside(const Effects& effects, ToolContext& context, Transaction& tx) const {
  for (auto effect = effects.rbegin(); effect != effects.rend(); ++effect) {
    const AnyReverser* const found = find_reverser_(effect->kind);
    const auto* const reverser = found == nullptr ? nullptr : std::get_if<Reverser>(found);
    if (reverser != nullptr) RETURN_IF_ERROR((*reverser)(*effect, context, tx));
  }
  return absl::OkStatus();
}

absl::Status ChangeReversal::ReverseOutside(const Effects& effects, ToolContext& context, EffectSession& session,
                                            Effects& redos) const {
  for (auto effect = effects.rbegin(); effect != effects.rend(); ++effect) {
    const OutsideReverser* const reverser = OutsideReverserOf(*effect);
    if (reverser == nullptr) continue;
    ASSIGN_OR_RETURN(Effect redo, (*reverser)(*effect, context, session));
    redos.push_back(std::move(redo));
  }
  return absl::OkStatus();
}

absl::Status ChangeReversal::BringBack(const Effects& redos, ToolContext& context, EffectSession& session) const {
  // Also for a call that has been cancelled: half of an undo must not stay.
  const fibers::Cancellation none;
  ToolContext undisturbed{context.arguments, context.caller, context.now, context.time_zone, none, context.ids};
  undisturbed.call_span = context.call_span;
  for (auto redo = redos.rbegin(); redo != redos.rend(); ++redo) {
    RETURN_IF_ERROR((*OutsideReverserOf(*redo))(*redo, undisturbed, session).status());
  }
  return absl::OkStatus();
}

}  // namespace toolgate::executors::undo
