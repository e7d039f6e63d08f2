#include "interchange/markdown/import.h"

#include <simdjson.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/text/utf8.h"
#include "interchange/markdown/document.h"

namespace toolgate::interchange::markdown {
namespace {

constexpr int kMaxFolderDepth = 64;  // Maximum nesting of folders.
constexpr size_t kMaxTitle = 500;

// A folder's or document's name as a page's title.
std::string TitleFromName(std::string_view from) {
  std::string name(from);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); }, ' ');
  name.resize(text::PrefixOfBytes(name, kMaxTitle).size());
  return name.empty() ? "Untitled" : name;
}

// The name without its extension.
std::string Stem(std::string_view name) { return std::string(name.substr(0, name.rfind('.'))); }

std::string Below(const std::string& folder, std::string_view name) {
  return absl::StrCat(folder, folder.empty() ? "" : "/", ToAbsl(name));
}

// The folders that belong to a document next to them.
std::set<std::string> FoldersOfDocuments(const std::vector<DocumentTree::Entry>& entries) {
  std::set<std::string> folders;
  std::set<std::string> stems;
  for (const DocumentTree::Entry& entry : entries) {
    (entry.is_folder ? folders : stems).insert(entry.is_folder ? entry.name : Stem(entry.name));
  }
  std::set<std::string> own;
  std::set_intersection(folders.begin(), folders.end(), stems.begin(), stems.end(), std::inserter(own, own.end()));
  return own;
}

}  // namespace

bool IsMarkdownName(std::string_view name) {
  return absl::EndsWithIgnoreCase(ToAbsl(name), ".md") || absl::EndsWithIgnoreCase(ToAbsl(name), ".markdown");
}

Import::Import(DocumentTree& tree, absl::Time now, IdSource& ids) : now_(now), ids_(ids), tree_(tree) {
  const std::optional<std::string> title = tree.Title();
  if (title.has_value()) {
    AddFolder("", *title, std::nullopt, 0);
  } else {
    ListFolder("", std::nullopt, 0);
  }
}

void Import::ListFolder(const std::string& path, std::optional<size_t> parent, int depth) {
  if (depth > kMaxFolderDepth) {
    warnings_.push_back(absl::StrCat(path, ": nested too deep"));
    return;
  }
  DocumentTree::Listing listing = tree_.List(path);
  std::move(listing.warnings.begin(), listing.warnings.end(), std::back_inserter(warnings_));
  std::vector<DocumentTree::Entry>& entries = listing.entries;
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  const std::set<std::string> own = FoldersOfDocuments(entries);
  std::set<std::string> waiting = own;
  for (const DocumentTree::Entry& entry : entries) {
    if (entry.is_folder) {
      if (!own.contains(entry.name)) AddFolder(Below(path, entry.name), entry.name, parent, depth + 1);
      continue;
    }
    const std::string stem = Stem(entry.name);
    const size_t index = entries_.size();
    entries_.push_back({Below(path, entry.name), TitleFromName(stem), false, parent, entry.bytes});
    total_bytes_ += entry.bytes;
    if (waiting.erase(stem) > 0) ListFolder(Below(path, stem), index, depth + 1);
  }
}

void Import::AddFolder(const std::string& path, std::string_view name, std::optional<size_t> parent, int depth) {
  const size_t index = entries_.size();
  entries_.push_back({path, TitleFromName(name), true, parent});
  ListFolder(path, index, depth);
  if (entries_.size() == index + 1) entries_.pop_back();  // Contains no document, so it needs no page.
}

absl::StatusOr<bool> Import::Next(v1::PortableBlock& block) {
  while (next_ready_ == ready_.size()) {
    if (next_entry_ == entries_.size()) return false;
    ready_.clear();
    next_ready_ = 0;
    Expand(next_entry_++);
  }
  block = std::move(ready_[next_ready_++]);
  return true;
}

void Import::Expand(size_t index) {
  Entry& entry = entries_[index];
  place_ = entry.path.empty() ? "." : entry.path;
  const std::string parent_id = entry.parent.has_value() ? entries_[*entry.parent].id : "";
  if (!entry.is_folder) {
    if (const absl::StatusOr<std::string> text = ReadDocument(entry); text.ok()) {
      ready_ = BlocksOfMarkdown({*text, entry.title, parent_id}, [this] { return ids_.NewId(now_); });
      entry.id = ready_.front().id();
      return;
    } else {
      warnings_.push_back(absl::StrCat(entry.path, ": ", text.status().message()));
    }
    // The contents of its folder need a page all the same.
    if (index + 1 == entries_.size() || entries_[index + 1].parent != index) return;
  }
  entry.id = ids_.NewId(now_);
  v1::PortableBlock& page = ready_.emplace_back();
  page.set_id(entry.id);
  page.set_type("page");
  page.set_parent_id(parent_id);
  page.set_data_json(DumpJson({{"title", entry.title}}));
}

absl::StatusOr<std::string> Import::ReadDocument(const Entry& entry) {
  read_bytes_ += entry.bytes;
  ASSIGN_OR_RETURN(std::string text, tree_.Read(entry.path));
  if (text.size() > kMaxBytes) return absl::InvalidArgumentError("larger than 10 MiB");
  if (!simdjson::validate_utf8(text)) return absl::InvalidArgumentError("not UTF-8");
  return text;
}

double Import::Fraction() const {
  return total_bytes_ == 0 ? -1 : static_cast<double>(read_bytes_) / static_cast<double>(total_bytes_);
}

}  // namespace toolgate::interchange::markdown
