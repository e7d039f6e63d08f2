#include "executors/directory/stored_change.h"

namespace toolgate::executors::directory {
namespace {

StoredState ToStored(const FileState& state) {
  StoredState stored;
  stored.set_kind(static_cast<int>(state.kind));
  stored.set_mode(state.mode);
  stored.set_size(state.size);
  stored.set_sha256(state.sha256);
  stored.set_target(state.target);
  return stored;
}

FileState FromStored(const StoredState& stored) {
  return {static_cast<FileKind>(stored.kind()), stored.mode(), stored.size(), stored.sha256(), stored.target()};
}

}  // namespace

PathChange ToProto(const Change& change) {
  PathChange row;
  row.set_path(change.path);
  *row.mutable_before() = ToStored(change.before);
  *row.mutable_after() = ToStored(change.after);
  return row;
}

Change FromProto(const PathChange& row) { return {row.path(), FromStored(row.before()), FromStored(row.after())}; }

}  // namespace toolgate::executors::directory
