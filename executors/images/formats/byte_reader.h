// Reads numbers and runs of bytes from a file in memory.
#ifndef TOOLGATE_EXECUTORS_IMAGES_FORMATS_BYTE_READER_H_
#define TOOLGATE_EXECUTORS_IMAGES_FORMATS_BYTE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace toolgate::executors::images::formats {

// A place in `bytes`, which it borrows. Reading beyond the end gives zeros and empty runs, and failed() from then on:
// a parser may read several fields and ask once. Not thread-safe.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  size_t position() const { return position_; }
  size_t left() const { return bytes_.size() - position_; }

  std::string_view Take(size_t count) {
    if (count > left()) {
      failed_ = true;
      position_ = bytes_.size();
      return {};
    }
    const std::string_view taken = bytes_.substr(position_, count);
    position_ += count;
    return taken;
  }
  void Skip(size_t count) { static_cast<void>(Take(count)); }

  uint32_t BigEndian(size_t count) {
    uint32_t value = 0;
    for (const char byte : Take(count)) value = value << 8 | static_cast<unsigned char>(byte);
    return value;
  }
  uint32_t LittleEndian(size_t count) {
    uint32_t value = 0;
    int shift = 0;
    for (const char byte : Take(count)) {
      value |= static_cast<uint32_t>(static_cast<unsigned char>(byte)) << shift;
      shift += 8;
    }
    return value;
  }
  unsigned char Byte() { return static_cast<unsigned char>(BigEndian(1)); }

 private:
  const std::string_view bytes_;
  size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace toolgate::executors::images::formats

#endif  // TOOLGATE_EXECUTORS_IMAGES_FORMATS_BYTE_READER_H_
