// Where the documents of an import lie.
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
    std::string name;  // UTF-8; of a document with its ending.
    bool is_folder = false;
    int64_t bytes = 0;  // Of a document.
  };
  struct Listing {
    std::vector<Entry> entries;         // In any order.
    std::vector<std::string> warnings;  // What is passed over and why: "notes/a.md: not a regular file".
  };

  virtual ~DocumentTree() = default;

  // The name of the page that holds everything; nothing when what is in the root needs none.
  virtual std::optional<std::string> Title() const = 0;
  // Contents of a folder.
  virtual Listing List(const std::string& folder) = 0;
  // The text of a document. The message of an error says why it is passed over: "cannot be read".
  virtual absl::StatusOr<std::string> Read(const std::string& document) = 0;
};

}  // namespace toolgate::interchange::markdown

#endif  // TOOLGATE_INTERCHANGE_MARKDOWN_DOCUMENT_TREE_H_
