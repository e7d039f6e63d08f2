#include "storage/undo_data.h"

#include "absl/status/status.h"
#include "toolgate/internal/v1/undo.pb.h"

namespace toolgate::storage {
namespace {

void ToProto(const Block& block, internal::v1::BlockImage& image) {
  image.set_id(block.id);
  image.set_type(block.type);
  image.set_parent_id(block.parent_id);
  image.set_rank(block.rank);
  image.set_data(block.data);
  image.set_change_id(block.change_id);
  image.set_created_by(block.created_by);
  image.set_updated_by(block.updated_by);
  image.set_created_at_us(absl::ToUnixMicros(block.created_at));
  image.set_updated_at_us(absl::ToUnixMicros(block.updated_at));
  image.set_version(block.version);
}

Block FromProto(const internal::v1::BlockImage& image) {
  Block block;
  block.id = image.id();
  block.type = image.type();
  block.parent_id = image.parent_id();
  block.rank = image.rank();
  block.data = image.data();
  block.version = image.version();
  block.change_id = image.change_id();
  block.created_by = image.created_by();
  block.updated_by = image.updated_by();
  block.created_at = absl::FromUnixMicros(image.created_at_us());
  block.updated_at = absl::FromUnixMicros(image.updated_at_us());
  return block;
}

}  // namespace

std::string SerializeDeltas(const std::vector<BlockDelta>& deltas) {
  internal::v1::UndoData data;
  for (const BlockDelta& delta : deltas) {
    auto* row = data.add_blocks();
    if (delta.before) ToProto(*delta.before, *row->mutable_before());
    if (delta.after) ToProto(*delta.after, *row->mutable_after());
  }
  return data.SerializeAsString();
}

absl::StatusOr<std::vector<BlockDelta>> ParseDeltas(std::string_view bytes) {
  internal::v1::UndoData data;
  if (!data.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::DataLossError("an undo entry's stored changes cannot be read");
  }
  std::vector<BlockDelta> deltas;
  deltas.reserve(data.blocks_size());
  for (const auto& row : data.blocks()) {
    BlockDelta& delta = deltas.emplace_back();
    if (row.has_before()) delta.before = FromProto(row.before());
    if (row.has_after()) delta.after = FromProto(row.after());
  }
  return deltas;
}

}  // namespace toolgate::storage
