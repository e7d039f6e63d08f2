#include "interchange/markdown/export.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/stored_json.h"
#include "interchange/markdown/file_name.h"
#include "interchange/markdown/import.h"
#include "interchange/markdown/writer.h"

namespace toolgate::interchange::markdown {
namespace {

constexpr std::string_view kLooseTitle = "Loose blocks";
// Maximum nesting of folders, so that paths stay below the limits of systems; deeper documents are placed side by side.
constexpr int kMaxFolders = 24;

}  // namespace

struct Export::Folder {
  std::string path;  // Relative, with "/" at its end; empty for the root.
  int level = 0;
  FileNames names = {};
};

struct Export::Document {
  Folder& in;
  std::string name;
  MarkdownWriter writer;
  std::unique_ptr<Folder> below = nullptr;  // Set once there is a document below this one.
};

struct Export::Open {
  std::string id;
  Document* document = nullptr;             // The document that it belongs to.
  std::unique_ptr<Document> own = nullptr;  // The same, if it is the document.
  int depth_below = 0;                      // In the document, of the blocks below it.
};

Export::Export(Sink sink) : sink_(std::move(sink)), root_(std::make_unique<Folder>()) {}

Export::~Export() = default;

absl::Status Export::Add(const v1::PortableBlock& block) {
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

absl::Status Export::Finish() {
  while (!open_.empty()) RETURN_IF_ERROR(Close());
  return loose_ == nullptr ? absl::OkStatus() : Write(*loose_);
}

Export::Folder& Export::FolderBelow(Document& document) {
  if (document.in.level == kMaxFolders) return document.in;
  if (document.below == nullptr) {
    document.below = std::make_unique<Folder>(
        Folder{.path = absl::StrCat(document.in.path, document.name, "/"), .level = document.in.level + 1});
  }
  return *document.below;
}

std::unique_ptr<Export::Document> Export::Start(Folder& folder, std::string_view type, const Json& data) {
  const auto title = data.find("title");
  std::string name = folder.names.Take(title != data.end() && title->is_string() ? title->get<std::string>() : "");
  return std::make_unique<Document>(
      Document{.in = folder, .name = std::move(name), .writer = MarkdownWriter(type, data)});
}

Export::Document& Export::Loose() {
  if (loose_ == nullptr) loose_ = Start(*root_, "page", {{"title", std::string(kLooseTitle)}});
  return *loose_;
}

absl::Status Export::Close() {
  const Open open = std::move(open_.back());
  open_.pop_back();
  return open.own == nullptr ? absl::OkStatus() : Write(*open.own);
}

absl::Status Export::Write(Document& document) {
  const std::string path = absl::StrCat(document.in.path, document.name, ".md");
  const std::string text = document.writer.Finish();
  RETURN_IF_ERROR(sink_(path, text));
  if (text.size() > Import::kMaxBytes) {
    warnings_.push_back(absl::StrCat(path, ": larger than what an import reads"));
  }
  latest_file_ = path;
  ++files_;
  return absl::OkStatus();
}

}  // namespace toolgate::interchange::markdown
