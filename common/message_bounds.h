// Size limits for variable-length parts of a message.
//
// gRPC takes 4 MiB of a message unless it is told otherwise, and neither a client nor the service can do anything with
// one that is longer: of a call that changed something, nobody would hear. So every answer stays well below. With
// execution_tracking.max_result_bytes at its default of 1 MiB, a result holds at most that much data, a rendering of
// 1.5 MiB, 512 KiB of what changed and some 256 KiB of ids, rows and texts that have bounds of their own.
#ifndef TOOLGATE_COMMON_MESSAGE_BOUNDS_H_
#define TOOLGATE_COMMON_MESSAGE_BOUNDS_H_

#include <cstddef>

namespace toolgate {

// Of a result, and of an audit entry and an undo entry, which are made of it.
inline constexpr size_t kMaxShownBlocks = 1'000;
inline constexpr size_t kMaxShownFindings = 100;
inline constexpr size_t kMaxShownChanges = 100;
inline constexpr size_t kMaxChangesBytes = size_t{512} << 10;      // The data of the blocks, before and after, in all.
inline constexpr size_t kMaxShownViolations = 50;                  // Of an error.
inline constexpr size_t kMaxViolationTextBytes = 1'000;            // Of each text of one.
inline constexpr char kViolationsOmitted[] = "violationsOmitted";  // The fact of an error that counts further ones.
// Bytes by which the rendering of a result may be longer than max_result_bytes: it escapes its content.
inline constexpr size_t kRenderingBytes = size_t{512} << 10;

// A page of a listing ends with the row that takes it there; a row alone is always listed.
inline constexpr size_t kMaxPageBytes = size_t{2} << 20;

// Blocks on their way out and in. What a block's links take beyond this goes into rows of its own, so that no row is
// longer than a block's data (1 MiB) and this.
inline constexpr size_t kMaxRowLinksBytes = size_t{256} << 10;
inline constexpr size_t kExportMessageBytes = size_t{512} << 10;  // Or one row.
inline constexpr size_t kImportMessageBytes = size_t{1} << 20;    // And one row more.

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_MESSAGE_BOUNDS_H_
