// GIF (CompuServe, 87a and 89a): a screen, then pictures and extensions, each a row of blocks of up to 255 bytes.
#include <algorithm>

#include "executors/images/formats/byte_reader.h"
#include "executors/images/formats/format_parsers.h"

namespace toolgate::executors::images::formats {
namespace {

constexpr unsigned char kExtension = 0x21;
constexpr unsigned char kPicture = 0x2C;
constexpr unsigned char kTrailer = 0x3B;

void SkipColours(ByteReader& reader, unsigned char flags) {
  if ((flags & 0x80) != 0) reader.Skip(size_t{3} << ((flags & 7) + 1));
}

void SkipBlocks(ByteReader& reader) {
  while (const unsigned char length = reader.Byte()) reader.Skip(length);
}

// A picture may reach beyond the screen, which then grows in programs that show it.
void TakePicture(ByteReader& reader, ImageInfo& info) {
  const int64_t left = reader.LittleEndian(2);
  const int64_t top = reader.LittleEndian(2);
  info.width = std::max(info.width, left + reader.LittleEndian(2));
  info.height = std::max(info.height, top + reader.LittleEndian(2));
  SkipColours(reader, reader.Byte());
  reader.Skip(1);
  SkipBlocks(reader);
}

}  // namespace

bool BeginsAsGif(std::string_view bytes) { return bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a"); }

absl::StatusOr<ImageInfo> ParseGif(std::string_view bytes) {
  ByteReader reader(bytes);
  reader.Skip(6);
  ImageInfo info{"image/gif", "gif", reader.LittleEndian(2), reader.LittleEndian(2)};
  const unsigned char flags = reader.Byte();
  reader.Skip(2);
  SkipColours(reader, flags);
  bool has_picture = false;
  while (true) {
    const unsigned char kind = reader.Byte();
    if (reader.failed()) return Broken("GIF", kEndsEarly);
    if (kind == kTrailer) break;
    if (kind == kPicture) {
      TakePicture(reader, info);
      has_picture = true;
    } else if (kind == kExtension) {
      reader.Skip(1);
      SkipBlocks(reader);
    } else {
      return Broken("GIF", "it has an invalid block");
    }
  }
  if (!has_picture) return Broken("GIF", "it has no pixels");
  info.bytes = reader.position();
  return info;
}

}  // namespace toolgate::executors::images::formats
