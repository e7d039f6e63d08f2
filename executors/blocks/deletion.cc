#include "executors/blocks/deletion.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_writer.h"

namespace toolgate::executors::blocks {
namespace {

constexpr size_t kMaxPreviewIds = 100;
// Of the data of blocks that a dry run loads; an answer shows less.
constexpr size_t kMaxRehearsedBytes = size_t{1} << 20;

std::string CountBlocks(int64_t count) { return absl::StrCat(count, count == 1 ? " block" : " blocks"); }

// "Delete page "Plans" and the 12 blocks below it".
std::string Sentence(std::string_view verb, const std::string& block, int64_t below, bool delete_children) {
  std::string text = std::string(verb) + " " + block;
  if (below == 0) return text;
  const std::string count = CountBlocks(below);
  if (delete_children) return absl::StrCat(text, " and the ", count, " below it");
  return absl::StrCat(text, "; ", count, " directly below it move", below == 1 ? "s" : "", " up");
}

// Answer to the deletion of `count` blocks.
ToolOutput OutputOf(const storage::Block& block, int64_t count) {
  ToolOutput output;
  output.data_json = DumpJson({{"success", true}, {"deletedCount", count}});
  output.description = Sentence("Deleted", Describe(block), count - 1, true);
  return output;
}

}  // namespace

absl::StatusOr<ToolOutput> Delete(ToolContext& context, storage::Transaction& transaction, const storage::Block& block,
                                  storage::Children children) {
  BlockWriter writer(transaction, context.now, context.time_zone);
  ASSIGN_OR_RETURN(const int64_t count, writer.Delete(block, children));
  return OutputOf(block, count);
}

absl::StatusOr<Preview> PreviewDeletion(storage::ReadView& view, const storage::Block& block,
                                        storage::Children children) {
  const bool delete_children = children == storage::Children::kDelete;
  ASSIGN_OR_RETURN(const storage::DeletionSize size,
                   view.MeasureDeletion(block, children, storage::Measure::kWhole, kMaxPreviewIds - 1));
  RETURN_IF_ERROR(storage::CheckUndoFits(size, block));
  Preview preview;
  preview.summary = Sentence("Delete", Describe(block), size.blocks, delete_children);
  preview.undo_summary = "Undo brings everything back.";
  preview.affected_block_ids.push_back(block.id);
  preview.affected_block_ids.insert(preview.affected_block_ids.end(), size.ids.begin(), size.ids.end());
  preview.state_digest = StateDigest(preview);
  return preview;
}

absl::StatusOr<std::optional<Rehearsal>> RehearseDeletion(storage::ReadView& view, const storage::Block& block,
                                                          storage::Children children) {
  ASSIGN_OR_RETURN(const storage::DeletionSize size,
                   view.MeasureDeletion(block, children, storage::Measure::kWhole, kMaxPreviewIds - 1));
  RETURN_IF_ERROR(storage::CheckUndoFits(size, block));
  // Half of them may be links.
  if (size.blocks <= storage::kMaxTriedChanges / 2) return std::nullopt;
  // Each of them would have to be looked at: whether it may move, and to which place.
  if (children == storage::Children::kMoveToParent) return storage::TooMuchToTry(storage::kMaxTriedChanges);
  Rehearsal rehearsal;
  rehearsal.output = OutputOf(block, size.blocks + 1);
  rehearsal.changes.blocks.push_back({block, std::nullopt});
  for (size_t i = 0, bytes = 0; i < size.ids.size() && bytes < kMaxRehearsedBytes; ++i) {
    ASSIGN_OR_RETURN(storage::Block below, view.GetBlock(size.ids[i]));
    bytes += below.data.size();
    rehearsal.changes.blocks.push_back({std::move(below), std::nullopt});
  }
  rehearsal.changes_omitted = static_cast<size_t>(size.blocks) + 1 - rehearsal.changes.blocks.size();
  return rehearsal;
}

}  // namespace toolgate::executors::blocks
