// WebP (RFC 9649): a RIFF file of chunks, with the picture as VP8, as VP8L, or as several of them under VP8X.
#include "executors/images/formats/byte_reader.h"
#include "executors/images/formats/format_parsers.h"

namespace toolgate::executors::images::formats {
namespace {

constexpr size_t kRiffHeader = 8;

// Key frame of VP8 (RFC 6386, 9.1).
bool ReadLossy(std::string_view content, ImageInfo& info) {
  ByteReader frame(content);
  const bool is_key_frame = (frame.LittleEndian(3) & 1) == 0;
  const bool has_start_code = frame.Take(3) == "\x9D\x01\x2A";
  info.width = frame.LittleEndian(2) & 0x3FFF;
  info.height = frame.LittleEndian(2) & 0x3FFF;
  return !frame.failed() && is_key_frame && has_start_code;
}

bool ReadLossless(std::string_view content, ImageInfo& info) {
  ByteReader stream(content);
  const bool has_signature = stream.Byte() == 0x2F;
  const uint32_t bits = stream.LittleEndian(4);
  info.width = (bits & 0x3FFF) + 1;
  info.height = (bits >> 14 & 0x3FFF) + 1;
  return !stream.failed() && has_signature && bits >> 29 == 0;
}

bool ReadExtended(std::string_view content, ImageInfo& info) {
  ByteReader header(content);
  header.Skip(4);
  info.width = header.LittleEndian(3) + 1;
  info.height = header.LittleEndian(3) + 1;
  return !header.failed();
}

// A chunk with its padding.
struct Chunk {
  std::string_view type;
  std::string_view content;
};

Chunk TakeChunk(ByteReader& reader) {
  const std::string_view type = reader.Take(4);
  const uint32_t length = reader.LittleEndian(4);
  const std::string_view content = reader.Take(length);
  if (length % 2 != 0) reader.Skip(1);
  return {type, content};
}

bool IsPicture(std::string_view type) { return type == "VP8 " || type == "VP8L" || type == "ANMF"; }

bool ReadFirst(const Chunk& chunk, ImageInfo& info) {
  if (chunk.type == "VP8 ") return ReadLossy(chunk.content, info);
  if (chunk.type == "VP8L") return ReadLossless(chunk.content, info);
  return chunk.type == "VP8X" && ReadExtended(chunk.content, info);
}

}  // namespace

bool BeginsAsWebp(std::string_view bytes) { return bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP"); }

absl::StatusOr<ImageInfo> ParseWebp(std::string_view bytes) {
  ByteReader file(bytes);
  file.Skip(4);
  const uint32_t length = file.LittleEndian(4);
  ByteReader reader(file.Take(length));
  if (file.failed()) return Broken("WebP", kEndsEarly);
  reader.Skip(4);
  ImageInfo info{"image/webp", "webp"};
  const Chunk first = TakeChunk(reader);
  if (reader.failed()) return Broken("WebP", kEndsEarly);
  if (!ReadFirst(first, info)) return Broken("WebP", "its header has impossible values");
  bool has_picture = IsPicture(first.type);
  while (reader.left() > 0) {
    const Chunk chunk = TakeChunk(reader);
    if (reader.failed()) return Broken("WebP", kEndsEarly);
    has_picture = has_picture || IsPicture(chunk.type);
  }
  if (!has_picture) return Broken("WebP", "it has no pixels");
  info.bytes = kRiffHeader + length;
  return info;
}

}  // namespace toolgate::executors::images::formats
