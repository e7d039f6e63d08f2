#include "executors/memory/instruction.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/memory/default_instruction.h"
#include "storage/fault.h"

namespace toolgate::executors::memory {
namespace {

// One document for each user of a workspace:
//   {"coreInstruction"?, "memory"?, "memoryEnabled"?, "dbSchema"?, "updatedAt"}
// A member is stored once it is set. So a user without a core instruction gets the default of the running release.
constexpr std::string_view kKind = "instruction";
constexpr char kCoreInstruction[] = "coreInstruction";
constexpr char kMemory[] = "memory";
constexpr char kMemoryEnabled[] = "memoryEnabled";
constexpr char kDbSchema[] = "dbSchema";
constexpr char kUpdatedAt[] = "updatedAt";
// Three texts of maximum length, with every character escaped.
constexpr JsonLimits kLimits{.max_bytes = size_t{4} << 20};

absl::StatusOr<Json> ReadDocument(storage::ReadView& view, std::string_view user_id) {
  ASSIGN_OR_RETURN(const std::optional<std::string> text, view.FindDocument(kKind, user_id));
  if (!text.has_value()) return Json::object();
  absl::StatusOr<Json> document = ParseJson(*text, kLimits);
  if (document.ok() && document->is_object()) return document;
  return storage::MarkFault(absl::DataLossError("a stored instruction cannot be read"));
}

Instruction FromDocument(const Json& document) {
  Instruction instruction;
  instruction.core_instruction =
      OptionalString(document, kCoreInstruction).value_or(std::string(DefaultCoreInstruction()));
  instruction.memory = StringArgument(document, kMemory);
  if (FindArgument(document, kMemoryEnabled) != nullptr) {
    instruction.memory_enabled = BoolArgument(document, kMemoryEnabled);
  }
  instruction.db_schema = StringArgument(document, kDbSchema);
  absl::Time time;
  if (absl::ParseTime(absl::RFC3339_full, ToAbsl(StringArgument(document, kUpdatedAt)), &time, nullptr)) {
    instruction.updated_at = time;
  }
  return instruction;
}

}  // namespace

std::string_view DefaultCoreInstruction() {
  // The file ends with a line end; a part of the prompt does not.
  static const std::string_view text =
      FromAbsl(absl::StripSuffix(ToAbsl(DefaultInstructionFiles().front().text), "\n"));
  return text;
}

absl::Status CheckMemory(std::string_view memory) {
  const size_t characters = CountCharacters(memory);
  if (characters <= kMaxMemoryCharacters) return absl::OkStatus();
  return InvalidArgument(
      absl::StrCat("/", kMemory), "maxLength",
      absl::StrCat("the memory would be ", characters, " characters long and may have at most ", kMaxMemoryCharacters,
                   "; nothing was changed. Shorten it: keep what later conversations need, drop what is outdated"),
      absl::StrCat("at most ", kMaxMemoryCharacters, " characters"),
      absl::StrCat("string of ", characters, " characters"));
}

absl::StatusOr<Instruction> ReadInstruction(storage::ReadView& view, std::string_view user_id) {
  ASSIGN_OR_RETURN(const Json document, ReadDocument(view, user_id));
  return FromDocument(document);
}

absl::StatusOr<Instruction> ChangeInstruction(storage::Transaction& transaction, std::string_view user_id,
                                              const InstructionChange& change) {
  if (change.memory.has_value()) RETURN_IF_ERROR(CheckMemory(*change.memory));
  ASSIGN_OR_RETURN(Json document, ReadDocument(transaction, user_id));
  bool changed = false;
  const auto set = [&](const char* name, const auto& value) {
    if (!value.has_value()) return;
    document[name] = *value;
    changed = true;
  };
  set(kCoreInstruction, change.core_instruction);
  set(kMemory, change.memory);
  set(kMemoryEnabled, change.memory_enabled);
  set(kDbSchema, change.db_schema);
  if (!changed) return FromDocument(document);
  document[kUpdatedAt] = TimeJson(transaction.context().now);
  RETURN_IF_ERROR(transaction.ChangeDocument(kKind, user_id, DumpJson(document)));
  return FromDocument(document);
}

Json TimeJson(const std::optional<absl::Time>& time) {
  if (!time.has_value()) return nullptr;
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", *time, absl::UTCTimeZone());
}

}  // namespace toolgate::executors::memory
