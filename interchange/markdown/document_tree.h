// Source of the documents of an import.
#ifndef TOOLGATE_INTERCHANGE_MARKDOWN_DOCUMENT_TREE_H_
#define TOOLGATE_INTERCHANGE_MARKDOWN_DOCUMENT_TREE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace toolgate::interchange::markdown {

// Folders and Markdown documents by name: on a disk, in an archive. Paths are relative, with "/" between names; the
// root is "". Not thread-safe.
class DocumentTree {
 public:
  struct Entry {
    std::string name;  // UTF-8; a document's includes the extension.
    bool is_folder = false;
    int64_t bytes = 0;  // Of a document.
  };
  struct Listing {
    std::vector<Entry> entries;         // In any order.
    std::vector<std::string> warnings;  // Skipped entries with the reason: "notes/a.md: not a regular file".
  };

  virtual ~DocumentTree() = default;

  // The name of the page for the whole tree; nothing if the content of the root needs none.
  virtual std::optional<std::string> Title() const = 0;
  // Contents of a folder.
  virtual Listing List(const std::string& folder) = 0;
  // The text of a document. An error's message is the reason for which it is skipped: "cannot be read".
  virtual absl::StatusOr<std::string> Read(const std::string& document) = 0;
};

}  // namespace toolgate::interchange::markdown

#endif  // TOOLGATE_INTERCHANGE_MARKDOWN_DOCUMENT_TREE_H_
