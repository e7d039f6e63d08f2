// The PostgreSQL backend for the contract suite.
#ifndef TOOLGATE_TESTS_CONTRACT_STORAGE_POSTGRES_BACKEND_H_
#define TOOLGATE_TESTS_CONTRACT_STORAGE_POSTGRES_BACKEND_H_

#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "storage/declared_fields.h"
#include "storage/postgres/postgres_store.h"
#include "tests/contract/storage/store_factory.h"
#include "tests/support/pgbouncer.h"
#include "tests/support/postgres_server.h"
#include "tests/support/test_store.h"

namespace toolgate::storage::testing {

// One database for all tests of the program, emptied for each: making its tables takes longer than most tests.
class PostgresFactory : public StoreFactory {
 public:
  PostgresFactory() { Empty(); }

  std::unique_ptr<Store> Open(const Clock& clock, int64_t max_undo_bytes) override {
    using Kind = DeclaredField::Kind;
    ::toolgate::testing::TestStoreOptions rules;
    rules.clock = &clock;
    rules.max_undo_bytes = max_undo_bytes;
    rules.fields = DeclaredFields({{"text", "text", {{Kind::kValue, {"f"}, nullptr}, {Kind::kLabels, {"f"}, nullptr}}}},
                                  /*revision=*/1);
    postgres::PostgresStore::Options options;
    options.connection = ConnectionOptions();
    options.pool_size = 16;
    options.max_batch = 32;
    options.clock = &clock;
    options.fields = rules.fields;
    auto backend = postgres::PostgresStore::Create(std::move(options)).value();
    // Completes the index over declared fields, so that queries use it.
    EXPECT_TRUE(backend->Maintain().ok());
    return ::toolgate::testing::MakeStoreOver(std::move(backend), rules);
  }

 protected:
  static ::toolgate::testing::PostgresServer& server() { return ::toolgate::testing::PostgresServer::Shared(); }
  virtual postgres::Connection::Options ConnectionOptions() { return server().ConnectionTo(kDatabase); }

 private:
  static constexpr char kDatabase[] = "contract";

  static void Empty() {
    server().Database(kDatabase);
    const auto emptied = server().Run(kDatabase, R"sql(
      DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'toolgate' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
              AND c.relname NOT IN ('schema_version', 'field_state') LOOP
          EXECUTE 'DELETE FROM ' || name;
        END LOOP;
      END $$)sql");
    EXPECT_TRUE(emptied.ok()) << emptied.status();
  }
};

// The same behind a pooler in transaction mode.
class PooledPostgresFactory final : public PostgresFactory {
 protected:
  postgres::Connection::Options ConnectionOptions() override {
    static const ::toolgate::testing::PgBouncer pooler(server().folder());
    postgres::Connection::Options options = PostgresFactory::ConnectionOptions();
    options.prepares = false;
    for (auto& [keyword, value] : options.parameters) {
      if (keyword == "host") value = pooler.folder();
    }
    return options;
  }
};

inline Backend PooledPostgresBackend() {
  return {"PgBouncer", [] { return std::unique_ptr<StoreFactory>(std::make_unique<PooledPostgresFactory>()); }};
}

inline Backend PostgresBackend() {
  return {"Postgres", [] { return std::unique_ptr<StoreFactory>(std::make_unique<PostgresFactory>()); }};
}

}  // namespace toolgate::storage::testing

#endif  // TOOLGATE_TESTS_CONTRACT_STORAGE_POSTGRES_BACKEND_H_
