// Markdown documents on this machine.
#ifndef TOOLGATE_CLI_DOCUMENT_FOLDER_H_
#define TOOLGATE_CLI_DOCUMENT_FOLDER_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "interchange/markdown/document_tree.h"

namespace toolgate::cli {

// A folder and its content, or a single file. Skipped with a warning: symbolic links that lead out of the folder or to
// a folder, names that are not UTF-8, files that are too large for an import. Skipped silently: hidden files and
// folders, other kinds of file. Not thread-safe.
class DocumentFolder final : public interchange::markdown::DocumentTree {
 public:
  // NOT_FOUND if there is nothing at `path`. A file is read as Markdown, whatever its name.
  static absl::StatusOr<std::unique_ptr<DocumentFolder>> Open(const std::string& path);

  std::optional<std::string> Title() const override;
  Listing List(const std::string& folder) override;
  absl::StatusOr<std::string> Read(const std::string& document) override;

 private:
  DocumentFolder(std::string root, std::optional<std::string> only) : root_(std::move(root)), only_(std::move(only)) {}

  std::string PathOf(const std::string& name) const;
  // Adds `name`, a relative path, to the listing: as an entry, a warning or not at all.
  void Look(const std::string& name, Listing& listing) const;
  // Reason for which the symbolic link `name` is skipped; "" if it is followed.
  std::string WhyNotFollowed(const std::string& name, bool to_folder) const;

  const std::string root_;                 // Canonical.
  const std::optional<std::string> only_;  // The only file to import.
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_DOCUMENT_FOLDER_H_
