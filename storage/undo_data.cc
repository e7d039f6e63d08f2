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

Document FromProto(const internal::v1::DocumentImage& image) { return {image.kind(), image.name(), image.json()}; }

template <typename Thing, typename Rows>
void ToProto(const std::vector<Delta<Thing>>& deltas, Rows& rows) {
  for (const Delta<Thing>& delta : deltas) {
    auto* row = rows.Add();
    if (delta.before) ToProto(*delta.before, *row->mutable_before());
    if (delta.after) ToProto(*delta.after, *row->mutable_after());
  }
}

template <typename Thing, typename Rows>
void FromProto(const Rows& rows, std::vector<Delta<Thing>>& deltas) {
  deltas.reserve(rows.size());
  for (const auto& row : rows) {
    Delta<Thing>& delta = deltas.emplace_back();
    if (row.has_before()) delta.before = FromProto(row.before());
    if (row.has_after()) delta.after = FromProto(row.after());
  }
}

}  // namespace

std::string SerializeChanges(const Changes& changes) {
  internal::v1::UndoData data;
  ToProto(changes.blocks, *data.mutable_blocks());
  ToProto(changes.links, *data.mutable_links());
  ToProto(changes.documents, *data.mutable_documents());
  for (const Effect& effect : changes.effects) {
    auto* row = data.add_effects();
    row->set_kind(effect.kind);
    row->set_payload(effect.payload);
  }
  return data.SerializeAsString();
}

absl::StatusOr<Changes> ParseChanges(std::string_view bytes) {
  internal::v1::UndoData data;
  if (!data.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::DataLossError("an undo entry's stored changes cannot be read");
  }
  Changes changes;
  FromProto(data.blocks(), changes.blocks);
  FromProto(data.links(), changes.links);
  FromProto(data.documents(), changes.documents);
  for (const auto& row : data.effects()) changes.effects.push_back({row.kind(), row.payload()});
  return changes;
}

}  // namespace toolgate::storage
