#include "cli/markdown_export.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/markdown_import.h"
#include "cli/output_file.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/stored_json.h"

namespace toolgate::cli {
namespace {

namespace fs = std::filesystem;
using interchange::markdown::MarkdownWriter;

constexpr std::string_view kLooseTitle = "Loose blocks";
// Folders in folders, so that paths stay below what systems take; documents that are deeper lie side by side.
constexpr int kMaxFolders = 24;

}  // namespace

struct MarkdownExport::Folder {
  std::string path;  // Relative, with "/" at its end; empty for the root.
  Folder* parent = nullptr;
  int level = 0;
  bool made = false;
  interchange::markdown::FileNames names = {};
};

struct MarkdownExport::Document {
  Folder& in;
  std::string name;
  MarkdownWriter writer;
  std::unique_ptr<Folder> below = nullptr;  // Once there is a document below this one.
};

struct MarkdownExport::Open {
  std::string id;
  Document* document = nullptr;             // To which it belongs.
  std::unique_ptr<Document> own = nullptr;  // The same, when it is the document.
  int depth_below = 0;                      // In the document, of the blocks below it.
};

MarkdownExport::MarkdownExport(std::string path, bool force)
    : path_(std::move(path)), force_(force), root_(std::make_unique<Folder>()) {}

MarkdownExport::~MarkdownExport() = default;

absl::StatusOr<std::unique_ptr<MarkdownExport>> MarkdownExport::Create(const std::string& folder, bool force) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::exists(status)) {
    if (!fs::is_directory(status)) return absl::AlreadyExistsError(absl::StrCat(folder, " is not a folder"));
    const bool empty = fs::is_empty(folder, error);
    if (error) return absl::PermissionDeniedError(absl::StrCat("cannot read ", folder, ": ", error.message()));
    if (!empty && !force) {
      return absl::AlreadyExistsError(absl::StrCat(folder, " is not empty; write into it with --force"));
    }
  }
  std::unique_ptr<MarkdownExport> made(new MarkdownExport(folder, force));
  RETURN_IF_ERROR(made->Make(*made->root_));
  return made;
}

absl::Status MarkdownExport::Add(const v1::PortableBlock& block) {
  while (!open_.empty() && (block.parent_id().empty() || open_.back().id != block.parent_id())) {
    RETURN_IF_ERROR(Close());
  }
  const absl::StatusOr<Json> data = ParseJson(block.data_json(), kStoredJson);
  if (!data.ok() || !data->is_object()) {
    return absl::DataLossError(absl::StrCat("block ", block.id(), " holds data that is not a JSON object"));
  }
  Open open = {.id = block.id()};
  if (MarkdownWriter::IsDocument(block.type())) {
    Folder& folder = open_.empty() ? *root_ : FolderBelow(*open_.back().document);
    open.own = Start(folder, block.type(), *data);
    open.document = open.own.get();
  } else {
    const int depth = open_.empty() ? 0 : open_.back().depth_below;
    open.document = open_.empty() ? &Loose() : open_.back().document;
    open.document->writer.Add(depth, block.type(), *data);
    open.depth_below = depth + 1;
  }
  open_.push_back(std::move(open));
  return absl::OkStatus();
}

absl::Status MarkdownExport::Finish() {
  while (!open_.empty()) RETURN_IF_ERROR(Close());
  return loose_ == nullptr ? absl::OkStatus() : Write(*loose_);
}

MarkdownExport::Folder& MarkdownExport::FolderBelow(Document& document) {
  if (document.in.level == kMaxFolders) return document.in;
  if (document.below == nullptr) {
    document.below = std::make_unique<Folder>(Folder{.path = absl::StrCat(document.in.path, document.name, "/"),
                                                     .parent = &document.in,
                                                     .level = document.in.level + 1});
  }
  return *document.below;
}

std::unique_ptr<MarkdownExport::Document> MarkdownExport::Start(Folder& folder, std::string_view type,
                                                                const Json& data) {
  const auto title = data.find("title");
  std::string name = folder.names.Take(title != data.end() && title->is_string() ? title->get<std::string>() : "");
  return std::make_unique<Document>(
      Document{.in = folder, .name = std::move(name), .writer = MarkdownWriter(type, data)});
}

MarkdownExport::Document& MarkdownExport::Loose() {
  if (loose_ == nullptr) loose_ = Start(*root_, "page", {{"title", std::string(kLooseTitle)}});
  return *loose_;
}

absl::Status MarkdownExport::Close() {
  const Open open = std::move(open_.back());
  open_.pop_back();
  return open.own == nullptr ? absl::OkStatus() : Write(*open.own);
}

absl::Status MarkdownExport::Write(Document& document) {
  RETURN_IF_ERROR(Make(document.in));
  const std::string shown = absl::StrCat(document.in.path, document.name, ".md");
  ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Create(absl::StrCat(path_, "/", shown), force_));
  const std::string text = document.writer.Finish();
  RETURN_IF_ERROR(file->Write(text));
  RETURN_IF_ERROR(file->Commit());
  if (text.size() > MarkdownImport::kMaxFileBytes) {
    warnings_.push_back(absl::StrCat(shown, ": larger than what `toolgate import` reads"));
  }
  latest_file_ = shown;
  ++files_;
  return absl::OkStatus();
}

absl::Status MarkdownExport::Make(Folder& folder) {
  if (folder.made) return absl::OkStatus();
  if (folder.parent != nullptr) RETURN_IF_ERROR(Make(*folder.parent));
  std::string path = absl::StrCat(path_, "/", folder.path);
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (mkdir(path.c_str(), 0700) != 0) {
    struct stat info = {};
    // The folder itself may be a link that its owner made; in it, a link could lead anywhere.
    const bool is_folder = errno == EEXIST &&
                           (folder.parent == nullptr ? stat(path.c_str(), &info) : lstat(path.c_str(), &info)) == 0 &&
                           S_ISDIR(info.st_mode);
    if (!is_folder) return absl::ErrnoToStatus(errno, absl::StrCat("cannot create the folder ", path));
  }
  folder.made = true;
  return absl::OkStatus();
}

}  // namespace toolgate::cli
