#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_PAGE_FILE_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_PAGE_FILE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/sql/engine/page_source.h"

namespace toolgate::executors::sql::engine {

// A database file: the pages of a source, overlaid with those that were written since, which stay in memory. Used by
// one thread at a time. Keeps the status of a failing source, because SQLite only reports that there was a failure.
class PageFile {
 public:
  // `source` must outlive it.
  static absl::StatusOr<std::unique_ptr<PageFile>> Open(PageSource& source);

  // Fills `bytes` from `offset` on; false, with missing bytes set to zero, if the file ends earlier.
  absl::StatusOr<bool> Read(int64_t offset, char* bytes, int64_t count);
  // Whole pages only.
  absl::Status Write(int64_t offset, std::string_view bytes);
  void Truncate(int64_t page_count);

  int64_t page_count() const { return page_count_; }
  // Difference from the source. Complete: contains every new page of a file that grew.
  const std::map<int64_t, std::string>& written() const { return written_; }
  bool changed() const { return !written_.empty() || page_count_ != source_count_; }
  // OK, or the first failure of the source.
  const absl::Status& status() const { return status_; }

 private:
  PageFile(PageSource& source, int64_t page_count)
      : source_(source), source_count_(page_count), page_count_(page_count) {}
  // Valid until the next call.
  absl::StatusOr<std::string_view> Page(int64_t number);

  PageSource& source_;
  const int64_t source_count_;
  int64_t page_count_;
  int64_t intact_count_ = 0;  // Pages of the source beyond this were truncated once and are no longer visible.
  std::map<int64_t, std::string> written_;
  std::string read_;  // The page last read from the source.
  absl::Status status_;
};

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_PAGE_FILE_H_
