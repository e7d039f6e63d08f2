#include "storage/undo_bound.h"

#include <array>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/tool_error.h"
#include "storage/change_bound.h"

namespace toolgate::storage {
namespace {

constexpr int64_t kKib = 1024;

absl::Status TooMuch(std::string message, int64_t max_bytes) {
  ToolError error;
  error.code = ErrorCode::kQuotaExceeded;
  error.message = std::move(message);
  error.facts = {{"maxUndoBytes", absl::StrCat(max_bytes)}};
  return ToStatus(error);
}

}  // namespace

int64_t UndoBytes(const Changes& changes) {
  int64_t bytes = 0;
  for (const BlockDelta& delta : changes.blocks) bytes += UndoBytes(delta);
  for (const LinkDelta& delta : changes.links) bytes += UndoBytes(delta);
  for (const DocumentDelta& delta : changes.documents) bytes += UndoBytes(delta);
  for (const Effect& effect : changes.effects) bytes += UndoBytes(effect);
  return bytes;
}

std::string FormatBytes(int64_t bytes) {
  if (bytes < kKib) return absl::StrCat(bytes, bytes == 1 ? " byte" : " bytes");
  static constexpr std::array<const char*, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(bytes) / kKib;
  size_t unit = 0;
  while (amount >= kKib && unit + 1 < kUnits.size()) {
    amount /= kKib;
    ++unit;
  }
  std::string number = absl::StrFormat("%.1f", amount);
  if (number.ends_with(".0")) number.resize(number.size() - 2);
  return absl::StrCat(number, " ", kUnits[unit]);
}

absl::Status TooMuchToUndo(int64_t max_bytes) {
  return TooMuch(absl::StrCat("this change would need more than the ", FormatBytes(max_bytes),
                              " that undo keeps of one change; make it in smaller parts"),
                 max_bytes);
}

absl::Status TooMuchToTry(int64_t max_changed) {
  ToolError error;
  error.code = ErrorCode::kQuotaExceeded;
  error.message = absl::StrCat("a dry run changes ", max_changed, " blocks, links and documents at most, and this one ",
                               "would change more");
  error.facts = {{"maxChanges", absl::StrCat(max_changed)}};
  return ToStatus(error);
}

absl::Status CheckUndoFits(const DeletionSize& size, const Block& block) {
  if (size.fits()) return CheckChangeFits(size, block);
  if (size.blocks == 0) return TooMuchToUndo(size.max_undo_bytes);
  const std::string below = absl::StrCat(" with ", size.counted_out ? "the " : "more than ", size.blocks,
                                         size.blocks == 1 ? " block" : " blocks", " below it");
  return TooMuch(
      absl::StrCat("deleting block ", block.id, below, " cannot be undone as one change: undo would have to keep ",
                   size.counted_out ? "" : "more than ", FormatBytes(size.undo_bytes), ", and keeps ",
                   FormatBytes(size.max_undo_bytes), " at most; delete what is below it first, in smaller parts"),
      size.max_undo_bytes);
}

}  // namespace toolgate::storage
