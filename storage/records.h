// Records of a store other than blocks.
#ifndef TOOLGATE_STORAGE_RECORDS_H_
#define TOOLGATE_STORAGE_RECORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "storage/changes.h"

namespace toolgate::storage {

// Number of changes that a user can undo. Older ones are dropped, each with the entry of its undo.
inline constexpr int64_t kUndoStackSize = 50;

// Number of a user's changes before those of the stack of which it is still known who made them.
inline constexpr int64_t kRememberedChanges = 1000;

// A user's changes that belong together.
struct UndoGroup {
  enum class Kind { kRequest, kConversation };
  Kind kind;
  std::string id;
};

// One entry of a user's undo stack.
struct UndoEntry {
  std::string id;
  std::string user_id;
  std::string tool_id;
  absl::Time created_at;
  std::string description;
  std::vector<std::string> affected_block_ids;  // The first kMaxShownBlocks,
  int64_t affected_blocks_omitted = 0;          // and the number of the others.
  bool reversible = true;                       // False: the effect cannot be taken back.
  bool undone = false;                          // Set while another entry has taken it back.
  std::vector<std::string> undoes;  // Entries that this one took back, newest first; set exactly for an undo.
  std::string audit_entry_id;
  std::string request_id;  // Of the call that made the change; may be empty, like the next.
  std::string conversation_id;
  Changes changes;  // Filled by FindUndoEntry and TopUndoEntry, in outlines with effects alone; empty in listings.
  int64_t changed_things = 0;  // In outlines: number of blocks, links and documents,
  int64_t undo_bytes = 0;      // and UndoBytes of all changes.

  // Undoing an undo is a redo.
  bool is_undo() const { return !undoes.empty(); }
};

// A stored outcome under an idempotency key.
struct IdempotentOutcome {
  std::string tool_id;
  std::string arguments_digest;  // SHA-256, 32 bytes.
  std::string response;          // A serialised toolgate.v1.ToolResult.
  absl::Time created_at;
};

// Time for which an outcome is stored under its key.
inline constexpr absl::Duration kOutcomeLifetime = absl::Hours(24);

// Time for which a cut result can be read.
inline constexpr absl::Duration kKeptResultLifetime = absl::Hours(24);
// Maximum total size of the kept results of one user.
inline constexpr int64_t kMaxKeptBytes = int64_t{16} << 20;

// The whole of a result that was too long for one answer.
struct KeptResult {
  std::string id;
  std::string user_id;
  std::string tool_id;
  std::string data_json;
  bool untrusted = false;  // It came from outside the workspace.
  absl::Time created_at;
};

// A part of a kept result.
struct KeptPart {
  std::string tool_id;
  bool untrusted = false;
  int64_t total_bytes = 0;  // Size of the whole.
  std::string bytes;
};

// A file of pages, such as a private database.
struct FileHead {
  int64_t page_count = 0;
  std::string change_id;  // The change that wrote it last: files with equal heads are equal.
};

struct Confirmation {
  enum class State { kPending, kApproved, kDenied, kUsed };
  std::string id;
  std::string user_id;
  std::string tool_id;
  std::string digest;  // SHA-256 over the call that the token is bound to.
  std::string summary;
  std::string arguments_json;  // Masked and shortened, for listings.
  std::string conversation_id;
  State state = State::kPending;
  std::string decided_by;
  absl::Time created_at;
  absl::Time expires_at;
};

// Numbers of confirmations that are pending and not expired.
struct PendingConfirmations {
  int64_t in_workspace = 0;
  int64_t of_user = 0;
  absl::Time next_expiry = absl::InfiniteFuture();  // Time at which the first in the workspace expires.
  absl::Time next_expiry_of_user = absl::InfiniteFuture();
};

// The outcome of recomputing a workspace's audit chain.
struct ChainReport {
  bool valid = true;
  int64_t entries_checked = 0;
  int64_t first_sequence = 0;
  int64_t last_sequence = 0;
  std::string head_hash;        // 32 bytes.
  int64_t broken_sequence = 0;  // If not valid.
  std::string problem;          // If not valid: "altered", "missing", "reordered" or "truncated".
};

// Result of one step of trimming the audit log.
struct AuditTrim {
  int64_t dropped = 0;  // Number of entries.
  int64_t next = 0;     // Start of the next step; 0: this one was the last. Its meaning is private to the store.
  absl::Status kept;    // Not OK if an unreadable log was left unchanged, as evidence: describes the problem.
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_RECORDS_H_
