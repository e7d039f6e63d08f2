// A Markdown file, or a folder of them, as blocks.
#ifndef TOOLGATE_CLI_MARKDOWN_IMPORT_H_
#define TOOLGATE_CLI_MARKDOWN_IMPORT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "interchange/block_source.h"

namespace toolgate::cli {

// The folder becomes a page, each folder in it with any Markdown below too, and each file *.md or *.markdown a page
// with its content; siblings are in the order of their names' bytes. A folder X beside X.md is that document's own:
// what is in it comes below the document's page. Passed over with a warning: symbolic links that lead out of the folder
// or to a folder, files that are not UTF-8 or larger than kMaxFileBytes, what cannot be read. Passed over silently:
// hidden files and folders, other kinds of file.
class MarkdownImport final : public interchange::BlockSource {
 public:
  static constexpr size_t kMaxFileBytes = 10 << 20;

  // Lists the files; reads each when its turn comes. `now` and `ids` make the blocks' ids; `ids` is borrowed. NOT_FOUND
  // when there is no such file or folder.
  static absl::StatusOr<std::unique_ptr<MarkdownImport>> Open(const std::string& path, absl::Time now, IdSource& ids);

  absl::StatusOr<bool> Next(v1::PortableBlock& block) override;
  std::string Place() const override { return place_; }
  double Fraction() const override;

  std::vector<std::string> Warnings() const override { return warnings_; }

 private:
  struct Entry {
    std::string path;   // To open it.
    std::string shown;  // Relative to the folder, for people.
    std::string title;  // Of a folder; of a file when nothing in it says better.
    bool folder = false;
    size_t parent = 0;  // In entries_; its own index at the root.
    int64_t bytes = 0;
    std::string id = {};  // Of the page, once made.
  };
  // A name that was met.
  struct Listed {
    std::string path;
    std::string shown;
  };
  enum class Kind { kNone, kFolder, kMarkdown };

  MarkdownImport(absl::Time now, IdSource& ids) : now_(now), ids_(ids) {}

  // Everything in the folder, as children of the entry `parent`.
  void ListFolder(const std::string& path, const std::string& shown, size_t parent, int depth);
  // Warns of what cannot be taken.
  Kind KindOf(const Listed& one);
  void AddFolder(const Listed& one, size_t parent, int depth);
  void AddFile(const std::string& path, const std::string& shown, size_t parent);
  // Puts the entry's blocks into ready_.
  void Expand(size_t index);
  absl::StatusOr<std::string> ReadDocument(const Entry& entry);
  void Warn(const std::string& shown, const std::string& why);

  const absl::Time now_;
  IdSource& ids_;
  std::string root_;  // Canonical.
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
bool IsMarkdownName(const std::string& path);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_MARKDOWN_IMPORT_H_
