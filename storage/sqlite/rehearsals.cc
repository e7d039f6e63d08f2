#include "storage/sqlite/rehearsals.h"

#include <cstddef>

#include "common/status_macros.h"
#include "storage/sqlite/shadow_vfs.h"
#include "storage/sqlite/word_completions.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr size_t kMaxIdle = 2;

}  // namespace

absl::Status Rehearsals::Run(const Connection& pin, absl::FunctionRef<absl::Status(Writer&)> body) {
  ASSIGN_OR_RETURN(std::unique_ptr<Writer> writer, Take());
  Connection& connection = writer->connection();
  RETURN_IF_ERROR(ShadowVfs::Refresh(connection.db()));
  RETURN_IF_ERROR(AddVocabulary(connection));
  connection.EndWith(&pin);
  const auto run = [&] { return body(*writer); };
  WriteJob job(run);
  writer->Rehearse(job);
  connection.EndWith(nullptr);
  // One that could not end its transaction is closed.
  if (connection.autocommit()) Return(std::move(writer));
  return job.status;
}

absl::StatusOr<std::unique_ptr<Writer>> Rehearsals::Take() {
  {
    absl::MutexLock lock(&mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Writer> writer = std::move(idle_.back());
      idle_.pop_back();
      return writer;
    }
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection,
                   Connection::Open(path_, {.cache_kib = cache_kib_, .shadow = true}));
  return std::make_unique<Writer>(std::move(connection));
}

void Rehearsals::Return(std::unique_ptr<Writer> writer) {
  absl::MutexLock lock(&mutex_);
  if (idle_.size() < kMaxIdle) idle_.push_back(std::move(writer));
}

}  // namespace toolgate::storage::sqlite
