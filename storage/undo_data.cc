#include "storage/undo_data.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include <climits>
#include <iterator>
#include <utility>

#include "common/json.h"
#include "common/message_bounds.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "storage/fault.h"
#include "storage/undo_bound.h"
#include "toolgate/internal/v1/undo.pb.h"

namespace toolgate::storage {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::ZeroCopyInputStream;
using internal::v1::UndoData;

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

// Size of the pieces that are written.
constexpr size_t kPiece = size_t{64} << 10;

using Write = absl::FunctionRef<absl::Status(std::string_view piece)>;

// Behind the rows that wait in `piece`. One behind the other they are one UndoData of all rows.
absl::Status WriteRow(const UndoData& row, std::string& piece, Write write) {
  RETURN_IF_ERROR(AppendProto(row, piece));
  if (piece.size() < kPiece) return absl::OkStatus();
  const absl::Status written = write(piece);
  piece.clear();
  return written;
}

template <typename Thing, typename AddRow>
absl::Status WriteDeltas(const std::vector<Delta<Thing>>& deltas, AddRow add_row, std::string& piece, Write write) {
  for (const Delta<Thing>& delta : deltas) {
    UndoData data;
    auto* row = add_row(data);
    if (delta.before) ToProto(*delta.before, *row->mutable_before());
    if (delta.after) ToProto(*delta.after, *row->mutable_after());
    RETURN_IF_ERROR(WriteRow(data, piece, write));
  }
  return absl::OkStatus();
}

absl::Status Unreadable() { return MarkFault(absl::DataLossError("an undo entry's stored changes cannot be read")); }

// Calls `read` with the number of each field and the length of its value, which it is to take off `in`.
absl::Status ForEachRow(ZeroCopyInputStream& bytes,
                        absl::FunctionRef<absl::Status(CodedInputStream& in, int field, int length)> read) {
  CodedInputStream in(&bytes);
  while (const uint32_t tag = in.ReadTag()) {
    uint32_t length = 0;
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED || !in.ReadVarint32(&length) ||
        length > INT_MAX) {
      return Unreadable();
    }
    RETURN_IF_ERROR(read(in, WireFormatLite::GetTagFieldNumber(tag), static_cast<int>(length)));
  }
  return in.ConsumedEntireMessage() ? absl::OkStatus() : Unreadable();
}

// The next `length` bytes as a message. `buffer` is used again for each.
template <typename Message>
absl::StatusOr<Message> ReadMessage(CodedInputStream& in, int length, std::string& buffer) {
  Message message;
  if (!in.ReadString(&buffer, length) || !ParseProto(buffer, message).ok()) return Unreadable();
  return message;
}

template <typename Thing, typename Row>
absl::Status ReadDelta(absl::StatusOr<Row> row, std::vector<Delta<Thing>>& deltas) {
  RETURN_IF_ERROR(row.status());
  Delta<Thing>& delta = deltas.emplace_back();
  if (row->has_before()) delta.before = FromProto(*row->mutable_before());
  if (row->has_after()) delta.after = FromProto(*row->mutable_after());
  return absl::OkStatus();
}

absl::Status ReadEffect(absl::StatusOr<internal::v1::Effect> row, std::vector<Effect>& effects) {
  RETURN_IF_ERROR(row.status());
  effects.push_back({std::move(*row->mutable_kind()), std::move(*row->mutable_payload())});
  return absl::OkStatus();
}

// Adds what the field's value says to `changes`.
absl::Status ReadRow(CodedInputStream& in, int field, int length, std::string& buffer, Changes& changes) {
  switch (field) {
    case UndoData::kBlocksFieldNumber:
      return ReadDelta(ReadMessage<internal::v1::BlockDelta>(in, length, buffer), changes.blocks);
    case UndoData::kLinksFieldNumber:
      return ReadDelta(ReadMessage<internal::v1::LinkDelta>(in, length, buffer), changes.links);
    case UndoData::kDocumentsFieldNumber:
      return ReadDelta(ReadMessage<internal::v1::DocumentDelta>(in, length, buffer), changes.documents);
    case UndoData::kEffectsFieldNumber:
      return ReadEffect(ReadMessage<internal::v1::Effect>(in, length, buffer), changes.effects);
    default:
      return in.Skip(length) ? absl::OkStatus() : Unreadable();
  }
}

}  // namespace

absl::Status WriteChanges(const Changes& changes, Write write) {
  std::string piece;
  RETURN_IF_ERROR(WriteDeltas(
      changes.blocks, [](UndoData& data) { return data.add_blocks(); }, piece, write));
  RETURN_IF_ERROR(WriteDeltas(
      changes.links, [](UndoData& data) { return data.add_links(); }, piece, write));
  RETURN_IF_ERROR(WriteDeltas(
      changes.documents, [](UndoData& data) { return data.add_documents(); }, piece, write));
  for (const Effect& effect : changes.effects) {
    UndoData data;
    auto* row = data.add_effects();
    row->set_kind(effect.kind);
    row->set_payload(effect.payload);
    RETURN_IF_ERROR(WriteRow(data, piece, write));
  }
  return piece.empty() ? absl::OkStatus() : write(piece);
}

absl::StatusOr<int64_t> SizeOfChanges(const Changes& changes) {
  int64_t size = 0;
  RETURN_IF_ERROR(WriteChanges(changes, [&](std::string_view piece) {
    size += static_cast<int64_t>(piece.size());
    return absl::OkStatus();
  }));
  return size;
}

absl::StatusOr<std::string> SerializeChanges(const Changes& changes) {
  std::string bytes;
  bytes.reserve(static_cast<size_t>(UndoBytes(changes)));
  RETURN_IF_ERROR(WriteChanges(changes, [&](std::string_view piece) {
    bytes += piece;
    return absl::OkStatus();
  }));
  return bytes;
}

absl::StatusOr<Changes> ReadChanges(ZeroCopyInputStream& bytes) {
  Changes changes;
  std::string buffer;
  RETURN_IF_ERROR(ForEachRow(
      bytes, [&](CodedInputStream& in, int field, int length) { return ReadRow(in, field, length, buffer, changes); }));
  return changes;
}

absl::StatusOr<Changes> ParseChanges(std::string_view bytes) {
  if (bytes.size() > INT_MAX) return Unreadable();
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  return ReadChanges(stream);
}

absl::StatusOr<ChangesOutline> OutlineChanges(ZeroCopyInputStream& bytes) {
  ChangesOutline outline;
  std::string buffer;
  RETURN_IF_ERROR(ForEachRow(bytes, [&](CodedInputStream& in, int field, int length) {
    Changes row;
    absl::Status read = ReadRow(in, field, length, buffer, row);
    outline.bytes += UndoBytes(row);
    outline.things += static_cast<int64_t>(row.blocks.size() + row.links.size() + row.documents.size());
    std::move(row.effects.begin(), row.effects.end(), std::back_inserter(outline.effects));
    return read;
  }));
  return outline;
}

// ---- Lists ----------------------------------------------------------------------------------------------------------

std::string UndoesJson(const UndoEntry& entry) { return entry.is_undo() ? DumpJson(Json(entry.undoes)) : ""; }

std::string AffectedJson(const UndoEntry& entry) {
  Json blocks = entry.affected_block_ids;
  if (entry.affected_blocks_omitted > 0) blocks.push_back(entry.affected_blocks_omitted);
  return DumpJson(blocks);
}

absl::Status ReadUndoes(std::string_view json, std::vector<std::string>& undoes) {
  if (json.empty()) return absl::OkStatus();
  const Json list = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array()) return MarkFault(absl::DataLossError("an undo entry's list of ids cannot be read"));
  for (const Json& id : list) {
    if (id.is_string()) undoes.push_back(id.get<std::string>());
  }
  return absl::OkStatus();
}

absl::Status ReadAffected(std::string_view json, UndoEntry& entry) {
  const Json list = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array()) return MarkFault(absl::DataLossError("an undo entry's list of blocks cannot be read"));
  for (const Json& id : list) {
    if (id.is_number_integer()) {
      entry.affected_blocks_omitted += id.get<int64_t>();
    } else if (entry.affected_block_ids.size() == kMaxShownBlocks) {
      ++entry.affected_blocks_omitted;
    } else if (id.is_string()) {
      entry.affected_block_ids.push_back(id.get<std::string>());
    }
  }
  return absl::OkStatus();
}

}  // namespace toolgate::storage
