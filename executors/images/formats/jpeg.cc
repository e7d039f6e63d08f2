// JPEG (ITU-T T.81, annex B): segments that begin with a marker; scans of compressed data end at the next marker.
#include "executors/images/formats/byte_reader.h"
#include "executors/images/formats/format_parsers.h"

namespace toolgate::executors::images::formats {
namespace {

constexpr unsigned char kStartOfImage = 0xD8;
constexpr unsigned char kEndOfImage = 0xD9;
constexpr unsigned char kStartOfScan = 0xDA;
constexpr size_t kLengthBytes = 2;  // A segment's length counts itself.

bool IsRestart(unsigned char marker) { return marker >= 0xD0 && marker <= 0xD7; }
// Frames of every process; the exceptions are tables of Huffman codes, an extension, and arithmetic conditioning.
bool IsFrame(unsigned char marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

// The next marker's code, after any number of fill bytes; 0 when there is none.
unsigned char NextMarker(ByteReader& reader) {
  if (reader.Byte() != 0xFF) return 0;
  unsigned char code = 0xFF;
  while (code == 0xFF) code = reader.Byte();
  return reader.failed() ? 0 : code;
}

// Skips compressed data, in which 0xFF is followed by 0 or belongs to a restart marker. Answers the marker behind it.
unsigned char SkipScan(ByteReader& reader) {
  while (!reader.failed()) {
    if (reader.Byte() != 0xFF) continue;
    unsigned char code = 0xFF;
    while (code == 0xFF) code = reader.Byte();
    if (code != 0 && !IsRestart(code)) return code;
  }
  return 0;
}

class JpegWalk {
 public:
  explicit JpegWalk(std::string_view bytes) : reader_(bytes) { reader_.Skip(2); }

  absl::StatusOr<ImageInfo> Run() {
    unsigned char marker = NextMarker(reader_);
    while (marker != kEndOfImage) {
      if (reader_.failed()) return Broken("JPEG", kEndsEarly);
      if (marker == 0) return Broken("JPEG", "a marker is missing");
      absl::StatusOr<unsigned char> next = Segment(marker);
      if (!next.ok()) return next.status();
      marker = *next;
    }
    if (!has_scan_) return Broken("JPEG", "it has no pixels");
    info_.bytes = reader_.position();
    return info_;
  }

 private:
  // Takes the segment of `marker`, and answers the marker behind it.
  absl::StatusOr<unsigned char> Segment(unsigned char marker) {
    if (marker == kStartOfImage || IsRestart(marker)) return Broken("JPEG", "a marker stands in a wrong place");
    const uint32_t length = reader_.BigEndian(kLengthBytes);
    const std::string_view content = reader_.Take(length < kLengthBytes ? 0 : length - kLengthBytes);
    if (reader_.failed()) return Broken("JPEG", kEndsEarly);
    if (length < kLengthBytes) return Broken("JPEG", "a segment has no length");
    if (IsFrame(marker) && !ReadFrame(content)) return Broken("JPEG", "its header has impossible values");
    if (marker != kStartOfScan) return NextMarker(reader_);
    if (info_.width == 0) return Broken("JPEG", "its pixels come before its header");
    has_scan_ = true;
    return SkipScan(reader_);
  }

  // One frame alone: hierarchical files have several, and nobody shows them.
  bool ReadFrame(std::string_view content) {
    ByteReader frame(content);
    const unsigned char precision = frame.Byte();
    const uint32_t height = frame.BigEndian(2);
    const uint32_t width = frame.BigEndian(2);
    const unsigned char components = frame.Byte();
    frame.Skip(size_t{3} * components);
    if (frame.failed() || frame.left() != 0 || info_.width != 0) return false;
    info_.width = width;
    info_.height = height;
    return width > 0 && height > 0 && components > 0 && precision >= 2 && precision <= 16;
  }

  ByteReader reader_;
  ImageInfo info_{"image/jpeg", "jpg"};
  bool has_scan_ = false;
};

}  // namespace

bool BeginsAsJpeg(std::string_view bytes) { return bytes.starts_with("\xFF\xD8\xFF"); }

absl::StatusOr<ImageInfo> ParseJpeg(std::string_view bytes) { return JpegWalk(bytes).Run(); }

}  // namespace toolgate::executors::images::formats
