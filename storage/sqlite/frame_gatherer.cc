#include "storage/sqlite/frame_gatherer.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace toolgate::storage::sqlite {
namespace {

// The file format of the write-ahead log, https://www.sqlite.org/fileformat2.html#walformat.
constexpr int kLogHeaderSize = 32;
constexpr int kFrameHeaderSize = 24;
constexpr uint32_t kMagic = 0x377f0682;  // Or one more; the lowest bit is the byte order of checksums.
constexpr int kMagicAt = 0;
constexpr int kPageSizeAt = 8;
constexpr uint32_t kMinPageSize = 512;
constexpr int kCommitMarkAt = 4;  // In a frame's header: the size of the database after the commit, or zero.

uint32_t BigEndian(const unsigned char* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | uint32_t{bytes[3]};
}

}  // namespace

int FrameGatherer::Write(const void* bytes, int count, sqlite3_int64 offset) {
  if (offset == end_) {
    if (header_last_ && count == page_size_) return HoldOrWritePage(bytes, offset);
    if (IsFrameHeader(count, offset)) return HoldHeader(static_cast<const unsigned char*>(bytes), offset);
  }
  return WriteThrough(bytes, count, offset);
}

// SQLite writes headers again when it has changed a page in the middle of a transaction. None of those begins at the
// end of the last write, so none is held: no page would follow it.
bool FrameGatherer::IsFrameHeader(int count, sqlite3_int64 offset) const {
  return locked_ && page_size_ > 0 && !header_last_ && count == kFrameHeaderSize && offset >= kLogHeaderSize &&
         (offset - kLogHeaderSize) % (kFrameHeaderSize + page_size_) == 0;
}

int FrameGatherer::HoldHeader(const unsigned char* header, sqlite3_int64 offset) {
  if (size_ + kFrameHeaderSize + page_size_ > kCapacity) {
    if (const int result = Flush(); result != SQLITE_OK) return result;
  }
  Hold(header, kFrameHeaderSize, offset);
  header_last_ = true;
  commits_ = BigEndian(header + kCommitMarkAt) != 0;
  return SQLITE_OK;
}

int FrameGatherer::HoldOrWritePage(const void* page, sqlite3_int64 offset) {
  Hold(page, page_size_, offset);
  header_last_ = false;
  if (!commits_) return SQLITE_OK;
  const int result = Flush();
  if (result != SQLITE_OK) {
    size_ -= page_size_;  // Not accepted.
    end_ = -1;
  }
  return result;
}

int FrameGatherer::WriteThrough(const void* bytes, int count, sqlite3_int64 offset) {
  int result = Flush();
  if (result == SQLITE_OK) result = log_.pMethods->xWrite(&log_, bytes, count, offset);
  end_ = result == SQLITE_OK ? offset + count : -1;
  if (result == SQLITE_OK) MaybeLearnPageSize(bytes, count, offset);
  return result;
}

int FrameGatherer::Read(void* bytes, int count, sqlite3_int64 offset) {
  if (offset < start_ + size_ && start_ < offset + count) {
    if (const int result = Flush(); result != SQLITE_OK) return result;
  }
  const int result = log_.pMethods->xRead(&log_, bytes, count, offset);
  if (result == SQLITE_OK) MaybeLearnPageSize(bytes, count, offset);
  return result;
}

int FrameGatherer::Flush() {
  if (size_ == 0) return SQLITE_OK;
  const int result = log_.pMethods->xWrite(&log_, held_.get(), size_, start_);
  if (result == SQLITE_OK) {
    size_ = 0;
    header_last_ = false;
  }
  return result;
}

void FrameGatherer::EndTransaction() {
  if (size_ > 0) end_ = -1;
  size_ = 0;
  header_last_ = false;
  locked_ = false;
}

void FrameGatherer::Hold(const void* bytes, int count, sqlite3_int64 offset) {
  if (size_ == 0) start_ = offset;
  std::memcpy(held_.get() + size_, bytes, static_cast<size_t>(count));
  size_ += count;
  end_ = offset + count;
}

// The log's own header passes here when SQLite reads an existing log, and whenever it begins a new one.
void FrameGatherer::MaybeLearnPageSize(const void* bytes, int count, sqlite3_int64 offset) {
  if (offset != 0 || count != kLogHeaderSize) return;
  const auto* const header = static_cast<const unsigned char*>(bytes);
  const uint32_t size = BigEndian(header + kPageSizeAt);
  const bool usable = held_ != nullptr && (BigEndian(header + kMagicAt) | 1) == (kMagic | 1) &&
                      std::has_single_bit(size) && size >= kMinPageSize && size <= kCapacity - kFrameHeaderSize;
  page_size_ = usable ? static_cast<int>(size) : 0;
}

}  // namespace toolgate::storage::sqlite
