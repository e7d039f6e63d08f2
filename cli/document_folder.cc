#include "cli/document_folder.h"

#include <fcntl.h>
#include <simdjson.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "interchange/markdown/import.h"

namespace toolgate::cli {
namespace {

namespace fs = std::filesystem;
using interchange::markdown::Import;

// The bytes of a regular file; never waits for a FIFO's writer. At most one byte more than an import accepts.
absl::StatusOr<std::string> ReadRegularFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return absl::PermissionDeniedError("cannot be read");
  struct stat info = {};
  std::string text;
  bool ok = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
  if (ok) {
    text.resize(std::min<size_t>(static_cast<size_t>(info.st_size), Import::kMaxBytes + 1));
    size_t filled = 0;
    while (ok && filled < text.size()) {
      const ssize_t got = read(descriptor, text.data() + filled, text.size() - filled);
      ok = got >= 0;
      if (got <= 0) break;
      filled += static_cast<size_t>(got);
    }
    text.resize(filled);
  }
  close(descriptor);
  if (!ok) return absl::PermissionDeniedError("cannot be read, or is not a regular file");
  return text;
}

bool IsWithin(const fs::path& path, const fs::path& folder) {
  const auto [rest, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end();
}

}  // namespace

absl::StatusOr<std::unique_ptr<DocumentFolder>> DocumentFolder::Open(const std::string& path) {
  std::error_code error;
  const fs::path canonical = fs::canonical(path, error);
  if (error) return absl::NotFoundError(absl::StrCat("cannot find ", path));
  if (fs::is_directory(canonical, error)) {
    return std::unique_ptr<DocumentFolder>(new DocumentFolder(canonical.string(), std::nullopt));
  }
  return std::unique_ptr<DocumentFolder>(
      new DocumentFolder(canonical.parent_path().string(), canonical.filename().string()));
}

std::optional<std::string> DocumentFolder::Title() const {
  if (only_.has_value()) return std::nullopt;
  return fs::path(root_).filename().string();
}

DocumentFolder::Listing DocumentFolder::List(const std::string& folder) {
  Listing listing;
  std::vector<std::string> names;
  if (only_.has_value()) {
    names.push_back(*only_);
  } else {
    std::error_code error;
    fs::directory_iterator iterator(PathOf(folder), error);
    for (; !error && iterator != fs::directory_iterator(); iterator.increment(error)) {
      const std::string name = iterator->path().filename().string();
      if (name[0] != '.') names.push_back(folder.empty() ? name : absl::StrCat(folder, "/", name));
    }
    if (error) listing.warnings.push_back(absl::StrCat(folder.empty() ? "." : folder, ": the folder cannot be read"));
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) Look(name, listing);
  return listing;
}

absl::StatusOr<std::string> DocumentFolder::Read(const std::string& document) {
  return ReadRegularFile(PathOf(document));
}

std::string DocumentFolder::PathOf(const std::string& name) const { return absl::StrCat(root_, "/", name); }

void DocumentFolder::Look(const std::string& name, Listing& listing) const {
  std::error_code error;
  const std::string path = PathOf(name);
  const bool is_folder = fs::is_directory(fs::status(path, error));
  if (!is_folder && !only_.has_value() && !interchange::markdown::IsMarkdownName(name)) return;
  const auto pass_over = [&](const std::string& why) { listing.warnings.push_back(absl::StrCat(name, ": ", why)); };
  if (!simdjson::validate_utf8(name)) return pass_over("its name is not UTF-8");
  const std::string why = WhyNotFollowed(name, is_folder);
  if (!why.empty()) return pass_over(why);
  Entry entry = {.name = fs::path(name).filename().string(), .is_folder = is_folder};
  if (!is_folder) {
    if (!fs::is_regular_file(path, error)) return pass_over("not a regular file");
    entry.bytes = static_cast<int64_t>(fs::file_size(path, error));
    if (error) return pass_over("cannot be read");
    if (entry.bytes > static_cast<int64_t>(Import::kMaxBytes)) return pass_over("larger than 10 MiB");
  }
  listing.entries.push_back(std::move(entry));
}

std::string DocumentFolder::WhyNotFollowed(const std::string& name, bool to_folder) const {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(PathOf(name), error))) return "";
  const fs::path target = fs::canonical(PathOf(name), error);
  if (error) return "a symbolic link that leads nowhere";
  if (!IsWithin(target, root_)) return "a symbolic link out of the folder";
  return to_folder ? "a symbolic link to a folder" : "";
}

}  // namespace toolgate::cli
