// Paths of a workspace's directory, as callers write them.
//
// This is the only place that reads such a path: everything else works with the canonical form, so that a check and
// the use after it can never read one text in two ways. Canonical is a relative path of components joined by one "/",
// without "." and ".."; the directory itself is "". A blank, a quote or a backslash is a character like any other.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_PATH_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_PATH_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace toolgate::executors::directory {

// The workspace's directory as shell commands see it, and print it. A path that begins with it is understood.
inline constexpr char kShellFolder[] = "/workspace";

inline constexpr size_t kMaxPathBytes = 4000;  // Below PATH_MAX, so that every path can be passed to the kernel.
inline constexpr size_t kMaxNameBytes = 255;   // NAME_MAX.
// The deepest path that tools take. Whatever lies deeper is out of their reach: they neither read nor change it, and
// shell commands do not see it.
inline constexpr size_t kMaxComponents = 100;

// The canonical form of a file's path. "./", doubled slashes and "/workspace/" at its beginning are dropped; an empty
// path, any other absolute one, one that ends in "/" or contains "..", a control character or ill-formed UTF-8, or that
// is too long or too deep, is INVALID_PARAMS, which names the argument `argument`.
absl::StatusOr<std::string> ParseFilePath(std::string_view argument, std::string_view written);
// As above, of a folder: it may be "." or end in "/".
absl::StatusOr<std::string> ParseFolderPath(std::string_view argument, std::string_view written);

// Whether `path` is canonical in its form, with any bytes in its names: names of files need not be UTF-8. Not "".
bool IsCanonical(std::string_view path);

// Of a canonical path: the folder that it is in ("" at the top), and its last component.
std::string_view ParentOf(std::string_view path);
std::string_view NameOf(std::string_view path);
// The number of its components.
size_t DepthOf(std::string_view path);
// Whether a canonical path is longer or deeper than one that ParseFilePath takes.
bool IsOutOfReach(std::string_view path);
// `folder` may be "".
std::string JoinPath(std::string_view folder, std::string_view name);
std::vector<std::string_view> ComponentsOf(std::string_view path);

// Whether `name` is made of ASCII letters and digits, "-", "_" and ".", does not begin with ".", and has from 1 to
// `max_bytes` bytes, so that it is one component under any file system.
bool IsPlainName(std::string_view name, size_t max_bytes);

// A path for a message or a JSON text: ill-formed bytes and control characters are replaced.
std::string ShownPath(std::string_view path);

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_PATH_H_
