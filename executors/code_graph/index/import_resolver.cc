#include "executors/code_graph/index/import_resolver.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/absl_bridge.h"
#include "executors/directory/path.h"

namespace toolgate::executors::code_graph::index {
namespace {

using directory::JoinPath;
using directory::NameOf;
using directory::ParentOf;
using Found = std::optional<int64_t>;

// `path` without "." and "..", or nothing when it leads out of the workspace.
std::optional<std::string> Normalise(std::string_view path) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    if (part == "..") {
      if (parts.empty()) return std::nullopt;
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
    if (slash == path.size()) break;
    path.remove_prefix(slash + 1);
  }
  std::string normal;
  for (const std::string_view part : parts) normal = JoinPath(normal, part);
  return normal;
}

std::string Slashes(std::string_view name, std::string_view separator) {
  return absl::StrReplaceAll(ToAbsl(name), {{ToAbsl(separator), "/"}});
}

size_t CommonPrefix(std::string_view a, std::string_view b) {
  const size_t bound = std::min(a.size(), b.size());
  size_t size = 0;
  while (size < bound && a[size] == b[size]) ++size;
  return size;
}

}  // namespace

// One import.
class ImportResolver::Attempt {
 public:
  Attempt(const ImportResolver& files, std::string_view from, std::string_view name)
      : files_(files), from_(from), folder_(ParentOf(from)), name_(name) {}

  Found ResolveEnding() const { return Ending(name_); }

  Found Resolve(LanguageGroup group) const {
    switch (group) {
      case LanguageGroup::kPython:
        return Python();
      case LanguageGroup::kScript:
        return Script();
      case LanguageGroup::kJvm:
        return Jvm();
      case LanguageGroup::kRust:
        return Rust();
      case LanguageGroup::kPerl:
        return Ending(absl::StrCat(Slashes(name_, "::"), ".pm"));
      case LanguageGroup::kLua:
        return Lua();
      case LanguageGroup::kPhp:
        return Php();
      case LanguageGroup::kRuby:
        return Ruby();
      case LanguageGroup::kGo:
      case LanguageGroup::kSharp:
        return std::nullopt;  // A package is no file.
      default:
        return AsPath();
    }
  }

 private:
  Found Exact(std::string_view path) const {
    const std::optional<std::string> normal = Normalise(path);
    if (!normal.has_value()) return std::nullopt;
    const auto found = files_.by_path_.find(*normal);
    return found == files_.by_path_.end() ? Found() : Found(found->second);
  }
  Found Beside(std::string_view path) const { return Exact(JoinPath(folder_, path)); }

  // Of the files whose path ends in `path`, the one nearest to the importing file.
  Found Ending(std::string_view path) const {
    const std::optional<std::string> normal = Normalise(path);
    if (!normal.has_value()) return std::nullopt;
    const auto found = files_.by_name_.find(NameOf(*normal));
    if (found == files_.by_name_.end()) return std::nullopt;
    const File* best = nullptr;
    // Nearest first, then the shortest path, then the first by its bytes.
    const auto order = [&](const File& file) {
      return std::make_tuple(-static_cast<int64_t>(CommonPrefix(file.path, from_)), file.path.size(), file.path);
    };
    for (const File& file : found->second) {
      if (!EndsIn(file.path, *normal)) continue;
      if (best == nullptr || order(file) < order(*best)) best = &file;
    }
    return best == nullptr ? Found() : Found(best->id);
  }
  static bool EndsIn(std::string_view path, std::string_view end) {
    if (path.size() < end.size() || path.substr(path.size() - end.size()) != end) return false;
    return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
  }

  // Headers, scripts and the like: a path relative to the file, or the end of one.
  Found AsPath() const {
    if (const Found beside = Beside(name_)) return beside;
    return Ending(name_);
  }

  Found PythonModule(std::string_view path) const {
    if (const Found file = Exact(absl::StrCat(ToAbsl(path), ".py"))) return file;
    if (const Found file = Exact(absl::StrCat(ToAbsl(path), ".pyi"))) return file;
    return Exact(JoinPath(path, "__init__.py"));
  }

  Found Python() const {
    const size_t dots = std::min(name_.find_first_not_of('.'), name_.size());
    const std::string rest = Slashes(name_.substr(dots), ".");
    if (dots > 0) {
      std::string_view folder = folder_;
      for (size_t i = 1; i < dots; ++i) {
        if (folder.empty()) return std::nullopt;
        folder = ParentOf(folder);
      }
      return rest.empty() ? Exact(JoinPath(folder, "__init__.py")) : PythonModule(JoinPath(folder, rest));
    }
    // The folders around the file, from the inside out: one of them is the top of the packages.
    for (std::string_view folder = folder_;; folder = ParentOf(folder)) {
      if (const Found module = PythonModule(JoinPath(folder, rest))) return module;
      if (folder.empty()) break;
    }
    if (rest.find('/') == std::string::npos) return std::nullopt;
    if (const Found module = Ending(absl::StrCat(rest, ".py"))) return module;
    return Ending(absl::StrCat(rest, "/__init__.py"));
  }

  Found Script() const {
    if (name_.empty() || name_.front() != '.') return std::nullopt;
    std::string base(name_);
    for (const std::string_view end : {"", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", "/index.ts",
                                       "/index.tsx", "/index.js", "/index.mjs"}) {
      if (const Found file = Beside(absl::StrCat(base, ToAbsl(end)))) return file;
    }
    // TypeScript names the file that will be compiled.
    const size_t dot = base.rfind(".js");
    if (dot == std::string::npos) return std::nullopt;
    if (const Found file = Beside(absl::StrCat(base.substr(0, dot), ".ts"))) return file;
    return Beside(absl::StrCat(base.substr(0, dot), ".tsx"));
  }

  // A class, or a member of one.
  Found Jvm() const {
    std::string path = Slashes(name_, ".");
    for (int tries = 0; tries < 2; ++tries) {
      if (const Found file = Ending(absl::StrCat(path, ".java"))) return file;
      if (const Found file = Ending(absl::StrCat(path, ".kt"))) return file;
      path = std::string(ParentOf(path));
      if (path.find('/') == std::string::npos) break;
    }
    return std::nullopt;
  }

  Found RustModule(std::string_view path) const {
    if (const Found file = Exact(absl::StrCat(ToAbsl(path), ".rs"))) return file;
    return Exact(JoinPath(path, "mod.rs"));
  }

  // The root of the crate: that of the nearest folder around which has one.
  Found RustCrate() const {
    for (std::string_view folder = folder_;; folder = ParentOf(folder)) {
      if (const Found root = Exact(JoinPath(folder, "lib.rs"))) return root;
      if (const Found root = Exact(JoinPath(folder, "main.rs"))) return root;
      if (folder.empty()) return std::nullopt;
    }
  }

  // "crate::a::b::Item": the longest part of it that is a file.
  Found Rust() const {
    std::string path = Slashes(name_, "::");
    const size_t slash = path.find('/');
    if (path == "crate") return RustCrate();
    if (slash == std::string::npos) return std::nullopt;
    const std::string first = path.substr(0, slash);
    path.erase(0, slash + 1);
    std::vector<std::string> folders;
    if (first == "crate") {
      for (std::string_view folder = folder_;; folder = ParentOf(folder)) {
        folders.emplace_back(folder);
        if (folder.empty()) break;
      }
    } else if (first == "self" || first == "super") {
      const std::string_view file = NameOf(from_);
      const std::string own = JoinPath(folder_, file.substr(0, file.rfind('.')));
      folders = {std::string(first == "self" ? folder_ : ParentOf(folder_)),
                 first == "self" ? own : std::string(folder_)};
    } else {
      return std::nullopt;
    }
    for (; !path.empty(); path = std::string(ParentOf(path))) {
      for (const std::string& folder : folders) {
        if (const Found module = RustModule(JoinPath(folder, path))) return module;
      }
    }
    return std::nullopt;
  }

  Found Lua() const {
    const std::string path = Slashes(name_, ".");
    if (const Found file = Ending(absl::StrCat(path, ".lua"))) return file;
    return Ending(absl::StrCat(path, "/init.lua"));
  }

  Found Php() const {
    if (name_.find('\\') != std::string_view::npos) return Ending(absl::StrCat(Slashes(name_, "\\"), ".php"));
    return AsPath();
  }

  Found Ruby() const {
    const std::string path = absl::StrCat(ToAbsl(name_), ".rb");
    if (const Found beside = Beside(path)) return beside;
    return name_.find('/') == std::string_view::npos ? Ending(JoinPath("lib", path)) : Ending(path);
  }

  const ImportResolver& files_;
  const std::string_view from_;
  const std::string_view folder_;
  const std::string_view name_;
};

ImportResolver::ImportResolver(const std::vector<std::pair<std::string, int64_t>>& files) {
  by_path_.reserve(files.size());
  for (const auto& [path, id] : files) {
    by_path_.emplace(path, id);
    by_name_[NameOf(path)].push_back({path, id});
  }
}

Found ImportResolver::Resolve(std::string_view from, LanguageGroup group, std::string_view name, bool is_system) const {
  if (name.find('\0') != std::string_view::npos) return std::nullopt;
  if (is_system && name.find('/') == std::string_view::npos) {
    const std::string in_folder = absl::StrCat("include/", ToAbsl(name));
    return Attempt(*this, from, in_folder).ResolveEnding();
  }
  return Attempt(*this, from, name).Resolve(group);
}

}  // namespace toolgate::executors::code_graph::index
