#include "executors/directory/path.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/text/utf8.h"
#include "executors/arguments.h"

namespace toolgate::executors::directory {
namespace {

constexpr std::string_view kExpected = "a path below the workspace's directory, such as \"src/main.cc\"";

absl::Status Refuse(std::string_view argument, std::string_view problem) {
  return InvalidArgument(argument, "path", absl::StrCat(ToAbsl(argument), " ", ToAbsl(problem)), kExpected);
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

bool HasControl(std::string_view text) {
  for (const char c : text) {
    if (IsControl(c)) return true;
  }
  return false;
}

// A path as a shell command prints it, from the workspace's directory.
std::string_view WithoutShellFolder(std::string_view written) {
  constexpr std::string_view kFolder = kShellFolder;
  if (written.substr(0, kFolder.size()) != kFolder) return written;
  const std::string_view rest = written.substr(kFolder.size());
  if (rest.empty()) return ".";
  return rest.front() == '/' ? rest.substr(std::min(rest.find_first_not_of('/'), rest.size())) : written;
}

std::vector<std::string_view> Split(std::string_view path) {
  std::vector<std::string_view> parts;
  for (size_t from = 0; from <= path.size();) {
    const size_t slash = std::min(path.find('/', from), path.size());
    parts.push_back(path.substr(from, slash - from));
    from = slash + 1;
  }
  return parts;
}

absl::StatusOr<std::string> Parse(std::string_view argument, std::string_view written) {
  if (written.find('\0') != std::string_view::npos) return Refuse(argument, "contains a NUL character");
  if (written.size() > kMaxPathBytes) return Refuse(argument, absl::StrCat("has more than ", kMaxPathBytes, " bytes"));
  if (!text::IsWellFormedUtf8(written)) return Refuse(argument, "is not well-formed UTF-8");
  if (HasControl(written)) return Refuse(argument, "contains a control character");
  written = WithoutShellFolder(written);
  if (!written.empty() && written.front() == '/') {
    return Refuse(argument, "is an absolute path; name the file from the workspace's directory");
  }
  std::vector<std::string_view> kept;
  for (const std::string_view part : Split(written)) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return Refuse(argument, "contains \"..\"; name the file from the workspace's directory");
    if (part.size() > kMaxNameBytes) return Refuse(argument, "has a component of more than 255 bytes");
    if (kept.size() == kMaxComponents) {
      return Refuse(argument, absl::StrCat("is nested too deeply: it has more than ", kMaxComponents, " components"));
    }
    kept.push_back(part);
  }
  return absl::StrJoin(kept, "/", [](std::string* out, std::string_view part) { out->append(part); });
}

}  // namespace

absl::StatusOr<std::string> ParseFilePath(std::string_view argument, std::string_view written) {
  absl::StatusOr<std::string> path = Parse(argument, written);
  if (!path.ok()) return path;
  if (path->empty()) return Refuse(argument, "names no file");
  const std::string_view last = Split(written).back();
  if (last.empty() || last == ".") return Refuse(argument, "names a folder, since it ends in \"/\"; name a file");
  return path;
}

absl::StatusOr<std::string> ParseFolderPath(std::string_view argument, std::string_view written) {
  if (written.empty()) return Refuse(argument, "is empty; \".\" is the workspace's directory");
  return Parse(argument, written);
}

bool IsCanonical(std::string_view path) {
  if (path.empty() || path.size() > kMaxPathBytes || path.find('\0') != std::string_view::npos) return false;
  for (const std::string_view part : Split(path)) {
    if (part.empty() || part == "." || part == ".." || part.size() > kMaxNameBytes) return false;
  }
  return true;
}

std::string_view ParentOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view NameOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

size_t DepthOf(std::string_view path) {
  return path.empty() ? 0 : static_cast<size_t>(std::count(path.begin(), path.end(), '/')) + 1;
}

bool IsOutOfReach(std::string_view path) { return path.size() > kMaxPathBytes || DepthOf(path) > kMaxComponents; }

std::string JoinPath(std::string_view folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  return absl::StrCat(ToAbsl(folder), "/", ToAbsl(name));
}

std::vector<std::string_view> ComponentsOf(std::string_view path) {
  if (path.empty()) return {};
  return Split(path);
}

std::string ShownPath(std::string_view path) {
  const bool readable = text::IsWellFormedUtf8(path);
  std::string shown;
  for (const char c : path) {
    const bool odd = IsControl(c) || (!readable && static_cast<unsigned char>(c) >= 0x80);
    shown.push_back(odd ? '?' : c);
  }
  return shown;
}

bool IsPlainName(std::string_view name, size_t max_bytes) {
  if (name.empty() || name.size() > max_bytes || name.front() == '.') return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.'; });
}

}  // namespace toolgate::executors::directory
