// System instruction of a user: the user's own text, the model's memory, and the model's notes on its database.
#ifndef TOOLGATE_EXECUTORS_MEMORY_INSTRUCTION_H_
#define TOOLGATE_EXECUTORS_MEMORY_INSTRUCTION_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/json.h"
#include "storage/store.h"

namespace toolgate::executors::memory {

// Maximum length of a memory in Unicode characters.
inline constexpr size_t kMaxMemoryCharacters = 4000;

struct Instruction {
  std::string core_instruction;  // The user's text, or the default.
  std::string memory;
  bool memory_enabled = true;
  std::string db_schema;
  std::optional<absl::Time> updated_at;  // Unset until the first change.
};

// Partial change: members that are set replace the stored ones.
struct InstructionChange {
  std::optional<std::string> core_instruction = {};
  std::optional<std::string> memory = {};
  std::optional<bool> memory_enabled = {};
  std::optional<std::string> db_schema = {};
};

// Core instruction of a user who has not written one.
std::string_view DefaultCoreInstruction();

// INVALID_PARAMS, with the actual and the maximum length, if the memory is too long.
absl::Status CheckMemory(std::string_view memory);

// Instruction of a user in the view's workspace, with defaults for members that are not stored.
absl::StatusOr<Instruction> ReadInstruction(storage::ReadView& view, std::string_view user_id);

// Changes the instruction, sets updated_at to the transaction's time, and returns the result. A change that sets
// nothing writes nothing, not even updated_at. INVALID_PARAMS if the memory is too long; nothing is written then.
absl::StatusOr<Instruction> ChangeInstruction(storage::Transaction& transaction, std::string_view user_id,
                                              const InstructionChange& change);

// Time of the last change in RFC 3339, UTC, with microseconds; or null.
Json TimeJson(const std::optional<absl::Time>& time);

}  // namespace toolgate::executors::memory

#endif  // TOOLGATE_EXECUTORS_MEMORY_INSTRUCTION_H_
