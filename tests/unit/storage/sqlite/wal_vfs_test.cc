// Frames are gathered, and the only visible difference is the number of writes: not for other connections, not in the
// file, not in the files after a crash.
#include "storage/sqlite/wal_vfs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "storage/sqlite/connection.h"
#include "tests/support/faulty_vfs.h"
#include "tests/support/spy_vfs.h"
#include "tests/support/temp_dir.h"

namespace toolgate::storage::sqlite {
namespace {

using ::toolgate::testing::FaultyVfs;
using ::toolgate::testing::SpyVfs;
using ::toolgate::testing::TempDir;
using Kind = SpyVfs::Operation::Kind;

constexpr int kRows = 30;
constexpr int kFrameHeader = 24;
constexpr int kLogHeader = 32;

struct Setting {
  std::string name = {};
  std::string synchronous = "FULL";
  int page_size = 4096;
  int cache_kib = 2048;  // A small one makes SQLite write in the middle of a transaction.
  bool powersafe_overwrite = true;
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

std::string FileBytes(const std::string& path) {
  if (!std::filesystem::exists(path)) return "";
  std::string bytes(std::filesystem::file_size(path), '\0');
  std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

// The files as after killing the process now; the shared memory is recreated.
void CopyFiles(const std::string& from, const std::string& to) {
  std::filesystem::remove_all(to);
  std::filesystem::create_directories(to);
  for (const char* name : {"/test.db", "/test.db-wal"}) {
    if (std::filesystem::exists(from + name)) std::filesystem::copy_file(from + name, to + name);
  }
}

// A database in a folder, whose rows all carry the number of the last transaction.
class Database {
 public:
  struct Options {
    bool gather = true;
    std::string vfs = {};
    Setting setting = {};
  };

  Database(const std::string& folder, const Options& options) {
    std::filesystem::create_directories(folder);
    auto connection = Connection::Open(
        folder + "/test.db",
        {.create = true, .cache_kib = options.setting.cache_kib, .gather_log = options.gather, .vfs = options.vfs});
    if (!connection.ok()) {
      status_ = connection.status();
      return;
    }
    connection_ = *std::move(connection);
    status_ = Run(absl::StrCat("PRAGMA page_size = ", options.setting.page_size,
                               "; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = ",
                               options.setting.synchronous));
    sqlite3_wal_hook(connection_->db(), RememberFrames, &frames_);
  }

  const absl::Status& status() const { return status_; }
  Connection& connection() { return *connection_; }
  // In the log after the last commit.
  int frames() const { return frames_; }

  absl::Status Run(const std::string& sql) { return connection_->Execute(sql.c_str()); }
  void MustRun(const std::string& sql) {
    const absl::Status status = Run(sql);
    EXPECT_TRUE(status.ok()) << status;
  }

  void Fill(int bytes_each) {
    MustRun(
        absl::StrCat("BEGIN; CREATE TABLE rows (id INTEGER PRIMARY KEY, number INTEGER CHECK (number < 1000), padding "
                     "BLOB); WITH RECURSIVE n(i) AS "
                     "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ",
                     kRows, ") INSERT INTO rows SELECT i, 0, zeroblob(", bytes_each, ") FROM n; COMMIT"));
  }
  // Touches every row, hence many pages.
  absl::Status SetAll(int64_t number) {
    return Run(absl::StrCat("BEGIN IMMEDIATE; UPDATE rows SET number = ", number, "; COMMIT"));
  }
  // The number that all rows carry. Rows that differ fail the test, as does any damage.
  int64_t Number() {
    EXPECT_EQ(Text("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(Int("SELECT count(*) FROM rows"), kRows);
    EXPECT_EQ(Int("SELECT min(number) FROM rows"), Int("SELECT max(number) FROM rows")) << "half of a transaction";
    return Int("SELECT max(number) FROM rows");
  }

  int64_t Int(const std::string& sql) {
    Cursor cursor = connection_->UseText(sql);
    const absl::StatusOr<bool> row = cursor.Step();
    EXPECT_TRUE(row.ok()) << row.status();
    return row.ok() && *row ? cursor.Int(0) : -1;
  }
  std::string Text(const std::string& sql) {
    Cursor cursor = connection_->UseText(sql);
    const absl::StatusOr<bool> row = cursor.Step();
    EXPECT_TRUE(row.ok()) << row.status();
    return row.ok() && *row ? std::string(cursor.Text(0)) : "";
  }

 private:
  static int RememberFrames(void* frames, sqlite3*, const char*, int count) {
    *static_cast<int*>(frames) = count;
    return SQLITE_OK;
  }

  std::unique_ptr<Connection> connection_;
  absl::Status status_;
  int frames_ = 0;
};

// For looking on, without a WalVfs.
const Database::Options kOnlooker{.gather = false, .setting = {.synchronous = "OFF"}};

// The number in files that another process left.
int64_t NumberIn(const std::string& folder) {
  Database found(folder, kOnlooker);
  EXPECT_TRUE(found.status().ok()) << found.status();
  return found.status().ok() ? found.Number() : -1;
}

// ---- How many writes ------------------------------------------------------------------------------------------------

class WalVfsTest : public ::testing::Test {
 protected:
  // Number of writes to the log during `step`.
  int LogWritesOf(const std::function<void()>& step) {
    int writes = 0;
    spy_.set_before([&](const SpyVfs::Operation& operation) {
      writes += operation.is_log && operation.kind == Kind::kWrite ? 1 : 0;
    });
    step();
    spy_.set_before(nullptr);
    return writes;
  }

  TempDir dir_;
  SpyVfs spy_;
};

TEST_F(WalVfsTest, WritesATransactionOfDozensOfWritesWithTwo) {
  int writes[2];
  for (const bool gather : {false, true}) {
    Database database(dir_.path() + (gather ? "/gathered" : "/bare"), {.gather = gather, .vfs = spy_.name()});
    database.Fill(2500);
    const int before = database.frames();
    writes[gather ? 1 : 0] = LogWritesOf([&] { EXPECT_TRUE(database.SetAll(1).ok()); });
    EXPECT_GE(database.frames() - before, kRows);  // Each row has a page of its own.
    if (!gather) {
      EXPECT_EQ(writes[0], 2 * (database.frames() - before));
    }
  }
  EXPECT_EQ(writes[1], 2);
}

TEST_F(WalVfsTest, WritesASmallTransactionWithOne) {
  Database database(dir_.path(), {.vfs = spy_.name()});
  database.Fill(100);
  EXPECT_EQ(LogWritesOf([&] { database.MustRun("UPDATE rows SET number = 1 WHERE id = 1"); }), 1);
  EXPECT_EQ(LogWritesOf([&] { database.MustRun("UPDATE rows SET number = 2 WHERE id = 1"); }), 1);
}

TEST_F(WalVfsTest, NeverWritesMoreAtOnceThanAVfsIsUsedTo) {
  Database database(dir_.path(), {.vfs = spy_.name()});
  int64_t largest = 0;
  spy_.set_before([&](const SpyVfs::Operation& operation) { largest = std::max(largest, operation.bytes); });
  database.Fill(100'000);
  spy_.set_before(nullptr);
  EXPECT_GT(largest, 32 * 1024);
  EXPECT_LE(largest, 64 * 1024);
}

TEST_F(WalVfsTest, WritesNothingOfATransactionThatIsTakenBackWhileItFits) {
  Database database(dir_.path(), {.vfs = spy_.name(), .setting = {.cache_kib = 4}});
  database.Fill(2500);
  EXPECT_EQ(LogWritesOf([&] { database.MustRun("BEGIN; UPDATE rows SET number = 1 WHERE id < 10; ROLLBACK"); }), 0);
  EXPECT_EQ(database.Number(), 0);
}

TEST_F(WalVfsTest, PassesOnWhatAConnectionWithoutTheWriteLockWrites) {
  Database database(dir_.path(), {.vfs = spy_.name()});
  database.Fill(2500);
  const int before = database.frames();
  database.MustRun("PRAGMA locking_mode = EXCLUSIVE");
  EXPECT_TRUE(database.SetAll(1).ok());  // Takes the database's lock, after which those of the log are not used.
  const int between = database.frames();
  const int writes = LogWritesOf([&] { EXPECT_TRUE(database.SetAll(2).ok()); });
  EXPECT_EQ(writes, 2 * (database.frames() - between));
  EXPECT_GT(between, before);
  database.MustRun("PRAGMA locking_mode = NORMAL");
  EXPECT_EQ(database.Number(), 2);
  EXPECT_EQ(NumberIn(dir_.path()), 2);
}

TEST_F(WalVfsTest, RefusesABaseThatIsNotThere) {
  const auto vfs = WalVfs::Create("no such thing");
  EXPECT_EQ(vfs.status().code(), absl::StatusCode::kInternal) << vfs.status();
}

// ---- Other connections ----------------------------------------------------------------------------------------------

// Two databases with the same operations, one with a WalVfs; each has an observer.
class WalVfsSettingTest : public ::testing::TestWithParam<Setting> {
 protected:
  WalVfsSettingTest() { spy_.set_powersafe_overwrite(GetParam().powersafe_overwrite); }

  Database::Options Options(bool gather) { return {.gather = gather, .vfs = spy_.name(), .setting = GetParam()}; }

  TempDir dir_;
  SpyVfs spy_;
};

// A long series of operations on one database: transactions small and large, committed and rolled back as a whole or in
// parts, with reads of their own writes, and checkpoints after which the log restarts. `committed` is called after each
// commit.
void Live(Database& database, int steps, const std::function<void(int step)>& committed) {
  std::minstd_rand random(7);
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  const auto change = [&] {
    const int bytes = 1 + below(3000);
    database.MustRun(below(3) == 0
                         ? absl::StrCat("DELETE FROM rows WHERE id > ", kRows, " AND id % 3 = ", below(3))
                         : absl::StrCat("UPDATE rows SET padding = zeroblob(", bytes, ") WHERE id % 4 = ", below(4)));
    database.MustRun(absl::StrCat("INSERT INTO rows (number, padding) VALUES (1, zeroblob(", bytes, "))"));
    EXPECT_GT(database.Int("SELECT sum(length(padding)) FROM rows"), 0);
  };
  for (int step = 0; step < steps; ++step) {
    database.MustRun("BEGIN IMMEDIATE");
    for (int i = below(4); i >= 0; --i) change();
    if (below(3) == 0) {
      database.MustRun("SAVEPOINT part");
      change();
      database.MustRun(below(2) == 0 ? "ROLLBACK TO part; RELEASE part" : "RELEASE part");
      change();
    }
    if (below(5) == 0) {
      database.MustRun("ROLLBACK");
      continue;
    }
    database.MustRun("COMMIT");
    committed(step);
    if (below(12) == 0) database.MustRun(below(2) == 0 ? "PRAGMA wal_checkpoint" : "PRAGMA wal_checkpoint(TRUNCATE)");
    if (::testing::Test::HasFailure()) return;
  }
}

TEST_P(WalVfsSettingTest, LeavesTheLogAsItIsWithoutIt) {
  constexpr int kSteps = 150;
  std::vector<std::string> logs;
  for (const bool gather : {false, true}) {
    const std::string folder = dir_.path() + (gather ? "/gathered" : "/bare");
    // The log's salts come from here.
    sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 42, nullptr);
    Database database(folder, Options(gather));
    database.Fill(1000);
    size_t next = 0;
    Live(database, kSteps, [&](int step) {
      const size_t counted = kLogHeader + static_cast<size_t>(database.frames()) *
                                              static_cast<size_t>(kFrameHeader + GetParam().page_size);
      std::string log = FileBytes(folder + "/test.db-wal");
      ASSERT_GE(log.size(), counted);
      log.resize(counted);
      if (!gather) return logs.push_back(std::move(log));
      ASSERT_LT(next, logs.size());
      ASSERT_TRUE(log == logs[next++]) << "differs after step " << step;
    });
    if (gather) {
      EXPECT_EQ(next, logs.size());
    }
    database.MustRun("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 0, nullptr);
  EXPECT_GT(logs.size(), kSteps / 2u);
  EXPECT_TRUE(FileBytes(dir_.path() + "/bare/test.db") == FileBytes(dir_.path() + "/gathered/test.db"));
}

TEST_P(WalVfsSettingTest, EveryCommitIsThereForOthersAtOnce) {
  Database database(dir_.path(), Options(true));
  database.Fill(1000);
  Database other(dir_.path(), kOnlooker);
  const std::string digest =
      "SELECT group_concat(id || ':' || number || ':' || length(padding)) FROM (SELECT * FROM rows ORDER BY id)";
  Live(database, 100, [&](int) {
    EXPECT_EQ(other.Text(digest), database.Text(digest));
    EXPECT_EQ(other.Text("PRAGMA integrity_check"), "ok");
  });
}

TEST_P(WalVfsSettingTest, OthersSeeNothingOfATransactionThatIsNotCommitted) {
  Database database(dir_.path(), Options(true));
  database.Fill(2500);
  Database other(dir_.path(), kOnlooker);
  for (const char* end : {"ROLLBACK", "COMMIT"}) {
    database.MustRun("BEGIN IMMEDIATE");
    for (int id = 1; id <= kRows; ++id) {
      database.MustRun(absl::StrCat("UPDATE rows SET number = 1 WHERE id = ", id));
      EXPECT_EQ(other.Number(), 0);
    }
    EXPECT_EQ(database.Int("SELECT sum(number) FROM rows"), kRows);
    database.MustRun(end);
  }
  EXPECT_EQ(other.Number(), 1);
}

// Rolled-back writes of one connection must not overwrite those of another one in the same place.
TEST_P(WalVfsSettingTest, TakingBackLeavesNothingToOverwriteAnotherWriter) {
  Database database(dir_.path(), Options(true));
  database.Fill(2500);
  Database other(dir_.path(), Options(false));
  int64_t number = 0;
  for (int rows = 1; rows <= kRows; ++rows) {
    database.MustRun(absl::StrCat("BEGIN; UPDATE rows SET number = -1 WHERE id <= ", rows, "; ROLLBACK"));
    EXPECT_TRUE(other.SetAll(++number).ok());
    EXPECT_EQ(database.Number(), number);
    EXPECT_TRUE(database.SetAll(++number).ok());
    EXPECT_EQ(other.Number(), number);
  }
  EXPECT_EQ(NumberIn(dir_.path()), number);
}

// ---- Crashes --------------------------------------------------------------------------------------------------------

TEST_P(WalVfsSettingTest, AKillAtAnyMomentLeavesWholeTransactions) {
  Database database(dir_.path() + "/data", Options(true));
  database.Fill(2500);
  int64_t acknowledged = 0;
  int moments = 0;
  spy_.set_before([&](const SpyVfs::Operation&) {
    CopyFiles(dir_.path() + "/data", dir_.path() + "/killed");
    const int64_t found = NumberIn(dir_.path() + "/killed");
    // The current one may be complete already, but is not acknowledged.
    EXPECT_TRUE(found == acknowledged || found == acknowledged + 1) << found << " after " << acknowledged;
    ++moments;
  });
  while (acknowledged < 8) {
    ASSERT_TRUE(database.SetAll(acknowledged + 1).ok());
    ++acknowledged;
    CopyFiles(dir_.path() + "/data", dir_.path() + "/killed");
    EXPECT_EQ(NumberIn(dir_.path() + "/killed"), acknowledged);
    if (acknowledged == 3) database.MustRun("PRAGMA wal_checkpoint");  // The next one restarts the log.
    if (acknowledged == 6) database.MustRun("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  spy_.set_before(nullptr);
  EXPECT_GT(moments, 8);
}

class WalVfsSyncTest : public WalVfsSettingTest {};

TEST_P(WalVfsSyncTest, APowerCutLeavesEveryCommitThatWasSynced) {
  const std::string durable = dir_.path() + "/durable";
  std::filesystem::create_directories(durable);
  // Each file as of its last sync, the minimum that survives a power cut.
  spy_.set_before([&](const SpyVfs::Operation& operation) {
    if (operation.kind != Kind::kSync) return;
    std::filesystem::copy_file(operation.path,
                               durable + "/" + std::filesystem::path(operation.path).filename().string(),
                               std::filesystem::copy_options::overwrite_existing);
  });
  Database database(dir_.path() + "/data", Options(true));
  database.Fill(2500);
  database.MustRun("PRAGMA wal_checkpoint");
  int64_t synced = 0;
  for (int64_t number = 1; number <= 12; ++number) {
    EXPECT_TRUE(database.SetAll(number).ok());
    if (number % 4 == 0) database.MustRun("PRAGMA wal_checkpoint");
    if (GetParam().synchronous == "FULL" || number % 4 == 0) synced = number;
    CopyFiles(durable, dir_.path() + "/found");
    EXPECT_EQ(NumberIn(dir_.path() + "/found"), synced);
  }
  spy_.set_before(nullptr);
}

constexpr auto kNameOf = [](const auto& tested) { return tested.param.name; };

INSTANTIATE_TEST_SUITE_P(
    Settings, WalVfsSettingTest,
    ::testing::Values(Setting{"Full"}, Setting{"Normal", "NORMAL"}, Setting{"Off", "OFF"},
                      Setting{"Spilling", "FULL", 4096, 4}, Setting{"SpillingNormal", "NORMAL", 1024, 16},
                      Setting{"SpillingOff", "OFF", 512, 4}, Setting{"LargestPages", "FULL", 65536},
                      Setting{"LargePages", "FULL", 32768, 64}, Setting{"Padded", "FULL", 4096, 2048, false},
                      Setting{"PaddedSpilling", "FULL", 2048, 16, false}),
    kNameOf);

INSTANTIATE_TEST_SUITE_P(Settings, WalVfsSyncTest,
                         ::testing::Values(Setting{"Full"}, Setting{"Normal", "NORMAL"},
                                           Setting{"Spilling", "FULL", 4096, 4},
                                           Setting{"SpillingNormal", "NORMAL", 1024, 16},
                                           Setting{"Padded", "FULL", 4096, 2048, false}),
                         kNameOf);

// SQLite splits a padded frame where a sector ends. Some part of some frame has the size of a header.
TEST_F(WalVfsTest, PartsOfASplitFrameAreNeverTakenForHeaders) {
  constexpr int kPageSize = 512;
  spy_.set_powersafe_overwrite(false);
  Database database(dir_.path(), {.vfs = spy_.name(), .setting = {.page_size = kPageSize}});
  database.Fill(10);
  database.MustRun("CREATE TABLE more (number INTEGER); INSERT INTO more VALUES (0)");
  Database other(dir_.path(), kOnlooker);
  const int64_t frame = kFrameHeader + kPageSize;
  int parts = 0;
  spy_.set_before([&](const SpyVfs::Operation& operation) {
    const bool splits = operation.is_log && (operation.offset - kLogHeader) % frame > kFrameHeader;
    parts += splits && operation.bytes == kFrameHeader ? 1 : 0;
  });
  int64_t number = 0;
  while (parts == 0 && ++number < 900 && !HasFailure()) {
    // Sometimes a page more, so that the log's end takes odd places too.
    const bool more = number % 5 == 0;
    EXPECT_TRUE(database
                    .Run(absl::StrCat("BEGIN; UPDATE rows SET number = ", number,
                                      more ? "; UPDATE more SET number = number + 1" : "", "; COMMIT"))
                    .ok());
    EXPECT_EQ(std::filesystem::file_size(dir_.path() + "/test.db-wal"), kLogHeader + database.frames() * frame);
    EXPECT_EQ(other.Int("SELECT sum(number) FROM rows"), kRows * number);
  }
  spy_.set_before(nullptr);
  EXPECT_EQ(parts, 1) << "no such part came";
  EXPECT_EQ(NumberIn(dir_.path()), number);
}

// ---- A disk that fails ----------------------------------------------------------------------------------------------

struct Disk {
  std::string name;
  FaultyVfs::Fault fault;
  FaultyVfs::Lasting lasting;
  Setting setting;
};

void PrintTo(const Disk& disk, std::ostream* out) { *out << disk.name; }

class WalVfsFaultTest : public ::testing::TestWithParam<Disk> {
 protected:
  FaultyVfs vfs_;
  TempDir dir_;
};

TEST_P(WalVfsFaultTest, WhatIsAcknowledgedIsThereAndWhatIsRefusedIsNot) {
  const Database::Options options{.setting = GetParam().setting};
  Database(dir_.path() + "/empty", options).Fill(2500);
  int64_t nth = 1;
  for (bool reached = true; reached && !HasFailure(); ++nth) {
    ASSERT_LT(nth, 1000);
    SCOPED_TRACE(absl::StrCat("operation ", nth));
    CopyFiles(dir_.path() + "/empty", dir_.path() + "/data");
    Database database(dir_.path() + "/data", options);
    Database other(dir_.path() + "/data", kOnlooker);
    ASSERT_TRUE(database.SetAll(1).ok());

    vfs_.Arm(nth, GetParam().fault, GetParam().lasting);
    const absl::Status status = database.SetAll(2);
    reached = vfs_.operations() >= nth;
    EXPECT_EQ(status.ok(), !reached) << status;
    if (!database.connection().autocommit()) database.Run("ROLLBACK").IgnoreError();
    vfs_.Disarm();

    CopyFiles(dir_.path() + "/data", dir_.path() + "/killed");
    EXPECT_EQ(database.Number(), status.ok() ? 2 : 1);
    EXPECT_EQ(other.Number(), status.ok() ? 2 : 1);
    // If only the sync failed, or a torn write reported so late, the log has all of it.
    const int64_t found = NumberIn(dir_.path() + "/killed");
    EXPECT_TRUE(found == 2 || (found == 1 && !status.ok())) << found;

    EXPECT_TRUE(database.SetAll(3).ok());
    EXPECT_EQ(other.Number(), 3);
    EXPECT_EQ(NumberIn(dir_.path() + "/data"), 3);
  }
  EXPECT_GT(nth, 2) << "nothing was ever written";
}

// The frames that a transaction wrote early are not lost if they cannot be written immediately: it gets an error, or
// they are written later.
TEST_P(WalVfsFaultTest, ATransactionReadsBackWhatItWroteOrIsToldThatItCannot) {
  const Database::Options options{.setting = GetParam().setting};
  Database(dir_.path() + "/empty", options).Fill(2500);
  for (int64_t nth = 1, reached = 1; reached != 0 && !HasFailure(); ++nth) {
    ASSERT_LT(nth, 1000);
    SCOPED_TRACE(absl::StrCat("operation ", nth));
    CopyFiles(dir_.path() + "/empty", dir_.path() + "/data");
    Database database(dir_.path() + "/data", options);
    vfs_.Arm(nth, GetParam().fault, GetParam().lasting);
    bool done = database.Run("BEGIN IMMEDIATE").ok();
    for (int id = 1; done && id <= kRows; ++id) {
      done = database.Run(absl::StrCat("UPDATE rows SET number = ", id, " WHERE id = ", id)).ok();
      Cursor read = database.connection().UseText(absl::StrCat("SELECT sum(number) FROM rows WHERE id <= ", id));
      if (!done) break;
      const absl::StatusOr<bool> row = read.Step();
      done = row.ok();  // SQLite rolls back the transaction after such a failure.
      if (done) {
        EXPECT_EQ(read.Int(0), id * (id + 1) / 2);
      }
    }
    done = done && !database.connection().autocommit() && database.Run("COMMIT").ok();
    if (!database.connection().autocommit()) database.Run("ROLLBACK").IgnoreError();
    reached = vfs_.operations() >= nth ? 1 : 0;
    vfs_.Disarm();
    EXPECT_TRUE(done || reached != 0);
    EXPECT_EQ(database.Int("SELECT sum(number) FROM rows"), done ? kRows * (kRows + 1) / 2 : 0);
    EXPECT_EQ(database.Text("PRAGMA integrity_check"), "ok");
  }
}

// A full disk rolls back the statement that encountered it, and the transaction may continue once there is room.
TEST_F(WalVfsTest, ATransactionGoesOnAfterAFullDiskWithAllItWroteEarly) {
  FaultyVfs vfs;
  const Database::Options options{.setting = {.cache_kib = 4}};
  Database(dir_.path() + "/empty", options).Fill(2500);
  int survived = 0;
  int64_t nth = 1;
  for (bool reached = true; reached && !HasFailure(); ++nth) {
    SCOPED_TRACE(absl::StrCat("operation ", nth));
    CopyFiles(dir_.path() + "/empty", dir_.path() + "/data");
    Database database(dir_.path() + "/data", options);
    database.MustRun("BEGIN IMMEDIATE; UPDATE rows SET number = 1 WHERE id <= 20");
    vfs.Arm(nth, FaultyVfs::Fault::kFull, FaultyVfs::Lasting::kOnce);
    const std::string rest = "UPDATE rows SET number = 1 WHERE id > 20";
    const bool done = database.Run(rest).ok();
    reached = vfs.operations() >= nth;
    vfs.Disarm();
    EXPECT_EQ(done, !reached);
    if (database.connection().autocommit()) {
      EXPECT_EQ(database.Number(), 0);
      continue;
    }
    if (!done) {
      ++survived;
      database.MustRun(rest);
    }
    database.MustRun("COMMIT");
    EXPECT_EQ(database.Number(), 1);
    EXPECT_EQ(NumberIn(dir_.path() + "/data"), 1);
  }
  EXPECT_GT(survived, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Disks, WalVfsFaultTest,
    ::testing::Values(
        Disk{"IoErrorOnce", FaultyVfs::Fault::kIoError, FaultyVfs::Lasting::kOnce, {"Full"}},
        Disk{"IoErrorForGood", FaultyVfs::Fault::kIoError, FaultyVfs::Lasting::kForGood, {"Full"}},
        Disk{"FullForGood", FaultyVfs::Fault::kFull, FaultyVfs::Lasting::kForGood, {"Full"}},
        Disk{"TornOnce", FaultyVfs::Fault::kTorn, FaultyVfs::Lasting::kOnce, {"Full"}},
        Disk{"IoErrorOnceOff", FaultyVfs::Fault::kIoError, FaultyVfs::Lasting::kOnce, {"Off", "OFF"}},
        Disk{"TornOnceNormal", FaultyVfs::Fault::kTorn, FaultyVfs::Lasting::kOnce, {"Normal", "NORMAL"}},
        Disk{"SpillingIoErrorOnce",
             FaultyVfs::Fault::kIoError,
             FaultyVfs::Lasting::kOnce,
             {"Spilling", "FULL", 4096, 4}},
        Disk{"SpillingTornOnce", FaultyVfs::Fault::kTorn, FaultyVfs::Lasting::kOnce, {"Spilling", "FULL", 4096, 4}},
        Disk{"SpillingFullForGood",
             FaultyVfs::Fault::kFull,
             FaultyVfs::Lasting::kForGood,
             {"Spilling", "OFF", 4096, 4}}),
    kNameOf);

}  // namespace
}  // namespace toolgate::storage::sqlite
