#include "cli/markdown_import.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utf8proc.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "interchange/markdown/document.h"

namespace toolgate::cli {
namespace {

namespace fs = std::filesystem;

// Folders in folders; a cycle cannot be met, since links to folders are not followed.
constexpr int kMaxDepth = 64;
constexpr size_t kMaxTitle = 500;

bool IsUtf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (size_t i = 0; i < text.size();) {
    if (bytes[i] < 0x80) {
      ++i;
      continue;
    }
    utf8proc_int32_t rune = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(bytes + i, static_cast<utf8proc_ssize_t>(text.size() - i), &rune);
    if (length <= 0) return false;
    i += static_cast<size_t>(length);
  }
  return true;
}

// The bytes of a regular file; never waits for a FIFO's writer. At most one byte more than may be read.
absl::StatusOr<std::string> ReadRegularFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return absl::PermissionDeniedError("cannot be read");
  struct stat info = {};
  std::string text;
  bool ok = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
  if (ok) {
    text.resize(std::min<size_t>(static_cast<size_t>(info.st_size), MarkdownImport::kMaxFileBytes + 1));
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

// A folder's or file's name as a page's title.
std::string TitleFromName(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); }, ' ');
  if (name.size() > kMaxTitle) {
    size_t end = kMaxTitle;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
    name.resize(end);
  }
  return name.empty() ? "Untitled" : name;
}

}  // namespace

bool IsMarkdownName(const std::string& path) {
  return absl::EndsWithIgnoreCase(path, ".md") || absl::EndsWithIgnoreCase(path, ".markdown");
}

absl::StatusOr<std::unique_ptr<MarkdownImport>> MarkdownImport::Open(const std::string& path, absl::Time now,
                                                                     IdSource& ids) {
  std::error_code error;
  const fs::path canonical = fs::canonical(path, error);
  if (error) return absl::NotFoundError(absl::StrCat("cannot find ", path));
  std::unique_ptr<MarkdownImport> source(new MarkdownImport(now, ids));
  if (!fs::is_directory(canonical, error)) {
    source->root_ = canonical.parent_path().string();
    source->AddFile(canonical.string(), canonical.filename().string(), 0);
    return source;
  }
  source->root_ = canonical.string();
  source->entries_.push_back({canonical.string(), ".", TitleFromName(canonical.filename().string()), true});
  source->ListFolder(canonical.string(), ".", 0, 0);
  if (source->entries_.size() == 1) source->entries_.clear();  // Nothing to import: no page for it either.
  return source;
}

void MarkdownImport::ListFolder(const std::string& path, const std::string& shown, size_t parent, int depth) {
  if (depth > kMaxDepth) return Warn(shown, "nested too deep");
  std::error_code error;
  std::vector<std::string> names;
  fs::directory_iterator iterator(path, error);
  for (; !error && iterator != fs::directory_iterator(); iterator.increment(error)) {
    const std::string name = iterator->path().filename().string();
    if (name[0] != '.') names.push_back(name);
  }
  if (error) Warn(shown, "the folder cannot be read");
  std::sort(names.begin(), names.end());
  const auto place = [&](const std::string& name) {
    return Listed{absl::StrCat(path, "/", name), shown == "." ? name : absl::StrCat(shown, "/", name)};
  };
  std::set<std::string> own;  // Folders that wait for the document to which they belong.
  for (const std::string& name : names) {
    const std::string stem = fs::path(name).stem().string();
    if (IsMarkdownName(name) && std::binary_search(names.begin(), names.end(), stem)) own.insert(stem);
  }
  for (const std::string& name : names) {
    if (own.contains(name)) continue;
    const Listed one = place(name);
    const Kind kind = KindOf(one);
    const size_t before = entries_.size();
    if (kind == Kind::kFolder) AddFolder(one, parent, depth + 1);
    if (kind == Kind::kMarkdown) AddFile(one.path, one.shown, parent);
    const std::string stem = fs::path(name).stem().string();
    if (!IsMarkdownName(name) || own.erase(stem) == 0) continue;
    const Listed folder = place(stem);
    if (KindOf(folder) != Kind::kFolder) continue;
    const bool is_listed = kind == Kind::kMarkdown && entries_.size() > before;
    if (is_listed) {
      ListFolder(folder.path, folder.shown, before, depth + 1);
    } else {
      AddFolder(folder, parent, depth + 1);
    }
  }
}

MarkdownImport::Kind MarkdownImport::KindOf(const Listed& one) {
  std::error_code error;
  const bool link = fs::is_symlink(fs::symlink_status(one.path, error));
  const bool folder = fs::is_directory(fs::status(one.path, error));
  if (!folder && !IsMarkdownName(one.shown)) return Kind::kNone;
  const auto pass_over = [&](const char* why) {
    Warn(one.shown, why);
    return Kind::kNone;
  };
  if (!IsUtf8(one.shown)) return pass_over("its name is not UTF-8");
  if (link) {
    const fs::path target = fs::canonical(one.path, error);
    if (error) return pass_over("a symbolic link that leads nowhere");
    if (!IsWithin(target, root_)) return pass_over("a symbolic link out of the folder");
    if (folder) return pass_over("a symbolic link to a folder");
  }
  return folder ? Kind::kFolder : Kind::kMarkdown;
}

void MarkdownImport::AddFolder(const Listed& one, size_t parent, int depth) {
  const size_t index = entries_.size();
  entries_.push_back({one.path, one.shown, TitleFromName(fs::path(one.path).filename().string()), true, parent});
  ListFolder(one.path, one.shown, index, depth);
  if (entries_.size() == index + 1) entries_.pop_back();
}

void MarkdownImport::AddFile(const std::string& path, const std::string& shown, size_t parent) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return Warn(shown, "not a regular file");
  const auto bytes = static_cast<int64_t>(fs::file_size(path, error));
  if (error) return Warn(shown, "cannot be read");
  if (bytes > static_cast<int64_t>(kMaxFileBytes)) return Warn(shown, "larger than 10 MiB");
  total_bytes_ += bytes;
  entries_.push_back({path, shown, TitleFromName(fs::path(path).stem().string()), false, parent, bytes});
}

absl::StatusOr<bool> MarkdownImport::Next(v1::PortableBlock& block) {
  while (next_ready_ == ready_.size()) {
    if (next_entry_ == entries_.size()) return false;
    ready_.clear();
    next_ready_ = 0;
    Expand(next_entry_++);
  }
  block = std::move(ready_[next_ready_++]);
  return true;
}

void MarkdownImport::Expand(size_t index) {
  Entry& entry = entries_[index];
  place_ = entry.shown;
  const std::string parent_id = entry.parent == index ? "" : entries_[entry.parent].id;
  if (!entry.folder) {
    if (const absl::StatusOr<std::string> text = ReadDocument(entry); text.ok()) {
      ready_ =
          interchange::markdown::BlocksOfMarkdown({*text, entry.title, parent_id}, [this] { return ids_.NewId(now_); });
      entry.id = ready_.front().id();
      return;
    } else {
      Warn(entry.shown, std::string(text.status().message()));
    }
    // What is in its folder needs a page all the same.
    if (index + 1 == entries_.size() || entries_[index + 1].parent != index) return;
  }
  entry.id = ids_.NewId(now_);
  v1::PortableBlock& page = ready_.emplace_back();
  page.set_id(entry.id);
  page.set_type("page");
  page.set_parent_id(parent_id);
  page.set_data_json(DumpJson({{"title", entry.title}}));
}

absl::StatusOr<std::string> MarkdownImport::ReadDocument(const Entry& entry) {
  read_bytes_ += entry.bytes;
  ASSIGN_OR_RETURN(std::string text, ReadRegularFile(entry.path));
  if (text.size() > kMaxFileBytes) return absl::InvalidArgumentError("larger than 10 MiB");
  if (!IsUtf8(text)) return absl::InvalidArgumentError("not UTF-8");
  return text;
}

double MarkdownImport::Fraction() const {
  return total_bytes_ == 0 ? -1 : static_cast<double>(read_bytes_) / static_cast<double>(total_bytes_);
}

void MarkdownImport::Warn(const std::string& shown, const std::string& why) {
  warnings_.push_back(absl::StrCat(shown, ": ", why));
}

}  // namespace toolgate::cli
