// Every backend that the contract suite runs on.
#ifndef TOOLGATE_TESTS_CONTRACT_STORAGE_ALL_BACKENDS_H_
#define TOOLGATE_TESTS_CONTRACT_STORAGE_ALL_BACKENDS_H_

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/contract/storage/postgres_backend.h"
#include "tests/contract/storage/sqlite_backend.h"
#include "tests/contract/storage/store_factory.h"

namespace toolgate::storage::testing {

inline auto AllBackends() {
  std::vector<Backend> backends = {SqliteBackend(), PostgresBackend()};
  if (::toolgate::testing::PgBouncer::IsWanted()) backends.push_back(PooledPostgresBackend());
  return ::testing::ValuesIn(backends);
}
inline std::string BackendName(const ::testing::TestParamInfo<Backend>& info) { return info.param.name; }

}  // namespace toolgate::storage::testing

#endif  // TOOLGATE_TESTS_CONTRACT_STORAGE_ALL_BACKENDS_H_
