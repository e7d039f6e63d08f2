// The changes of a command, as the overlay has recorded them.
#ifndef TOOLGATE_EXECUTORS_SHELL_SANDBOX_UPPER_LAYER_H_
#define TOOLGATE_EXECUTORS_SHELL_SANDBOX_UPPER_LAYER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/descriptor.h"
#include "common/fibers/cancellation.h"

namespace toolgate::executors::shell::sandbox {

enum class EntryKind {
  kFile,
  kFolder,
  kLink,
  kRemoved,  // A whiteout: the path of the lower layer is gone.
  kSpecial,  // A FIFO or socket; devices cannot be made.
};

// One path of the upper layer. It may equal the lower layer's: a file that was opened for writing is copied up whether
// it was written or not.
struct UpperEntry {
  std::string path;  // Canonical; any bytes.
  EntryKind kind = EntryKind::kFile;
  uint32_t mode = 0;       // 07777, of a file or folder.
  int64_t size = 0;        // Of a file.
  std::string target;      // Of a link.
  bool replaces = false;   // A folder that hides all that the lower layer has at and below its path.
  bool is_shared = false;  // A file with more than one name.
};

// All entries, a folder before those in it, names in order, but for what is below a path that is out of reach
// (directory::IsOutOfReach): no tool keeps it. Follows no links and opens only folders. For a layer whose command has
// ended: changes modes of folders that their owner may not read. RESOURCE_EXHAUSTED beyond `max_entries`; INTERNAL when
// the file system fails.
absl::StatusOr<std::vector<UpperEntry>> ReadUpperLayer(int upper, int64_t max_entries,
                                                       const fibers::Cancellation& cancellation);

// Opens a file of the layer for reading; changes its mode if its owner may not read it.
absl::StatusOr<Descriptor> OpenUpperFile(int upper, std::string_view path);

}  // namespace toolgate::executors::shell::sandbox

#endif  // TOOLGATE_EXECUTORS_SHELL_SANDBOX_UPPER_LAYER_H_
