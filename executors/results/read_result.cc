#include "executors/results/read_result.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/text/json_prefix.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/continuation.h"
#include "executors/internal_tool.h"
#include "executors/results/results_definitions.h"
#include "storage/store.h"

namespace toolgate::executors::results {
namespace {

using storage::KeptPart;

constexpr int64_t kDefaultBytes = int64_t{64} << 10;

absl::Status NotThere() {
  return MakeError(ErrorCode::kNotFound,
                   "this continuation leads to no result of this user's; one can be read on for 24 hours, unless so "
                   "many others were cut since that it had to make room for them");
}

Json Frame(const KeptPart& part, int64_t offset, std::string_view text, std::string_view continuation) {
  Json frame = {{"totalBytes", part.total_bytes}, {"offset", offset}, {"text", text}};
  if (!continuation.empty()) frame["continuation"] = continuation;
  return frame;
}

// The beginning of `part`, which starts at `place`, that fits into a response of `max_bytes`.
ToolOutput Answer(const KeptPart& part, const Continuation& place, size_t max_bytes) {
  const Continuation longest{place.id, part.total_bytes};
  const size_t frame_bytes = DumpJson(Frame(part, place.offset, "", longest.ToText())).size();
  const std::string_view whole = text::WholeCharacters(part.bytes);
  const std::string_view text = whole.substr(0, text::JsonPrefix(whole, max_bytes - frame_bytes));
  const Continuation next{place.id, place.offset + static_cast<int64_t>(text.size())};
  ToolOutput output;
  if (next.offset < part.total_bytes) output.continuation = next.ToText();
  output.data_json = DumpJson(Frame(part, place.offset, text, output.continuation));
  output.untrusted = part.untrusted;
  return output;
}

absl::StatusOr<ToolOutput> ReadResult(const MayUseTool& may_use, const IsToolOn& is_on, ToolContext& context,
                                      storage::ReadView& view) {
  const std::optional<Continuation> place = Continuation::Parse(StringArgument(context.arguments, "continuation"));
  if (!place.has_value()) return NotThere();
  const auto max_bytes = OptionalInteger(context.arguments, "maxBytes").value_or(kDefaultBytes);
  ASSIGN_OR_RETURN(const std::optional<KeptPart> part,
                   view.ReadKeptResult(context.caller.user_id, place->id, place->offset, max_bytes, context.now));
  if (!part.has_value() || part->bytes.empty() || !text::StartsCharacter(part->bytes)) return NotThere();
  if (may_use != nullptr && !may_use(context.caller, part->tool_id)) {
    return MakeError(ErrorCode::kForbidden, absl::StrCat("reading on in a result of ", part->tool_id,
                                                         " needs the permissions of ", part->tool_id));
  }
  if (is_on != nullptr) {
    ASSIGN_OR_RETURN(const bool on, is_on(context.caller, part->tool_id, view));
    if (!on) return NotThere();
  }
  return Answer(*part, *place, static_cast<size_t>(max_bytes));
}

absl::StatusOr<FamilyTools> ResultsTools(const FamilyContext& context) {
  return FamilyTools{{ReadResultTool(context.may_use_tool, context.is_tool_on)}};
}

}  // namespace

Family ResultsFamily() { return {"results", &DefinitionFiles(), ResultsTools}; }

ToolHandlers ReadResultTool(MayUseTool may_use, IsToolOn is_on) {
  ToolHandlers handlers;
  handlers.id = IdOf(InternalTool::kReadResult);
  handlers.run = ReadHandler(
      [may_use = std::move(may_use), is_on = std::move(is_on)](ToolContext& context, storage::ReadView& view) {
        return ReadResult(may_use, is_on, context, view);
      });
  return handlers;
}

}  // namespace toolgate::executors::results
