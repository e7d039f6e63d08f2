// Exports a workspace as Markdown documents that import.h reads back.
#ifndef TOOLGATE_INTERCHANGE_MARKDOWN_EXPORT_H_
#define TOOLGATE_INTERCHANGE_MARKDOWN_EXPORT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/json.h"
#include "toolgate/v1/data_service.pb.h"

namespace toolgate::interchange::markdown {

// Each document becomes a file, named by its title; the documents below it are placed in a folder of the same name next
// to it. Everything at the root that is not a document goes into one more file, "Loose blocks.md". Keeps the content of
// open documents in memory, and passes each to the sink after the last block below it. Not thread-safe.
class Export {
 public:
  // Takes one file: its path, with "/" between names and never out of the root, and its text.
  using Sink = std::function<absl::Status(const std::string& path, std::string_view text)>;

  explicit Export(Sink sink);
  ~Export();

  // The next block: depth first, parents before children. An error is the sink's, or DATA_LOSS, which names the block
  // that could not be understood; files that the sink already has stay.
  absl::Status Add(const v1::PortableBlock& block);
  // Passes the documents that are still open to the sink.
  absl::Status Finish();

  // Files that the sink accepted.
  int64_t files() const { return files_; }
  // Empty if there was none.
  const std::string& latest_file() const { return latest_file_; }
  // Content that was written but cannot be read back.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Folder;
  struct Document;
  // A block whose children may follow.
  struct Open;

  // The folder for the documents below `document`.
  Folder& FolderBelow(Document& document);
  std::unique_ptr<Document> Start(Folder& folder, std::string_view type, const Json& data);
  // The document for blocks that are in no document.
  Document& Loose();
  absl::Status Close();
  absl::Status Write(Document& document);

  const Sink sink_;
  std::unique_ptr<Folder> root_;
  std::unique_ptr<Document> loose_;
  std::vector<Open> open_;
  int64_t files_ = 0;
  std::string latest_file_;
  std::vector<std::string> warnings_;
};

}  // namespace toolgate::interchange::markdown

#endif  // TOOLGATE_INTERCHANGE_MARKDOWN_EXPORT_H_
