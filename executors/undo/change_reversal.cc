#include "executors/undo/change_reversal.h"

#include <algorithm>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/blocks/integrity.h"
#include "executors/blocks/series_premise.h"
#include "storage/store.h"

namespace toolgate::executors::undo {

using storage::Changes;
using storage::Effect;
using storage::Transaction;

bool ChangeReversal::NeedsEffect(const Changes& changes) const {
  return std::any_of(changes.effects.begin(), changes.effects.end(),
                     [this](const Effect& effect) { return OutsideReverserOf(effect) != nullptr; });
}

absl::Status ChangeReversal::InStore(const Changes& changes, ToolContext& context, Transaction& tx) const {
  // The stack has changed since NeedsEffect was asked.
  if (NeedsEffect(changes)) return absl::AbortedError("this change is taken back outside of the store");
  RETURN_IF_ERROR(CheckKinds(changes.effects));
  tx.LiftUndoBound();
  RETURN_IF_ERROR(ReverseInside(changes.effects, context, tx));
  return blocks::Revert(tx, changes);
}

absl::StatusOr<Acted> ChangeReversal::AsEffect(std::shared_ptr<const Changes> changes, ToolContext& context,
                                               EffectSession& session) const {
  RETURN_IF_ERROR(CheckKinds(changes->effects));
  ASSIGN_OR_RETURN(Effects redos, ReverseOutside(changes->effects, context, session));
  Acted acted;
  acted.take_back = [this, redos, &context, &session] { return BringBack(redos, context, session); };
  acted.settle = [this, changes = std::move(changes), redos = std::move(redos),
                  &context](Transaction& tx) -> absl::Status {
    tx.LiftUndoBound();
    for (const Effect& redo : redos) RETURN_IF_ERROR(tx.RecordEffect(redo));
    RETURN_IF_ERROR(ReverseInside(changes->effects, context, tx));
    return blocks::Revert(tx, *changes);
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

absl::StatusOr<ChangeReversal::Effects> ChangeReversal::ReverseOutside(const Effects& effects, ToolContext& context,
                                                                       EffectSession& session) const {
  Effects redos;
  for (auto effect = effects.rbegin(); effect != effects.rend(); ++effect) {
    const OutsideReverser* const reverser = OutsideReverserOf(*effect);
    if (reverser == nullptr) continue;
    absl::StatusOr<Effect> redo = (*reverser)(*effect, context, session);
    if (!redo.ok()) {
      RETURN_IF_ERROR(BringBack(redos, context, session));
      return redo.status();
    }
    redos.push_back(*std::move(redo));
  }
  return redos;
}

absl::Status ChangeReversal::BringBack(const Effects& redos, ToolContext& context, EffectSession& session) const {
  for (auto redo = redos.rbegin(); redo != redos.rend(); ++redo) {
    RETURN_IF_ERROR((*OutsideReverserOf(*redo))(*redo, context, session).status());
  }
  return absl::OkStatus();
}

}  // namespace toolgate::executors::undo
