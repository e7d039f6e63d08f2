#include "storage/undo_data.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "storage/undo_bound.h"
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

Block FromProto(internal::v1::BlockImage& image) {
  Block block;
  block.id = image.id();
  block.type = image.type();
  block.parent_id = image.parent_id();
  block.rank = image.rank();
  block.data = std::move(*image.mutable_data());
  block.version = image.version();
  block.change_id = image.change_id();
  block.created_by = image.created_by();
  block.updated_by = image.updated_by();
  block.created_at = absl::FromUnixMicros(image.created_at_us());
  block.updated_at = absl::FromUnixMicros(image.updated_at_us());
  return block;
}

void ToProto(const Link& link, internal::v1::LinkImage& image) {
  image.set_from_id(link.from_id);
  image.set_to_id(link.to_id);
  image.set_relation(link.relation);
  image.set_change_id(link.change_id);
  image.set_created_by(link.created_by);
  image.set_created_at_us(absl::ToUnixMicros(link.created_at));
}

Link FromProto(const internal::v1::LinkImage& image) {
  Link link;
  link.from_id = image.from_id();
  link.to_id = image.to_id();
  link.relation = image.relation();
  link.change_id = image.change_id();
  link.created_by = image.created_by();
  link.created_at = absl::FromUnixMicros(image.created_at_us());
  return link;
}

void ToProto(const Document& document, internal::v1::DocumentImage& image) {
  image.set_kind(document.kind);
  image.set_name(document.name);
  image.set_json(document.json);
}

Document FromProto(internal::v1::DocumentImage& image) {
  return {image.kind(), image.name(), std::move(*image.mutable_json())};
}

// A serialised UndoData of one row is appended to the bytes of the previous rows.
template <typename Thing, typename AddRow>
absl::Status AppendDeltas(const std::vector<Delta<Thing>>& deltas, AddRow add_row, std::string& bytes) {
  for (const Delta<Thing>& delta : deltas) {
    internal::v1::UndoData data;
    auto* row = add_row(data);
    if (delta.before) ToProto(*delta.before, *row->mutable_before());
    if (delta.after) ToProto(*delta.after, *row->mutable_after());
    RETURN_IF_ERROR(AppendProto(data, bytes));
  }
  return absl::OkStatus();
}

template <typename Thing, typename Rows>
void FromProto(Rows& rows, std::vector<Delta<Thing>>& deltas) {
  deltas.reserve(rows.size());
  for (auto& row : rows) {
    Delta<Thing>& delta = deltas.emplace_back();
    if (row.has_before()) delta.before = FromProto(*row.mutable_before());
    if (row.has_after()) delta.after = FromProto(*row.mutable_after());
  }
}

}  // namespace

absl::StatusOr<std::string> SerializeChanges(const Changes& changes) {
  std::string bytes;
  int64_t expected = 0;
  for (const BlockDelta& delta : changes.blocks) expected += UndoBytes(delta);
  bytes.reserve(static_cast<size_t>(expected));
  RETURN_IF_ERROR(AppendDeltas(
      changes.blocks, [](internal::v1::UndoData& data) { return data.add_blocks(); }, bytes));
  RETURN_IF_ERROR(AppendDeltas(
      changes.links, [](internal::v1::UndoData& data) { return data.add_links(); }, bytes));
  RETURN_IF_ERROR(AppendDeltas(
      changes.documents, [](internal::v1::UndoData& data) { return data.add_documents(); }, bytes));
  for (const Effect& effect : changes.effects) {
    internal::v1::UndoData data;
    auto* row = data.add_effects();
    row->set_kind(effect.kind);
    row->set_payload(effect.payload);
    RETURN_IF_ERROR(AppendProto(data, bytes));
  }
  return bytes;
}

absl::StatusOr<Changes> ParseChanges(std::string_view bytes) {
  internal::v1::UndoData data;
  if (!ParseProto(bytes, data).ok()) {
    return absl::DataLossError("an undo entry's stored changes cannot be read");
  }
  Changes changes;
  FromProto(*data.mutable_blocks(), changes.blocks);
  FromProto(*data.mutable_links(), changes.links);
  FromProto(*data.mutable_documents(), changes.documents);
  for (auto& row : *data.mutable_effects()) {
    changes.effects.push_back({std::move(*row.mutable_kind()), std::move(*row.mutable_payload())});
  }
  return changes;
}

}  // namespace toolgate::storage
