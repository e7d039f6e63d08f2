#include "storage/undo_data.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "storage/undo_bound.h"
#include "toolgate/internal/v1/undo.pb.h"

namespace toolgate::storage {
namespace {

Block BlockOf(const std::string& id, const std::string& data) {
  Block block;
  block.id = id;
  block.type = "page";
  block.parent_id = "parent";
  block.rank = "r";
  block.data = data;
  block.version = 7;
  block.change_id = "change";
  block.created_by = "ann";
  block.updated_by = "bob";
  block.created_at = absl::FromUnixMicros(1);
  block.updated_at = absl::FromUnixMicros(2);
  return block;
}

Changes Sample() {
  Changes changes;
  changes.blocks = {{std::nullopt, BlockOf("new", "{}")},
                    {BlockOf("a", R"({"n":1})"), BlockOf("a", R"({"n":2})")},
                    {BlockOf("old", std::string(70'000, 'x')), std::nullopt}};
  Link link;
  link.from_id = "a";
  link.to_id = "b";
  link.relation = "event";
  link.change_id = "change";
  link.created_by = "ann";
  link.created_at = absl::FromUnixMicros(3);
  changes.links = {{link, std::nullopt}, {std::nullopt, link}};
  changes.documents = {{Document{"kind", "name", "{}"}, Document{"kind", "name", "[]"}}};
  changes.effects = {{"sql", std::string("\0\xff", 2)}, {"series", "{}"}};
  return changes;
}

TEST(UndoDataTest, WhatWasSerialisedIsRead) {
  const absl::StatusOr<std::string> bytes = SerializeChanges(Sample());
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const absl::StatusOr<Changes> read = ParseChanges(*bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->blocks.size(), 3u);
  EXPECT_EQ(read->blocks[0].before, std::nullopt);
  EXPECT_EQ(read->blocks[1].before->data, R"({"n":1})");
  EXPECT_EQ(read->blocks[1].after->data, R"({"n":2})");
  EXPECT_EQ(read->blocks[2].before->data, std::string(70'000, 'x'));
  EXPECT_EQ(read->blocks[2].before->updated_by, "bob");
  EXPECT_EQ(read->blocks[2].before->version, 7);
  EXPECT_EQ(read->blocks[2].after, std::nullopt);
  ASSERT_EQ(read->links.size(), 2u);
  EXPECT_EQ(read->links[0].before->relation, "event");
  EXPECT_EQ(read->links[1].after->created_at, absl::FromUnixMicros(3));
  ASSERT_EQ(read->documents.size(), 1u);
  EXPECT_EQ(read->documents[0].after->json, "[]");
  ASSERT_EQ(read->effects.size(), 2u);
  EXPECT_EQ(read->effects[0].payload, std::string("\0\xff", 2));
  EXPECT_EQ(SerializeChanges(*read).value(), *bytes);
}

TEST(UndoDataTest, TheBytesAreThoseOfOneMessage) {
  const std::string bytes = SerializeChanges(Sample()).value();
  internal::v1::UndoData whole;
  ASSERT_TRUE(whole.ParseFromString(bytes));
  EXPECT_EQ(whole.blocks_size(), 3);
  EXPECT_EQ(whole.effects_size(), 2);
  EXPECT_EQ(whole.SerializeAsString(), bytes);
}

TEST(UndoDataTest, NoChangesAreNoBytes) {
  EXPECT_EQ(SerializeChanges({}).value(), "");
  EXPECT_TRUE(ParseChanges("")->empty());
}

TEST(UndoDataTest, TheyAreWrittenInPieces) {
  Changes changes;
  for (int i = 0; i < 100; ++i) changes.blocks.push_back({BlockOf("b", std::string(10'000, 'x')), std::nullopt});
  std::string bytes;
  size_t longest = 0;
  ASSERT_TRUE(WriteChanges(changes, [&](std::string_view piece) {
                longest = std::max(longest, piece.size());
                bytes += piece;
                return absl::OkStatus();
              }).ok());
  EXPECT_LT(longest, 100'000u);
  EXPECT_EQ(bytes, SerializeChanges(changes).value());
  EXPECT_EQ(SizeOfChanges(changes).value(), static_cast<int64_t>(bytes.size()));
  EXPECT_EQ(WriteChanges(changes, [](std::string_view) { return absl::AbortedError("full"); }).code(),
            absl::StatusCode::kAborted);
}

TEST(UndoDataTest, AnOutlineCounts) {
  const std::string bytes = SerializeChanges(Sample()).value();
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()), /*block_size=*/7);
  const absl::StatusOr<ChangesOutline> outline = OutlineChanges(stream);
  ASSERT_TRUE(outline.ok()) << outline.status();
  EXPECT_EQ(outline->things, 6);
  EXPECT_EQ(outline->bytes, UndoBytes(Sample()));
  ASSERT_EQ(outline->effects.size(), 2u);
  EXPECT_EQ(outline->effects[1].kind, "series");
}

TEST(UndoDataTest, BytesThatEndEarlyAreDataLoss) {
  const std::string bytes = SerializeChanges(Sample()).value();
  for (const size_t length : {bytes.size() - 1, bytes.size() / 2, size_t{1}}) {
    EXPECT_EQ(ParseChanges(bytes.substr(0, length)).status().code(), absl::StatusCode::kDataLoss) << length;
  }
}

TEST(UndoDataTest, OtherBytesAreDataLoss) {
  EXPECT_EQ(ParseChanges("\xff\xff").status().code(), absl::StatusCode::kDataLoss);
}

TEST(UndoListsTest, ComeBackAsTheyWere) {
  UndoEntry entry;
  entry.affected_block_ids = {"a", "b\"c"};
  entry.affected_blocks_omitted = 7;
  UndoEntry read;
  ASSERT_TRUE(ReadAffected(AffectedJson(entry), read).ok());
  EXPECT_EQ(read.affected_block_ids, entry.affected_block_ids);
  EXPECT_EQ(read.affected_blocks_omitted, 7);
  EXPECT_EQ(UndoesJson(entry), "") << "it is no undo";
  entry.undoes = {"x", "y"};
  ASSERT_TRUE(ReadUndoes(UndoesJson(entry), read.undoes).ok());
  EXPECT_EQ(read.undoes, entry.undoes);
  EXPECT_EQ(ReadAffected("{", read).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ReadUndoes("7", read.undoes).code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace toolgate::storage
