#include "executors/workspace/get_block.h"

#include <string>
#include <string_view>
#include <vector>

#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_json.h"
#include "executors/blocks/row_view.h"

namespace toolgate::executors::workspace {
namespace {

// Writes a block's children up to a maximum depth and number.
class ChildrenWriter {
 public:
  ChildrenWriter(ToolContext& context, storage::ReadView& view, std::string& out)
      : context_(context), view_(view), rows_(view), out_(out) {}

  absl::Status Write(std::string_view parent_id, int64_t depth) {
    RETURN_IF_ERROR(context_.cancellation.Check());
    out_ += '[';
    storage::Block last;
    for (int64_t first = 0; !truncated_; first += kPart) {
      ASSIGN_OR_RETURN(std::vector<storage::Block> children,
                       view_.ListChildren(parent_id, kPart, storage::SiblingPlace::Of(last)));
      for (size_t i = 0; i < children.size() && !truncated_; ++i) {
        RETURN_IF_ERROR(WriteChild(children[i], first + static_cast<int64_t>(i), depth));
      }
      if (static_cast<int64_t>(children.size()) < kPart) break;
      last = std::move(children.back());
    }
    out_ += ']';
    return absl::OkStatus();
  }

  bool truncated() const { return truncated_; }

 private:
  // Children that are in memory at once.
  static constexpr int64_t kPart = 64;

  absl::Status WriteChild(storage::Block& child, int64_t position, int64_t depth) {
    if (left_ == 0 || out_.size() >= kMaxBytesOfGetBlock) {
      truncated_ = true;
      return absl::OkStatus();
    }
    --left_;
    if (position > 0) out_ += ',';
    RETURN_IF_ERROR(rows_.Hide(child));
    blocks::AppendOpenBlock(child, position, out_);
    if (depth > 1) {
      out_ += R"(,"children":)";
      RETURN_IF_ERROR(Write(child.id, depth - 1));
    }
    out_ += '}';
    return absl::OkStatus();
  }

  ToolContext& context_;
  storage::ReadView& view_;
  blocks::RowView rows_;
  std::string& out_;
  int64_t left_ = kMaxBlocksOfGetBlock;
  bool truncated_ = false;
};

}  // namespace

absl::StatusOr<ToolOutput> GetBlock(ToolContext& context, storage::ReadView& view) {
  absl::StatusOr<storage::Block> found = view.GetBlock(StringArgument(context.arguments, "blockId"));
  RETURN_IF_ERROR(found.status());
  storage::Block& block = *found;
  RETURN_IF_ERROR(blocks::RowView(view).Hide(block));
  ToolOutput output;
  std::string& out = output.data_json;
  out = R"({"block":)";
  blocks::AppendBlock(block, out);
  out += R"(,"children":)";
  const int64_t depth = IntegerArgument(context.arguments, "depth");
  if (BoolArgument(context.arguments, "includeChildren") && depth > 0) {
    ChildrenWriter writer(context, view, out);
    RETURN_IF_ERROR(writer.Write(block.id, depth));
    if (writer.truncated()) out += R"(,"truncated":true)";
  } else {
    out += "[]";
  }
  out += '}';
  return output;
}

}  // namespace toolgate::executors::workspace
