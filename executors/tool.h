// A tool as the pipeline sees it: a definition and what runs it. Nothing here knows a concrete executor or a layer.
#ifndef TOOLGATE_EXECUTORS_TOOL_H_
#define TOOLGATE_EXECUTORS_TOOL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/caller.h"
#include "common/fibers/cancellation.h"
#include "common/ids.h"
#include "common/json.h"
#include "executors/effect_session.h"
#include "executors/progress.h"
#include "executors/tool_definition.h"
#include "executors/tool_switch.h"
#include "observability/tracing/call_span.h"
#include "storage/store.h"

namespace toolgate::executors {

// Answer of a handler that did what it was asked. A handler that fails answers a ToolError status.
struct ToolOutput {
  std::string data_json;         // As the result schema says.
  std::string description = {};  // Of the change, for the undo stack: "Created todo \"Review PR\"". Empty for reads.
  int64_t tokens_used = 0;
  int retry_count = 0;
  bool reversible = true;  // False when something happened that undo cannot bring back.
  bool untrusted = false;  // The data came from outside the workspace.
  // For the tool "read_result" only: where the part after this one begins.
  std::string continuation = {};
  // For the tool "undo" only: the entries it took back, newest first (a new entry then stands for their redo), or, when
  // it took back an undo, the entries that are in force again.
  std::vector<std::string> undoes = {};
  std::vector<std::string> revives = {};
};

// Answer of one step of an automation. Its marks hold for the automation as a whole, without the handler's help.
struct StepResult {
  std::string data_json;
  bool reversible = true;
  bool untrusted = false;
};

// A call that an automation makes.
struct Step {
  std::string_view tool_id;
  const Json& arguments;
  // Whether a question about the whole shows all of it (PlannedStep::IsShown), so that an answer stands for it too.
  bool is_shown = true;
};

// Runs one tool call inside another one's transaction, through every layer. For automations.
class StepRunner {
 public:
  virtual ~StepRunner() = default;
  // A refusal or a failure is a ToolError status.
  virtual absl::StatusOr<StepResult> RunStep(const Step& step, storage::Transaction& transaction) = 0;
};

class SagaRunner;

// Inputs of a handler. Borrowed for the length of the call.
struct ToolContext {
  const Json& arguments;  // Validated, defaults filled in, immutable.
  const Caller& caller;
  absl::Time now;
  absl::TimeZone time_zone;                  // The caller's.
  const fibers::Cancellation& cancellation;  // The store asks by itself; ask in loops without it.
  IdSource& ids;
  bool dry_run = false;
  StepRunner* steps = nullptr;       // Set in a transaction, for tools that run other tools.
  SagaRunner* saga = nullptr;        // The same in an effect.
  ProgressSink* progress = nullptr;  // Null: nobody listens.
  // The call's place in its trace, for requests to other services (observability/tracing/client_span.h).
  observability::tracing::CallSpan call_span = {};

  // Tells the client how far the call is.
  void Report(const Progress& at) const {
    if (progress != nullptr) progress->Report(at);
  }
};

// Changes nothing and reads a snapshot.
using ReadHandler = std::function<absl::StatusOr<ToolOutput>(ToolContext&, storage::ReadView&)>;
// Changes blocks and documents inside one transaction, which the pipeline commits together with the audit, undo and
// idempotency records. Undo needs nothing from the handler: the transaction remembers what changed.
using WriteHandler = std::function<absl::StatusOr<ToolOutput>(ToolContext&, storage::Transaction&)>;

// Result of the long part of a call, and the write that is left to do.
struct Plan {
  ToolOutput output;  // Answer of the call.
  // Writes what was worked out; null when there is nothing to write. Answers ABORTED without a ToolError when what the
  // plan was made from has changed since: it is then made again.
  std::function<absl::Status(storage::Transaction&)> commit;
};
// Works on a snapshot for as long as it takes, so that a long call holds up no other mutation; only `commit` runs in
// the transaction. As a step of an automation, it settles by itself (SagaRunner).
using PlanHandler = std::function<absl::StatusOr<Plan>(ToolContext&, storage::ReadView&)>;

// The outcome of an effect that has acted: its answer, and what is left to write.
struct Acted {
  ToolOutput output;
  // Writes what changes in the workspace and records how to take the effect back (Transaction::RecordEffect); null when
  // there is nothing to write. Runs in the transaction that settles the call, and again when the store must retry.
  // Answers a ToolError only when there is a `take_back`.
  std::function<absl::Status(storage::Transaction&)> settle;
  // Takes the effect back when the workspace does not allow it any more, which `settle` found by a ToolError: that is
  // then what the call comes to. Null where that cannot happen. Called while context and session are there.
  std::function<absl::Status()> take_back = nullptr;
  // Works out, on short reads of the session, what `settle` writes: called before it, and again when it returned
  // ABORTED without a ToolError, since what that was worked out from has changed. A ToolError as from `settle`. Null
  // when there is nothing to work out.
  std::function<absl::Status()> prepare = nullptr;
};
// Waits as long as it must, on a process, a file system, a network or a model, and holds neither a snapshot nor the
// store's commit meanwhile: it asks `session` for short reads. Unless the tool is read-only or the call a dry run, the
// call has been claimed in the journal before, and is settled afterwards with all that is known of it; a crash in
// between is resolved by the tool's Recoverer. An error means that nothing the handler did is left. In a dry run the
// handler acts on nothing and answers what it would do.
using EffectHandler = std::function<absl::StatusOr<Acted>(ToolContext&, EffectSession&)>;

// Outcome of an effect that nobody settled.
struct Recovered {
  enum class Outcome {
    kFinished,          // It had taken effect, or does now. `acted` holds for it.
    kRolledBack,        // Nothing of it is left.
    kPartlyRolledBack,  // Something of it is left that cannot be taken back. `failure` names it.
    kUnknown,           // It may or may not have taken effect, and nobody can tell.
  };
  Outcome outcome = Outcome::kUnknown;
  Acted acted;
  absl::Status failure = absl::OkStatus();  // The answer to the call when it is not finished; OK: the usual one.
};
// Resolves an effect whose process ended, or gave up, between its claim and its settlement. Runs when no handler of the
// call does any more; may itself be interrupted and run again. `session` holds the last checkpoint. An error leaves the
// claim in the journal, to be tried again later.
using Recoverer = std::function<absl::StatusOr<Recovered>(ToolContext&, EffectSession&)>;

// Takes back effects of one kind, whose reversal takes long to work out, in one undo. Made for it, and used by one
// thread at a time.
class EffectReversal {
 public:
  virtual ~EffectReversal() = default;
  // Works out on a snapshot, the same for all effects of the undo, how to take back one more, after those before it. A
  // ToolError CONFLICT when something else has changed what it touched.
  virtual absl::Status TakeBack(const storage::Effect& effect, ToolContext& context, storage::ReadView& view) = 0;
  // Writes what was worked out, and records the effects that would bring everything about again. ABORTED without a
  // ToolError, with nothing written, when what it was worked out from has changed since. May be called again when the
  // store must retry.
  virtual absl::Status Write(storage::Transaction& tx) const = 0;
};
using Reverser = std::function<std::unique_ptr<EffectReversal>()>;

// Takes back an effect outside of the store of the kind it is registered for: acts as an EffectHandler does, and
// returns the effect that would bring it about again. Idempotent: an effect that a call which was interrupted has taken
// back already is answered the same. Keeps no checkpoint, since that of the session is the undo's.
using OutsideReverser =
    std::function<absl::StatusOr<storage::Effect>(const storage::Effect&, ToolContext&, EffectSession&)>;

// Takes back `changes` as an EffectHandler acts: first what lies outside of the store, the last effect first, then, in
// `settle`, all the rest. All or nothing: what was taken back is brought about again when anything else cannot be. A
// ToolError CONFLICT or CANNOT_UNDO then. Idempotent.
using ChangeReverser =
    std::function<absl::StatusOr<Acted>(const storage::Changes& changes, ToolContext&, EffectSession&)>;

// A tool that runs in one transaction when all that it causes can, and as an effect otherwise.
struct FlexibleHandler {
  // ABORTED without a ToolError when the call cannot run in a transaction. It has changed nothing then.
  WriteHandler in_transaction;
  EffectHandler as_effect;
  // A cheaper way to find that out, on a snapshot, before a transaction is begun. Null: there is none.
  std::function<absl::StatusOr<bool>(ToolContext&, storage::ReadView&)> needs_effect;
  // Of a tool that works for long in the transaction, such as one that runs other tools. `in_transaction` then runs in
  // a dry run, which holds up no one, and this makes in the transaction the changes that it made there. ABORTED without
  // a ToolError when they do not fit any more: then it runs again. Null: `in_transaction` runs in the transaction.
  std::function<absl::Status(storage::Transaction&, const storage::Changes&)> apply = nullptr;
};

// A call that another one will make.
struct PlannedStep {
  std::string tool_id;
  // Templates whose values the call itself gives are filled in, unless that makes the arguments long.
  Json arguments;
  bool is_known = true;  // False: not all templates are filled in.

  // The longest arguments, as JSON text, into which values are filled.
  static constexpr size_t kMaxShownBytes = size_t{32} << 10;
  // Whether a person who sees this step knows all that it will do.
  bool IsShown() const { return is_known && IsShort(arguments); }
  static bool IsShort(const Json& arguments) { return DumpJson(arguments).size() <= kMaxShownBytes; }
};

// A text that a call would write in place of another, for people.
struct TextChange {
  // Lines. Of a difference, each begins with its sign, as `diff -u` writes them; otherwise the new content.
  std::string text;
  bool is_difference = true;
  bool is_cut = false;     // `text` is the beginning only.
  bool may_be_cut = true;  // False: the person who is asked must see all of it, as of a script.
  std::string whole = {};  // How long the whole is, and its digest, for a question that cannot show all of it.
};

// Information for a person who decides whether to approve a call. The question shows it with all arguments of the call
// (security/confirmation/question.h), so that no text here needs to repeat them.
struct Preview {
  bool needs_confirmation = true;  // Decides only for ConfirmationRule::kConditional.
  // Expected effect of the call in one line: "Delete page \"Plans\" and the 12 blocks below it". Names of the workspace
  // in it are written by text::Quoted.
  std::string summary;
  std::string undo_summary;                     // Part that can be taken back: "Undo brings everything back."
  bool reversible = true;                       // False: not everything, although the definition says so.
  std::vector<std::string> affected_block_ids;  // At most 100.
  // Steps of an automation, in order.
  std::vector<PlannedStep> steps = {};
  // Change of a text, and the arguments that it shows completely: of these, long ones are told by their digest.
  std::optional<TextChange> change = {};
  std::vector<std::string> digested_arguments = {};
  // StateDigest over the content on which the effect of the call depends; empty if it depends on the arguments alone.
  // If set, the call runs only while that content has the same digest. The preview of a tool that stays in the
  // workspace is made again for that: in the call's transaction, or on the snapshot from which its plan is made. The
  // handler of an effect compares by itself, where it acts (EffectSession::CheckState).
  std::string state_digest = {};
};
// SHA-256 of the canonical text, in hexadecimal digits.
std::string StateDigest(const Json& state);
// Digest over all that a person is told, which is all that they approve.
std::string StateDigest(const Preview& shown);

// Whether a caller may (still) use the tool of that id, asked by a tool about what another one did.
using MayUseTool = std::function<bool(const Caller&, std::string_view tool_id)>;

// Whether the switch of the tool of that id is on for a caller; true for a tool without one.
using IsToolOn = std::function<absl::StatusOr<bool>(const Caller&, std::string_view tool_id, storage::ReadView&)>;

// A preview changes nothing, and has the kind of its tool. That of a tool that stays in the workspace looks at a
// snapshot, or at the transaction of the automation of which the call is a step: it must be brief. What a plan's
// preview looks at, its plan depends on.
using WorkspacePreview = std::function<absl::StatusOr<Preview>(ToolContext&, storage::ReadView&)>;
// That of an effect may wait, as its handler does, and holds neither a snapshot nor the store's commit meanwhile: it
// asks `session` for short reads, and has no checkpoint and no output. It runs in the places of its tool, and no longer
// than the tool's time-out.
using EffectPreview = std::function<absl::StatusOr<Preview>(ToolContext&, EffectSession&)>;
using PreviewHandler = std::variant<std::monostate, WorkspacePreview, EffectPreview>;

// A dry run as it would come out, worked out on a snapshot.
struct Rehearsal {
  ToolOutput output;              // Answer of the call.
  storage::Changes changes = {};  // The first of its changes.
  size_t changes_omitted = 0;     // Number of the others.
};
// Works out a dry run that would change too much to be tried in a transaction (storage::kMaxTriedChanges). Nothing: try
// it.
using RehearsalHandler = std::function<absl::StatusOr<std::optional<Rehearsal>>(ToolContext&, storage::ReadView&)>;

// Row that a folder of executors registers for one tool. Every id needs a definition and the other way round.
struct ToolHandlers {
  std::string_view id;
  std::variant<ReadHandler, WriteHandler, PlanHandler, EffectHandler, FlexibleHandler> run;
  PreviewHandler preview = {};          // Required unless the definition's rule is kNever.
  Recoverer recover = nullptr;          // Required of effects that are not read-only.
  ChangeReverser reverse = nullptr;     // Set by "undo" alone: takes back what any tool did.
  Availability available = nullptr;     // Null: it can serve every caller.
  RehearsalHandler rehearse = nullptr;  // Null: every dry run is tried.

  bool has_preview() const { return !std::holds_alternative<std::monostate>(preview); }
};

struct Tool {
  ToolDefinition definition;
  ToolHandlers handlers;
  size_t index = 0;  // Dense, by id order, so that layers can keep what they compiled in a vector.
  // Whether the switch that the definition names is on for a caller. Null, when it names none: the tool is always
  // there.
  SwitchHandler is_on = nullptr;
  bool read_only() const { return definition.annotations.read_only; }
};

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_TOOL_H_
