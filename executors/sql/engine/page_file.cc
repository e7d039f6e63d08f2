#include "executors/sql/engine/page_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "common/sqlite/sqlite_budget.h"
#include "common/status_macros.h"

namespace toolgate::executors::sql::engine {

absl::StatusOr<std::unique_ptr<PageFile>> PageFile::Open(PageSource& source) {
  const sqlite::SqliteBudget::Pause pause;
  ASSIGN_OR_RETURN(const int64_t count, source.PageCount());
  auto file = absl::WrapUnique(new PageFile(source, count));
  file->intact_count_ = count;
  return file;
}

absl::StatusOr<std::string_view> PageFile::Page(int64_t number) {
  static const auto* const zeros = new std::string(kPageSize, '\0');
  const auto found = written_.find(number);
  if (found != written_.end()) return std::string_view(found->second);
  if (number >= intact_count_) return std::string_view(*zeros);
  // The store may itself be a SQLite database, whose memory must not count for this statement.
  const sqlite::SqliteBudget::Pause pause;
  absl::StatusOr<std::string> page = source_.ReadPage(number);
  if (page.ok() && page->size() != kPageSize) {
    page = absl::DataLossError(absl::StrCat("page ", number, " of a private database has ", page->size(), " bytes"));
  }
  if (!page.ok()) {
    status_.Update(page.status());
    return page.status();
  }
  read_ = *std::move(page);
  return std::string_view(read_);
}

absl::StatusOr<bool> PageFile::Read(int64_t offset, char* bytes, int64_t count) {
  const int64_t end = std::min(offset + count, page_count_ * kPageSize);
  int64_t at = offset;
  while (at < end) {
    const int64_t within = at % kPageSize;
    const int64_t size = std::min(kPageSize - within, end - at);
    ASSIGN_OR_RETURN(const std::string_view page, Page(at / kPageSize));
    std::memcpy(bytes + (at - offset), page.data() + within, size);
    at += size;
  }
  const int64_t missing = offset + count - std::max(at, offset);
  if (missing > 0) std::memset(bytes + (count - missing), 0, missing);
  return missing == 0;
}

absl::Status PageFile::Write(int64_t offset, std::string_view bytes) {
  if (offset % kPageSize != 0 || bytes.size() % kPageSize != 0) {
    return absl::InternalError(absl::StrCat("SQLite wrote ", bytes.size(), " bytes at ", offset, ": no whole pages"));
  }
  for (int64_t number = offset / kPageSize; !bytes.empty(); ++number) {
    // SQLite writes a growing file in any order; holes are filled before it finishes.
    for (; page_count_ < number; ++page_count_) written_[page_count_] = std::string(kPageSize, '\0');
    written_[number] = std::string(bytes.substr(0, kPageSize));
    page_count_ = std::max(page_count_, number + 1);
    bytes.remove_prefix(kPageSize);
  }
  return absl::OkStatus();
}

void PageFile::Truncate(int64_t page_count) {
  if (page_count >= page_count_) return;
  page_count_ = page_count;
  intact_count_ = std::min(intact_count_, page_count);
  written_.erase(written_.lower_bound(page_count), written_.end());
}

}  // namespace toolgate::executors::sql::engine
