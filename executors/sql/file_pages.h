#ifndef TOOLGATE_EXECUTORS_SQL_FILE_PAGES_H_
#define TOOLGATE_EXECUTORS_SQL_FILE_PAGES_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/caller.h"
#include "executors/sql/engine/page_source.h"
#include "storage/store.h"

namespace toolgate::executors::sql {

// Name under which the store keeps a caller's private database; every user of every workspace has one.
std::string DatabaseFile(const Caller& caller);

// A file of the store as one view sees it. A missing file has no pages.
class FilePages final : public engine::PageSource {
 public:
  // `view` must outlive it.
  static absl::StatusOr<FilePages> Open(storage::ReadView& view, std::string name);

  absl::StatusOr<int64_t> PageCount() override { return head_.page_count; }
  absl::StatusOr<std::string> ReadPage(int64_t number) override { return view_->ReadFilePage(name_, number); }

  // The last change that wrote the file; empty for a missing file.
  const std::string& change_id() const { return head_.change_id; }

 private:
  FilePages(storage::ReadView& view, std::string name, storage::FileHead head)
      : view_(&view), name_(std::move(name)), head_(std::move(head)) {}

  storage::ReadView* view_;
  std::string name_;
  storage::FileHead head_;
};

// ABORTED without a ToolError unless `planned_on` is still the last change that wrote the file: what was worked out
// from it is out of date.
absl::Status CheckUnchanged(storage::ReadView& view, std::string_view name, std::string_view planned_on);

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_FILE_PAGES_H_
