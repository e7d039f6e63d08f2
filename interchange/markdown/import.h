// Imports a tree of Markdown documents as blocks.
#ifndef TOOLGATE_INTERCHANGE_MARKDOWN_IMPORT_H_
#define TOOLGATE_INTERCHANGE_MARKDOWN_IMPORT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "interchange/block_source.h"
#include "interchange/markdown/document_tree.h"
#include "toolgate/v1/data_service.pb.h"

namespace toolgate::interchange::markdown {

// The root becomes a page if it has a title, and so does each folder with any Markdown below; each document becomes a
// page with its content. Siblings are ordered by the bytes of their names. A folder X next to X.md belongs to that
// document: its content is placed below the document's page. Skipped with a warning: documents that are not UTF-8, are
// larger than kMaxBytes or cannot be read, and folders nested too deep.
class Import final : public BlockSource {
 public:
  static constexpr size_t kMaxBytes = 10 << 20;  // Of a document.

  // Lists the tree; reads each document in its turn. `now` and `ids` make the blocks' ids. Borrows `tree` and `ids`.
  Import(DocumentTree& tree, absl::Time now, IdSource& ids);

  absl::StatusOr<bool> Next(v1::PortableBlock& block) override;
  std::string Place() const override { return place_; }
  double Fraction() const override;
  std::vector<std::string> Warnings() const override { return warnings_; }

 private:
  struct Entry {
    std::string path;
    std::string title;  // Of a folder; of a document without a title of its own.
    bool is_folder = false;
    std::optional<size_t> parent;  // In entries_.
    int64_t bytes = 0;
    std::string id = {};  // Of the page, once made.
  };

  // Everything in the folder, as children of the entry `parent`.
  void ListFolder(const std::string& path, std::optional<size_t> parent, int depth);
  void AddFolder(const std::string& path, std::string_view name, std::optional<size_t> parent, int depth);
  // Puts the entry's blocks into ready_.
  void Expand(size_t index);
  absl::StatusOr<std::string> ReadDocument(const Entry& entry);

  const absl::Time now_;
  IdSource& ids_;
  DocumentTree& tree_;
  std::vector<Entry> entries_;
  int64_t total_bytes_ = 0;
  int64_t read_bytes_ = 0;
  size_t next_entry_ = 0;
  std::vector<v1::PortableBlock> ready_;
  size_t next_ready_ = 0;
  std::string place_;
  std::vector<std::string> warnings_;
};

// True for names that are read as Markdown: *.md and *.markdown, in any case.
bool IsMarkdownName(std::string_view name);

}  // namespace toolgate::interchange::markdown

#endif  // TOOLGATE_INTERCHANGE_MARKDOWN_IMPORT_H_
