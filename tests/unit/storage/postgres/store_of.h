// Stores over PostgreSQL for tests.
#ifndef TOOLGATE_TESTS_UNIT_STORAGE_POSTGRES_STORE_OF_H_
#define TOOLGATE_TESTS_UNIT_STORAGE_POSTGRES_STORE_OF_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "storage/postgres/postgres_store.h"
#include "storage/store.h"
#include "tests/support/test_store.h"

namespace toolgate::storage::postgres {

inline absl::StatusOr<std::unique_ptr<Store>> StoreOf(const Connection::Options& connection, size_t pool_size = 8) {
  PostgresStore::Options options;
  options.connection = connection;
  options.pool_size = pool_size;
  options.max_batch = 16;
  options.background = false;
  auto backend = PostgresStore::Create(std::move(options));
  if (!backend.ok()) return backend.status();
  return ::toolgate::testing::MakeStoreOver(*std::move(backend), {});
}

inline WriteContext ContextOf(std::string change_id, std::string workspace = "w") {
  return {std::move(workspace), "alice", std::move(change_id), absl::Now()};
}

inline absl::Status Put(Store& store, const std::string& id, const std::string& workspace = "w") {
  return store.Commit(ContextOf("put-" + id, workspace), CommitMode::kDurable, fibers::Cancellation(),
                      [&](Transaction& t) { return t.CreateBlock({.id = id, .type = "text", .data = "0"}).status(); });
}

// Adds one to the number that the block holds.
inline absl::Status Increment(Store& store, const std::string& id, const std::string& change_id,
                              const std::string& workspace = "w", CommitMode mode = CommitMode::kDurable) {
  return store.Commit(ContextOf(change_id, workspace), mode, fibers::Cancellation(),
                      [&](Transaction& t) -> absl::Status {
                        const auto block = t.GetBlock(id);
                        if (!block.ok()) return block.status();
                        return t.UpdateBlock(id, std::to_string(std::stoi(block->data) + 1)).status();
                      });
}

inline int NumberIn(Store& store, const std::string& id, const std::string& workspace = "w") {
  int number = -1;
  EXPECT_TRUE(store
                  .Read(workspace,
                        [&](ReadView& view) {
                          const auto block = view.GetBlock(id);
                          if (block.ok()) number = std::stoi(block->data);
                          return block.status();
                        })
                  .ok());
  return number;
}

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_TESTS_UNIT_STORAGE_POSTGRES_STORE_OF_H_
