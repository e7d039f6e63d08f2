// Portable Network Graphics (W3C, third edition): a signature, then chunks of length, type, data and checksum.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "executors/images/formats/byte_reader.h"
#include "executors/images/formats/format_parsers.h"

namespace toolgate::executors::images::formats {
namespace {

constexpr std::string_view kPngSignature("\x89PNG\r\n\x1A\n", 8);
constexpr uint32_t kHeaderBytes = 13;
constexpr uint32_t kMaxPngNumber = 0x7FFFFFFF;
constexpr size_t kChecksumBytes = 4;

// Depths are allowed by colour type: grey, RGB, palette, grey with alpha, RGB with alpha.
bool IsColour(unsigned char depth, unsigned char type) {
  const bool whole_bytes = depth == 8 || depth == 16;
  const bool part_bytes = depth == 1 || depth == 2 || depth == 4;
  switch (type) {
    case 0:
      return whole_bytes || part_bytes;
    case 3:
      return part_bytes || depth == 8;
    case 2:
    case 4:
    case 6:
      return whole_bytes;
    default:
      return false;
  }
}

bool IsChunkType(std::string_view type) {
  return std::all_of(type.begin(), type.end(),
                     [](char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)); });
}

absl::StatusOr<ImageInfo> ReadHeader(ByteReader& reader) {
  const uint32_t length = reader.BigEndian(4);
  if (reader.Take(4) != "IHDR" || length != kHeaderBytes) return Broken("PNG", "it does not begin with its header");
  ImageInfo info{"image/png", "png", reader.BigEndian(4), reader.BigEndian(4)};
  const unsigned char depth = reader.Byte();
  const unsigned char colour = reader.Byte();
  reader.Skip(3 + kChecksumBytes);
  if (reader.failed()) return Broken("PNG", kEndsEarly);
  if (info.width > kMaxPngNumber || info.height > kMaxPngNumber || !IsColour(depth, colour)) {
    return Broken("PNG", "its header has impossible values");
  }
  return info;
}

}  // namespace

bool BeginsAsPng(std::string_view bytes) { return bytes.starts_with(kPngSignature); }

absl::StatusOr<ImageInfo> ParsePng(std::string_view bytes) {
  ByteReader reader(bytes);
  reader.Skip(kPngSignature.size());
  absl::StatusOr<ImageInfo> info = ReadHeader(reader);
  if (!info.ok()) return info;
  bool has_data = false;
  while (true) {
    const uint32_t length = reader.BigEndian(4);
    const std::string_view type = reader.Take(4);
    reader.Skip(length);
    reader.Skip(kChecksumBytes);
    if (reader.failed()) return Broken("PNG", kEndsEarly);
    if (length > kMaxPngNumber || !IsChunkType(type)) return Broken("PNG", "it has an invalid chunk");
    if (type == "IDAT") has_data = true;
    if (type != "IEND") continue;
    if (!has_data) return Broken("PNG", "it has no pixels");
    info->bytes = reader.position();
    return info;
  }
}

}  // namespace toolgate::executors::images::formats
