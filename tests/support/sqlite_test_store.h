// A store over SQLite whose backend a test can reach.
#ifndef TOOLGATE_TESTS_SUPPORT_SQLITE_TEST_STORE_H_
#define TOOLGATE_TESTS_SUPPORT_SQLITE_TEST_STORE_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/forwarding_store.h"
#include "storage/sqlite/sqlite_store.h"
#include "tests/support/test_store.h"

namespace toolgate::testing {

class SqliteTestStore final : public storage::ForwardingStore {
 public:
  using Options = storage::sqlite::SqliteStore::Options;

  // As SqliteStore::Create.
  static absl::StatusOr<std::unique_ptr<SqliteTestStore>> Create(const Options& options) {
    auto opened = storage::sqlite::SqliteStore::Create(options);
    if (!opened.ok()) return opened.status();
    storage::sqlite::SqliteStore& backend = **opened;
    TestStoreOptions rules;
    rules.clock = options.clock;
    rules.observer = options.observer;
    rules.fields = options.fields;
    return std::unique_ptr<SqliteTestStore>(new SqliteTestStore(MakeStoreOver(*std::move(opened), rules), backend));
  }

  absl::Status Maintain() { return backend_.Maintain(); }
  absl::Status Tidy() { return backend_.Tidy(); }
  uint64_t commits() const { return backend_.commits(); }

 private:
  SqliteTestStore(std::unique_ptr<storage::Store> store, storage::sqlite::SqliteStore& backend)
      : ForwardingStore(*store), owned_(std::move(store)), backend_(backend) {}

  const std::unique_ptr<storage::Store> owned_;
  storage::sqlite::SqliteStore& backend_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_SQLITE_TEST_STORE_H_
