#include "executors/directory/git_index.h"

#include <fcntl.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "common/descriptor.h"
#include "common/digest.h"
#include "executors/directory/content.h"
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

}  // namespace

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
