#include "executors/directory/git_index.h"

#include <fcntl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "common/descriptor.h"
#include "common/digest.h"
#include "executors/directory/content.h"
#include "executors/directory/folded_name.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"

namespace toolgate::executors::directory {
namespace {

constexpr size_t kHeader = 12;
constexpr size_t kChecksum = 20;
constexpr size_t kMode = 24;    // In an entry; before it are times, device and inode.
constexpr size_t kObject = 40;  // Behind user, group and size.
constexpr size_t kFlags = kObject + 20;
constexpr size_t kEntryName = kFlags + 2;
constexpr uint16_t kExtended = 0x4000;
constexpr size_t kAlignment = 8;

uint32_t Number(std::string_view bytes, size_t at, size_t size) {
  uint32_t number = 0;
  for (size_t i = 0; i < size; ++i) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

// Takes one entry off `rest`, and appends what it lists. False when it is cut.
bool TakeEntry(uint32_t version, std::string_view& rest, std::string& listed) {
  if (rest.size() < kEntryName) return false;
  size_t name = kEntryName;
  if (version >= 3 && (Number(rest, kFlags, 2) & kExtended) != 0) name += 2;
  // In version 4 it begins with a number, each byte of which but the last has its high bit set.
  size_t begin = name;
  if (version == 4) {
    while (begin < rest.size() && (static_cast<unsigned char>(rest[begin]) & 0x80) != 0) ++begin;
    ++begin;
  }
  const size_t end = rest.find('\0', begin);
  if (end == std::string_view::npos) return false;
  listed += rest.substr(kMode, 4);
  listed += rest.substr(kObject, end + 1 - kObject);
  const size_t length = version == 4 ? end + 1 : (end / kAlignment + 1) * kAlignment;
  if (length > rest.size()) return false;
  rest.remove_prefix(length);
  return true;
}

// Whether a further file, or another way of listing, is part of the index: extensions that begin in lower case.
bool HasRequiredExtension(std::string_view rest) {
  constexpr size_t kExtensionHeader = 8;
  while (rest.size() > kChecksum + kExtensionHeader) {
    if (rest[0] < 'A' || rest[0] > 'Z') return true;
    const size_t length = kExtensionHeader + Number(rest, 4, 4);
    if (length > rest.size()) return true;
    rest.remove_prefix(length);
  }
  return false;
}

// --- what an index lists
// ----------------------------------------------------------------------------------------------

// Reads an index strictly: where git relies on one of two numbers, both must say the same.
class IndexReader {
 public:
  IndexReader(std::string_view index, size_t object_bytes) : index_(index), object_bytes_(object_bytes) {}

  bool Read() {
    if (index_.size() < kHeader + object_bytes_ || index_.substr(0, 4) != "DIRC") return false;
    version_ = Number(index_, 4, 4);
    const uint32_t count = Number(index_, 8, 4);
    if (version_ < 2 || version_ > 4) return false;
    at_ = kHeader;
    for (uint32_t i = 0; i < count; ++i) {
      if (!ReadEntry()) return false;
    }
    end_of_entries_ = at_;
    return ReadExtensions();
  }

  std::vector<IndexEntry> Take() { return std::move(entries_); }

 private:
  bool ReadEntry() {
    constexpr uint16_t kLengthMask = 0x0FFF;
    const size_t begin = at_;
    const size_t flags_at = begin + kObject + object_bytes_;
    if (flags_at + 2 > index_.size()) return false;
    const uint32_t flags = Number(index_, flags_at, 2);
    const bool extended = (flags & kExtended) != 0;
    if (extended && version_ < 3) return false;
    at_ = flags_at + (extended ? 4 : 2);
    size_t kept = 0;
    if (version_ == 4 && !ReadKept(kept)) return false;
    const size_t end = at_ <= index_.size() ? index_.find('\0', at_) : std::string_view::npos;
    if (end == std::string_view::npos) return false;
    IndexEntry entry;
    if (kept > 0) entry.path = entries_.back().path.substr(0, kept);
    entry.path += index_.substr(at_, end - at_);
    entry.mode = Number(index_, begin + kMode, 4);
    if (std::min<size_t>(entry.path.size(), kLengthMask) != (flags & kLengthMask)) return false;
    at_ = version_ == 4 ? end + 1 : begin + ((end - begin) / kAlignment + 1) * kAlignment;
    if (at_ > index_.size()) return false;
    starts_.push_back({begin, kept});
    entries_.push_back(std::move(entry));
    return true;
  }

  // Bytes of the path before that this one begins with. The index has how many it does not.
  bool ReadKept(size_t& kept) {
    size_t dropped = 0;
    bool more = true;
    for (bool first = true; more; first = false) {
      if (at_ >= index_.size() || dropped > index_.size()) return false;
      const auto byte = static_cast<unsigned char>(index_[at_++]);
      more = (byte & 0x80) != 0;
      dropped = ((first ? 0 : dropped + 1) << 7) | (byte & 0x7FU);
    }
    const size_t before = entries_.empty() ? 0 : entries_.back().path.size();
    if (dropped > before) return false;
    kept = before - dropped;
    return true;
  }

  bool ReadExtensions() {
    constexpr size_t kExtensionHeader = 8;
    if (index_.size() < at_ + object_bytes_) return false;
    while (index_.size() - at_ >= object_bytes_ + kExtensionHeader) {
      const std::string_view name = index_.substr(at_, 4);
      const size_t length = Number(index_, at_ + 4, 4);
      if (length > index_.size() - at_ - kExtensionHeader - object_bytes_) return false;
      const std::string_view content = index_.substr(at_ + kExtensionHeader, length);
      const bool is_optional = name[0] >= 'A' && name[0] <= 'Z';
      if (!is_optional && name != "sdir") return false;
      if (name == "EOIE" && (length < 4 || Number(content, 0, 4) != end_of_entries_)) return false;
      if (name == "IEOT" && !HasTheseBlocks(content)) return false;
      at_ += kExtensionHeader + length;
    }
    return at_ + object_bytes_ == index_.size();
  }

  // Git may read entries in blocks, from where a table says that they begin, each without the path before.
  bool HasTheseBlocks(std::string_view table) const {
    constexpr size_t kRow = 8;
    if (table.size() < 4 || (table.size() - 4) % kRow != 0) return false;
    size_t next = 0;
    for (size_t row = 4; row < table.size(); row += kRow) {
      if (next >= starts_.size()) return false;
      const auto [begin, kept] = starts_[next];
      if (Number(table, row, 4) != begin || kept != 0) return false;
      next += Number(table, row + 4, 4);
    }
    return next == starts_.size();
  }

  const std::string_view index_;
  const size_t object_bytes_;
  uint32_t version_ = 0;
  size_t at_ = 0;
  size_t end_of_entries_ = 0;
  std::vector<std::pair<size_t, size_t>> starts_;  // Of entries: offset, and bytes of the path before.
  std::vector<IndexEntry> entries_;
};

// Whether some file system takes the name for ".git". Windows drops blanks and dots at its end and has streams behind
// ":"; "git~1" is its short form.
bool IsAlikeGit(std::string_view name) {
  std::string folded = FoldName(name.substr(0, name.find(':')));
  folded.resize(folded.find_last_not_of(" .") + 1);
  return folded == ".git" || folded == "git~1";
}

}  // namespace

bool IsSafeInIndex(const IndexEntry& entry) {
  constexpr uint32_t kFolder = 040000;
  std::string_view path = entry.path;
  if (entry.mode == kFolder && !path.empty() && path.back() == '/') path.remove_suffix(1);
  for (bool more = true; more;) {
    const size_t end = std::min(path.find('/'), path.size());
    std::string_view name = path.substr(0, end);
    if (name.empty() || name == "." || name == "..") return false;
    // A backslash parts names on Windows.
    for (size_t part = 0; part != std::string_view::npos; part = name.find('\\')) {
      name.remove_prefix(part == 0 ? 0 : part + 1);
      if (IsAlikeGit(name.substr(0, name.find('\\')))) return false;
    }
    more = end < path.size();
    path.remove_prefix(more ? end + 1 : end);
  }
  return true;
}

std::optional<std::vector<IndexEntry>> ListIndex(std::string_view index, size_t object_bytes) {
  IndexReader reader(index, object_bytes);
  if (!reader.Read()) return std::nullopt;
  return reader.Take();
}

std::optional<std::string> IndexDigest(std::string_view index) {
  if (index.size() < kHeader + kChecksum || index.substr(0, 4) != "DIRC") return std::nullopt;
  const uint32_t version = Number(index, 4, 4);
  const uint32_t count = Number(index, 8, 4);
  if (version < 2 || version > 4) return std::nullopt;
  std::string_view rest = index.substr(kHeader);
  std::string listed;
  for (uint32_t i = 0; i < count; ++i) {
    if (!TakeEntry(version, rest, listed)) return std::nullopt;
  }
  if (HasRequiredExtension(rest)) return std::nullopt;
  return Sha256(listed);
}

std::string IndexDigestAt(int root, std::string_view path) {
  constexpr std::string_view kName = "index";
  constexpr int64_t kMaxBytes = int64_t{64} << 20;
  if (NameOf(path) != kName) return "";
  const Descriptor file = OpenBeneath(root, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file.valid()) return "";
  const absl::StatusOr<std::string> content = ReadWhole(file.get(), path, kMaxBytes);
  return content.ok() ? IndexDigest(*content).value_or("") : "";
}

}  // namespace toolgate::executors::directory
