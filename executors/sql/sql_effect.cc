#include "executors/sql/sql_effect.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "executors/sql/db_query.h"
#include "executors/sql/engine/change.h"
#include "executors/sql/file_pages.h"
#include "executors/sql/statement_memory.h"

namespace toolgate::executors::sql {
namespace {

// A stored file under the pages that an undo has changed so far.
class ChangedFile final : public engine::PageSource {
 public:
  explicit ChangedFile(FilePages stored) : stored_(std::move(stored)) {}

  absl::StatusOr<int64_t> PageCount() override {
    return changed_.has_value() ? absl::StatusOr<int64_t>(changed_->page_count) : stored_.PageCount();
  }
  absl::StatusOr<std::string> ReadPage(int64_t number) override {
    if (!changed_.has_value()) return stored_.ReadPage(number);
    const auto page = changed_->pages.find(number);
    return page == changed_->pages.end() ? stored_.ReadPage(number) : page->second;
  }

  // `next` was changed on what is here.
  void Change(engine::ChangedPages next) {
    if (!changed_.has_value()) {
      changed_ = std::move(next);
      return;
    }
    changed_->page_count = next.page_count;
    changed_->pages.erase(changed_->pages.lower_bound(next.page_count), changed_->pages.end());
    for (auto& [number, page] : next.pages) changed_->pages.insert_or_assign(number, std::move(page));
  }

  const std::string& change_id() const { return stored_.change_id(); }
  // Nothing if it is as stored.
  const std::optional<engine::ChangedPages>& changed() const { return changed_; }

 private:
  FilePages stored_;
  std::optional<engine::ChangedPages> changed_;
};

class SqlReversal final : public EffectReversal {
 public:
  explicit SqlReversal(std::shared_ptr<const engine::Engine> engine) : engine_(std::move(engine)) {}

  absl::Status TakeBack(const storage::Effect& effect, ToolContext& context, storage::ReadView& view) override {
    internal::v1::SqlChange change;
    if (!ParseProto(effect.payload, change).ok()) return absl::DataLossError("an undo entry's SQL change is damaged");
    if (!file_.has_value()) {
      name_ = DatabaseFile(context.caller);
      ASSIGN_OR_RETURN(FilePages stored, FilePages::Open(view, name_));
      file_.emplace(std::move(stored));
    }
    StatementMemory memory(engine_->budget(), context.caller);
    ASSIGN_OR_RETURN(engine::Reversal reversal,
                     engine_->Reverse(*file_, change, context.now, context.cancellation, memory.get()));
    if (!reversal.pages.has_value()) return absl::OkStatus();
    file_->Change(*std::move(reversal.pages));
    ASSIGN_OR_RETURN(std::optional<storage::Effect> redo, ToSqlEffect(reversal.change));
    if (redo.has_value()) redos_.push_back(*std::move(redo));
    return absl::OkStatus();
  }

  absl::Status Write(storage::Transaction& tx) const override {
    if (!file_.has_value()) return absl::OkStatus();
    RETURN_IF_ERROR(CheckUnchanged(tx, name_, file_->change_id()));
    if (!file_->changed().has_value()) return absl::OkStatus();
    RETURN_IF_ERROR(tx.WriteFile(name_, file_->changed()->page_count, file_->changed()->pages));
    for (const storage::Effect& redo : redos_) RETURN_IF_ERROR(tx.RecordEffect(redo));
    return absl::OkStatus();
  }

 private:
  const std::shared_ptr<const engine::Engine> engine_;
  std::string name_;
  std::optional<ChangedFile> file_;  // Reads the snapshot only within TakeBack.
  std::vector<storage::Effect> redos_;
};

}  // namespace

absl::StatusOr<std::optional<storage::Effect>> ToSqlEffect(const std::optional<internal::v1::SqlChange>& change) {
  if (!change.has_value() || engine::IsEmpty(*change)) return std::nullopt;
  ASSIGN_OR_RETURN(std::string bytes, SerializeProto(*change));
  return storage::Effect{std::string(kSqlEffect), std::move(bytes)};
}

Reverser SqlReverser(const std::shared_ptr<const engine::Engine>& engine) {
  return [engine]() -> std::unique_ptr<EffectReversal> { return std::make_unique<SqlReversal>(engine); };
}

}  // namespace toolgate::executors::sql
