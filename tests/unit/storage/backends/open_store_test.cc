#include "storage/backends/open_store.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "common/fibers/cancellation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/fault.h"
#include "storage/store.h"
#include "tests/support/postgres_server.h"
#include "tests/support/temp_dir.h"

namespace toolgate::storage::backends {
namespace {

using ::testing::HasSubstr;

class OpenStoreTest : public ::testing::Test {
 protected:
  OpenStoreTest() {
    config_.set_data_dir(dir_.path() + "/data");
    config_.mutable_sqlite()->set_max_batch(8);
    config_.mutable_sqlite()->set_readers(2);
    config_.mutable_sqlite()->set_cache_kib(512);
    config_.mutable_sqlite()->set_log_limit_mib(64);
  }

  absl::Status Create(Store& store) {
    return store.Commit({"w", "ann", "change", absl::Now()}, CommitMode::kDurable, fibers::Cancellation(),
                        [](Transaction& tx) { return tx.CreateBlock({.id = "a", .type = "page"}).status(); });
  }

  testing::TempDir dir_;
  config::v1::Storage config_;
};

TEST_F(OpenStoreTest, WhatWasCommittedIsThereWhenItIsOpenedAgain) {
  {
    const auto store = OpenStore(config_, {});
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_FALSE((*store)->IsShared());
    ASSERT_TRUE(Create(**store).ok());
  }
  const auto store = OpenStore(config_, {});
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_TRUE((*store)->Read("w", [](ReadView& view) { return view.GetBlock("a").status(); }).ok());
}

TEST_F(OpenStoreTest, ADirectoryInUseIsNamed) {
  const auto first = OpenStore(config_, {});
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = OpenStore(config_, {});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(config_.data_dir()));
}

TEST_F(OpenStoreTest, ACallersMistakeIsNoFaultOfTheStore) {
  const auto store = OpenStore(config_, {});
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE(Create(**store).ok());
  const absl::Status twice = Create(**store);
  EXPECT_FALSE(twice.ok());
  EXPECT_FALSE(IsFault(twice));
}

TEST_F(OpenStoreTest, AHostChoosesPostgres) {
  config::v1::Postgres& postgres = *config_.mutable_postgres();
  postgres.set_host(testing::PostgresServer::Shared().folder());
  postgres.set_port(5432);
  postgres.set_user("toolgate");
  postgres.set_database("opened");
  postgres.mutable_tls()->set_mode("verify-full");  // Has no say about a Unix socket.
  postgres.set_pool_size(4);
  postgres.set_max_batch(8);
  for (auto* duration :
       {postgres.mutable_connect_timeout(), postgres.mutable_statement_timeout(), postgres.mutable_lock_timeout()}) {
    duration->set_seconds(5);
  }
  const absl::Status missing = OpenStore(config_, {}).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("create it with createdb"));
  testing::PostgresServer::Shared().Database("opened");
  for (const bool has_pooler : {false, true}) {
    postgres.set_transaction_pooler(has_pooler);
    const auto store = OpenStore(config_, {});
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_TRUE((*store)->IsShared());
    if (!has_pooler) {
      EXPECT_TRUE(Create(**store).ok());
    }
    EXPECT_TRUE((*store)->Read("w", [](ReadView& view) { return view.GetBlock("a").status(); }).ok());
  }
}

}  // namespace
}  // namespace toolgate::storage::backends
