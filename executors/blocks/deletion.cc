#include "executors/blocks/deletion.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_writer.h"

namespace toolgate::executors::blocks {
namespace {

constexpr size_t kMaxPreviewIds = 100;

std::string CountBlocks(int64_t count) { return absl::StrCat(count, count == 1 ? " block" : " blocks"); }

// "Delete page "Plans" and the 12 blocks below it".
std::string Sentence(std::string_view verb, const std::string& block, int64_t below, bool delete_children) {
  std::string text = std::string(verb) + " " + block;
  if (below == 0) return text;
  const std::string count = CountBlocks(below);
  if (delete_children) return absl::StrCat(text, " and the ", count, " below it");
  return absl::StrCat(text, "; ", count, " directly below it move", below == 1 ? "s" : "", " up");
}

}  // namespace

absl::StatusOr<ToolOutput> Delete(ToolContext& context, storage::Transaction& transaction, const storage::Block& block,
                                  storage::Children children) {
  BlockWriter writer(transaction, context.now, context.time_zone);
  ASSIGN_OR_RETURN(const int64_t count, writer.Delete(block, children));
  ToolOutput output;
  output.data_json = DumpJson({{"success", true}, {"deletedCount", count}});
  output.description = Sentence("Deleted", Describe(block), count - 1, true);
  return output;
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

}  // namespace toolgate::executors::blocks
