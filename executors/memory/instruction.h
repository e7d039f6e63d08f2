// A user's system instruction: what the user wrote, what the model remembers, and what it noted of its own database.
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

// What a memory may hold, in Unicode characters.
inline constexpr size_t kMaxMemoryCharacters = 4000;

struct Instruction {
  std::string core_instruction;  // The user's, or the default.
  std::string memory;
  bool memory_enabled = true;
  std::string db_schema;
  std::optional<absl::Time> updated_at;  // Nothing while it is all defaults.
};

// What is set replaces what is there; the rest stays.
struct InstructionChange {
  std::optional<std::string> core_instruction = {};
  std::optional<std::string> memory = {};
  std::optional<bool> memory_enabled = {};
  std::optional<std::string> db_schema = {};
};

// The core instruction of a user who has written none.
std::string_view DefaultCoreInstruction();

// OK, or INVALID_PARAMS that says how long the memory is and how long it may be.
absl::Status CheckMemory(std::string_view memory);

// The instruction of a user of the view's workspace, defaults where nothing is stored.
absl::StatusOr<Instruction> ReadInstruction(storage::ReadView& view, std::string_view user_id);

// Changes it, stamps it with the transaction's time, and answers it as it then stands. A change that sets nothing
// writes nothing, not even the stamp. INVALID_PARAMS, and nothing written, when the memory is too long.
absl::StatusOr<Instruction> ChangeInstruction(storage::Transaction& transaction, std::string_view user_id,
                                              const InstructionChange& change);

// RFC 3339 in UTC with microseconds, or null.
Json TimeJson(const std::optional<absl::Time>& time);

}  // namespace toolgate::executors::memory

#endif  // TOOLGATE_EXECUTORS_MEMORY_INSTRUCTION_H_
