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
    ASSIGN_OR_RETURN(std::vector<storage::Block> children, view_.ListChildren(parent_id, left_ + 1));
    out_ += '[';
    for (size_t i = 0; i < children.size(); ++i) {
      if (left_ == 0) {
        truncated_ = true;
        break;
      }
      --left_;
      if (i > 0) out_ += ',';
      RETURN_IF_ERROR(rows_.Hide(children[i]));
      blocks::AppendOpenBlock(children[i], static_cast<int64_t>(i), out_);
      if (depth > 1) {
        out_ += R"(,"children":)";
        RETURN_IF_ERROR(Write(children[i].id, depth - 1));
      }
      out_ += '}';
    }
    out_ += ']';
    return absl::OkStatus();
  }

  bool truncated() const { return truncated_; }

 private:
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
