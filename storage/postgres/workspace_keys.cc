#include "storage/postgres/workspace_keys.h"

#include "common/absl_bridge.h"
#include "common/status_macros.h"

namespace toolgate::storage::postgres {
namespace {

constexpr size_t kMaxKnown = 100'000;

constexpr char kFindKey[] = "SELECT key FROM toolgate.workspace_shards WHERE workspace = $1";
// In the order of their ids, so that two of these never wait for each other.
constexpr char kMakeKeys[] =
    "INSERT INTO toolgate.workspace_shards (workspace) SELECT id FROM unnest($1::bytea[]) AS given(id) ORDER BY id "
    "ON CONFLICT (workspace) DO NOTHING";
constexpr char kFindKeys[] = "SELECT workspace, key FROM toolgate.workspace_shards WHERE workspace = ANY($1::bytea[])";

}  // namespace

int64_t WorkspaceKeys::Known(std::string_view id) const {
  absl::ReaderMutexLock lock(&mutex_);
  const auto known = keys_.find(ToAbsl(id));
  return known == keys_.end() ? 0 : known->second;
}

void WorkspaceKeys::Remember(std::string_view id, int64_t key) {
  absl::MutexLock lock(&mutex_);
  if (keys_.size() >= kMaxKnown) keys_.clear();
  keys_.emplace(id, key);
}

absl::StatusOr<int64_t> WorkspaceKeys::Find(Connection& connection, std::string_view id) {
  if (const int64_t known = Known(id); known != 0) return known;
  ASSIGN_OR_RETURN(const Result found, connection.Query(kFindKey, Params::Of(id)));
  if (found.empty()) return 0;
  Remember(id, found[0].Int(0));
  return found[0].Int(0);
}

absl::StatusOr<std::vector<int64_t>> WorkspaceKeys::Make(Connection& connection,
                                                         const std::vector<std::string_view>& ids) {
  std::vector<int64_t> keys;
  std::vector<std::string_view> unknown;
  for (const std::string_view id : ids) {
    keys.push_back(Known(id));
    if (keys.back() == 0) unknown.push_back(id);
  }
  if (unknown.empty()) return keys;
  // The first of the two is committed with the round trip.
  const Params params = Params::Of(unknown);
  RETURN_IF_ERROR(connection.Send(kMakeKeys, params));
  RETURN_IF_ERROR(connection.Finish());
  ASSIGN_OR_RETURN(const Result found, connection.Query(kFindKeys, params));
  absl::flat_hash_map<std::string, int64_t> made;
  for (int i = 0; i < found.rows(); ++i) {
    made.emplace(found[i].String(0), found[i].Int(1));
    Remember(found[i].Bytes(0), found[i].Int(1));
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    if (keys[i] == 0) keys[i] = made[std::string(ids[i])];
  }
  return keys;
}

}  // namespace toolgate::storage::postgres
