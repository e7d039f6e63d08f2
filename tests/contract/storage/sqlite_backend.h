// The SQLite backend for the contract suite.
#ifndef TOOLGATE_TESTS_CONTRACT_STORAGE_SQLITE_BACKEND_H_
#define TOOLGATE_TESTS_CONTRACT_STORAGE_SQLITE_BACKEND_H_

#include <memory>
#include <string>

#include "storage/declared_fields.h"
#include "tests/contract/storage/store_factory.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"

namespace toolgate::storage::testing {

class SqliteFactory final : public StoreFactory {
 public:
  std::unique_ptr<Store> Open(const Clock& clock, int64_t max_undo_bytes) override {
    ::toolgate::testing::TestStoreOptions options;
    options.data_dir = dir_.path() + "/data";
    options.clock = &clock;
    options.max_undo_bytes = max_undo_bytes;
    using Kind = DeclaredField::Kind;
    options.fields =
        DeclaredFields({{"text", "text", {{Kind::kValue, {"f"}, nullptr}, {Kind::kLabels, {"f"}, nullptr}}}},
                       /*revision=*/1);
    return ::toolgate::testing::MakeTestStore(options);
  }

 private:
  ::toolgate::testing::TempDir dir_;
};

inline Backend SqliteBackend() {
  return {"Sqlite", [] { return std::unique_ptr<StoreFactory>(std::make_unique<SqliteFactory>()); }};
}

}  // namespace toolgate::storage::testing

#endif  // TOOLGATE_TESTS_CONTRACT_STORAGE_SQLITE_BACKEND_H_
