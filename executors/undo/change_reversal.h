// Taking back what a change did, in the store and outside of it.
#ifndef TOOLGATE_EXECUTORS_UNDO_CHANGE_REVERSAL_H_
#define TOOLGATE_EXECUTORS_UNDO_CHANGE_REVERSAL_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/family.h"
#include "executors/tool.h"
#include "storage/changes.h"

namespace toolgate::executors::undo {

// Answers the reverser of effects of that kind; null when there is none.
using FindReverser = std::function<const AnyReverser*(std::string_view kind)>;

// The change of one call, and its undo entry, which an error about one of several names.
struct CallChange {
  storage::Changes changes;
  std::string entry_id;
  std::string description;
};

// `status`, an error of an undo of several changes, with the change that it is about.
absl::Status AboutChange(std::string_view entry_id, std::string_view description, const absl::Status& status);

// Takes changes back, the last effect first, since each was made on what the ones before had left. All or nothing, and
// CANNOT_UNDO when there is an effect that no reverser is known for. Immutable, hence thread-safe.
class ChangeReversal {
 public:
  explicit ChangeReversal(FindReverser find_reverser) : find_reverser_(std::move(find_reverser)) {}

  // Whether something of it lies outside of the store, or takes long to work out.
  bool NeedsEffect(const storage::Changes& changes) const;
  // Whether something of it lies outside of the store.
  bool ActsOutside(const storage::Changes& changes) const;

  // Of changes that need no effect; ABORTED of others. By value, as Transaction::Revert.
  absl::Status InStore(storage::Changes changes, storage::Transaction& tx) const;

  // Of the changes of several calls, the latest call first. Outside reversals act in turn, and when one fails, those
  // before it are brought about again; if that fails too, as when the time is over, the settlement fails, so that
  // recovery makes the undo. What lies in the store is worked out on a snapshot (Acted::prepare), and taken back when
  // the answer is settled. Borrows this, `context` and `session`.
  absl::StatusOr<Acted> AsEffect(std::shared_ptr<const std::vector<CallChange>> calls, ToolContext& context,
                                 EffectSession& session) const;

 private:
  using Effects = std::vector<storage::Effect>;
  using Calls = std::vector<CallChange>;
  // By the kind of their effects.
  using Reversals = std::map<std::string, std::unique_ptr<EffectReversal>>;

  const OutsideReverser* OutsideReverserOf(const storage::Effect& effect) const;
  absl::Status CheckKinds(const Effects& effects) const;
  // Works out the reversal of the effects in the store.
  absl::StatusOr<Reversals> ReverseInside(const Calls& calls, ToolContext& context, storage::ReadView& view) const;
  absl::Status ReverseInside(const Effects& effects, ToolContext& context, storage::ReadView& view,
                             Reversals& reversals) const;
  // Appends the effects that would bring everything about again, in the order in which they happened.
  absl::Status ReverseOutside(const Effects& effects, ToolContext& context, EffectSession& session,
                              Effects& redos) const;
  // Undoes reversals, the last one first.
  absl::Status BringBack(const Effects& redos, ToolContext& context, EffectSession& session) const;

  const FindReverser find_reverser_;
};

}  // namespace toolgate::executors::undo

#endif  // TOOLGATE_EXECUTORS_UNDO_CHANGE_REVERSAL_H_
