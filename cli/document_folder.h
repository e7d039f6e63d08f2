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

// A folder and what is in it, or a single file. Passed over with a warning: symbolic links that lead out of the folder
// or to a folder, names that are not UTF-8, files that are larger than what an import takes. Passed over silently:
// hidden files and folders, other kinds of file. Not thread-safe.
class DocumentFolder final : public interchange::markdown::DocumentTree {
 public:
  // NOT_FOUND when there is nothing at `path`. A file is read as Markdown, whatever its name.
  static absl::StatusOr<std::unique_ptr<DocumentFolder>> Open(const std::string& path);

  std::optional<std::string> Title() const override;
  Listing List(const std::string& folder) override;
  absl::StatusOr<std::string> Read(const std::string& document) override;

 private:
  DocumentFolder(std::string root, std::optional<std::string> only) : root_(std::move(root)), only_(std::move(only)) {}

  std::string PathOf(const std::string& name) const;
  // Adds what `name`, a relative path, is to the listing: an entry, a warning or nothing.
  void Look(const std::string& name, Listing& listing) const;
  // Why the symbolic link `name` is passed over; "" for one that is followed.
  std::string WhyNotFollowed(const std::string& name, bool to_folder) const;

  const std::string root_;                 // Canonical.
  const std::optional<std::string> only_;  // The one file of it.
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_DOCUMENT_FOLDER_H_
