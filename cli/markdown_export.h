// A workspace as a folder of Markdown that markdown_import.h reads back.
#ifndef TOOLGATE_CLI_MARKDOWN_EXPORT_H_
#define TOOLGATE_CLI_MARKDOWN_EXPORT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "interchange/markdown/file_name.h"
#include "interchange/markdown/writer.h"
#include "toolgate/v1/data_service.pb.h"

namespace toolgate::cli {

// Each document becomes a file, named by its title; the documents below it lie in a folder of the same name beside it.
// Everything at the root that is no document stands in one more file, "Loose blocks.md". Keeps in memory what belongs
// to the documents that are open, and writes each when the last block below it was seen. Files are for the owner alone,
// each is whole or not there; nothing is written outside of the folder, links in it are not followed. Not thread-safe.
class MarkdownExport {
 public:
  // ALREADY_EXISTS when there is anything in `folder`, unless `force`: then files of the same name are replaced, and
  // others stay.
  static absl::StatusOr<std::unique_ptr<MarkdownExport>> Create(const std::string& folder, bool force);
  ~MarkdownExport();

  // The next block: depth first, parents before children. An error names the file that could not be written, or the
  // block that could not be understood; what was written before stays.
  absl::Status Add(const v1::PortableBlock& block);
  // Writes what is still open.
  absl::Status Finish();

  int64_t files() const { return files_; }
  // Relative to the folder; empty when none was written.
  const std::string& latest_file() const { return latest_file_; }
  // What was written but cannot be read back.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Folder;
  struct Document;
  // A block whose children may follow.
  struct Open;

  MarkdownExport(std::string path, bool force);

  // The folder for the documents below `document`.
  Folder& FolderBelow(Document& document);
  std::unique_ptr<Document> Start(Folder& folder, std::string_view type, const Json& data);
  // Where blocks that are in no document go.
  Document& Loose();
  absl::Status Close();
  absl::Status Write(Document& document);
  absl::Status Make(Folder& folder);

  const std::string path_;
  const bool force_;
  std::unique_ptr<Folder> root_;
  std::unique_ptr<Document> loose_;
  std::vector<Open> open_;
  int64_t files_ = 0;
  std::string latest_file_;
  std::vector<std::string> warnings_;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_MARKDOWN_EXPORT_H_
