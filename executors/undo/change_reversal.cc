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

// `status`, of an undo of `calls`, with the one that it is about.
absl::Status AboutCall(const std::vector<CallChange>& calls, const CallChange& call, const absl::Status& status) {
  return calls.size() > 1 ? AboutChange(call.entry_id, call.description, status) : status;
}

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
                     [this](const Effect& effect) { return find_reverser_(effect.kind) != nullptr; });
}

bool ChangeReversal::ActsOutside(const Changes& changes) const {
  return std::any_of(changes.effects.begin(), changes.effects.end(),
                     [this](const Effect& effect) { return OutsideReverserOf(effect) != nullptr; });
}

absl::Status ChangeReversal::InStore(Changes changes, Transaction& tx) const {
  // The stack has changed since NeedsEffect was asked.
  if (NeedsEffect(changes)) return absl::AbortedError("this change is not taken back in one transaction");
  RETURN_IF_ERROR(CheckKinds(changes.effects));
  tx.LiftUndoBound();
  return blocks::Revert(tx, std::move(changes));
}

absl::StatusOr<Acted> ChangeReversal::AsEffect(std::shared_ptr<const Calls> calls, ToolContext& context,
                                               EffectSession& session) const {
  for (const CallChange& call : *calls) RETURN_IF_ERROR(AboutCall(*calls, call, CheckKinds(call.changes.effects)));
  Effects redos;
  for (const CallChange& call : *calls) {
    const absl::Status reversed = ReverseOutside(call.changes.effects, context, session, redos);
    if (reversed.ok()) continue;
    const absl::Status brought_back = BringBack(redos, context, session);
    return brought_back.ok() ? AboutCall(*calls, call, reversed) : LeftToRecovery(brought_back);
  }
  Acted acted;
  acted.take_back = [this, redos, &context, &session] { return BringBack(redos, context, session); };
  const auto inside = std::make_shared<Reversals>();
  acted.prepare = [this, calls, inside, &context, &session] {
    return session.Read([&](storage::ReadView& view) -> absl::Status {
      ASSIGN_OR_RETURN(*inside, ReverseInside(*calls, context, view));
      return absl::OkStatus();
    });
  };
  acted.settle = [calls, inside, redos = std::move(redos)](Transaction& tx) -> absl::Status {
    tx.LiftUndoBound();
    for (const Effect& redo : redos) RETURN_IF_ERROR(tx.RecordEffect(redo));
    for (const auto& [kind, reversal] : *inside) RETURN_IF_ERROR(reversal->Write(tx));
    for (const CallChange& call : *calls) {
      RETURN_IF_ERROR(AboutCall(*calls, call, blocks::Revert(tx, call.changes)));
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

absl::StatusOr<ChangeReversal::Reversals> ChangeReversal::ReverseInside(const Calls& calls, ToolContext& context,
                                                                        storage::ReadView& view) const {
  Reversals reversals;
  for (const CallChange& call : calls) {
    RETURN_IF_ERROR(AboutCall(calls, call, ReverseInside(call.changes.effects, context, view, reversals)));
  }
  return reversals;
}

absl::Status ChangeReversal::ReverseInside(const Effects& effects, ToolContext& context, storage::ReadView& view,
                                           Reversals& reversals) const {
  for (auto effect = effects.rbegin(); effect != effects.rend(); ++effect) {
    const AnyReverser* const found = find_reverser_(effect->kind);
    const auto* const reverser = found == nullptr ? nullptr : std::get_if<Reverser>(found);
    if (reverser == nullptr) continue;
    std::unique_ptr<EffectReversal>& reversal = reversals[effect->kind];
    if (reversal == nullptr) reversal = (*reverser)();
    RETURN_IF_ERROR(reversal->TakeBack(*effect, context, view));
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
