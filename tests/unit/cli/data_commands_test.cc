// import, export, backup and restore.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/progress_bar.h"
#include "common/json.h"
#include "storage/backends/restore.h"
#include "tests/support/command_run.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_service.h"

namespace toolgate::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class DataCommandsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/cli_data_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  CommandOutput Run(std::vector<std::string> arguments, const Surroundings& surroundings = {}) {
    arguments.insert(arguments.end(), {"--address", service_.address()});
    return RunCommand(arguments, surroundings);
  }
  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(Path(name), std::ios::binary) << text;
    return Path(name);
  }
  std::string Read(const std::string& name) {
    std::stringstream text;
    text << std::ifstream(Path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::vector<v1::PortableBlock> Imported() const {
    std::vector<v1::PortableBlock> blocks;
    for (const auto& request : service_.imports)
      blocks.insert(blocks.end(), request.blocks().begin(), request.blocks().end());
    return blocks;
  }
  // A database as toolgate's embedded store makes it, with one row that contains `mark`.
  std::string Database(const std::string& name, const std::string& mark, int application_id = 0x74676174) {
    sqlite3* database = nullptr;
    sqlite3_open(Path(name).c_str(), &database);
    const std::string sql = "PRAGMA application_id=" + std::to_string(application_id) +
                            ";CREATE TABLE t(x);INSERT INTO t VALUES('" + mark + "')";
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    return Path(name);
  }
  std::string Mark(const std::string& path) {
    sqlite3* database = nullptr;
    sqlite3_open(path.c_str(), &database);
    std::string mark;
    const auto take = [](void* out, int, char** values, char**) {
      *static_cast<std::string*>(out) = values[0];
      return 0;
    };
    sqlite3_exec(database, "SELECT x FROM t", take, &mark, nullptr);
    sqlite3_close(database);
    return mark;
  }

  FakeService service_;
  std::string folder_;
};

TEST_F(DataCommandsTest, ImportSendsBatchesInOrder) {
  std::string lines;
  for (int i = 0; i < 2500; ++i) lines += R"({"type":"paragraph","data":{"content":")" + std::to_string(i) + "\"}}\n";
  const CommandOutput output = Run({"import", Write("blocks.jsonl", lines), "--under", "root1", "--workspace", "w"});
  EXPECT_EQ(output.code, 0) << output.err;
  EXPECT_EQ(output.out, "imported 2500 blocks\n");
  ASSERT_EQ(service_.imports.size(), 3u);
  EXPECT_EQ(service_.imports[0].blocks_size(), 1000);
  EXPECT_EQ(service_.imports[0].root_id(), "root1");
  EXPECT_EQ(service_.imports[0].caller().workspace_id(), "w");
  EXPECT_FALSE(service_.imports[1].has_caller());
  const std::vector<v1::PortableBlock> blocks = Imported();
  for (int i = 0; i < 2500; ++i) EXPECT_EQ(blocks[i].data_json(), "{\"content\":\"" + std::to_string(i) + "\"}");
}

TEST_F(DataCommandsTest, ABatchOfLongBlocksStaysBelowTheMessageLimit) {
  std::string lines;
  for (int i = 0; i < 8; ++i) lines += R"({"type":"code","data":{"content":")" + std::string(900'000, 'x') + "\"}}\n";
  EXPECT_EQ(Run({"import", "-"}, {.in = lines}).code, 0);
  for (const auto& request : service_.imports) EXPECT_LT(request.ByteSizeLong(), size_t{4} << 20);
  EXPECT_EQ(Imported().size(), 8u);
}

TEST_F(DataCommandsTest, ABatchOfBlocksWithManyLinksStaysBelowTheMessageLimit) {
  std::string links;
  for (int i = 0; i < 120; ++i) {
    links += std::string(i == 0 ? "" : ",") + R"({"fromId":"note","toId":"other","relation":")" + std::string(20, 'r') +
             std::to_string(i) + "\"}";
  }
  std::string lines;
  for (int i = 0; i < 900; ++i) lines += R"({"type":"note","data":{},"links":[)" + links + "]}\n";
  EXPECT_EQ(Run({"import", "-"}, {.in = lines}).code, 0);
  for (const auto& request : service_.imports) EXPECT_LT(request.ByteSizeLong(), size_t{2} << 20);
  EXPECT_EQ(Imported().size(), 900u);
}

TEST_F(DataCommandsTest, ALineWithMoreLinksThanAMessageHoldsIsSentInParts) {
  std::string line = R"({"id":"hub","type":"page","data":{},"links":[)";
  constexpr int kLinks = 60'000;
  for (int i = 0; i < kLinks; ++i) {
    line += std::string(i == 0 ? "" : ",") +
            R"({"fromId":"hub","toId":"another page of the same workspace","relation":")" + std::string(30, 'r') +
            std::to_string(i) + "\"}";
  }
  const CommandOutput output =
      Run({"import", "-"}, {.in = line + "]}\n{\"id\":\"next\",\"type\":\"page\",\"data\":{}}\n"});
  EXPECT_EQ(output.code, 0) << output.err;
  EXPECT_EQ(output.out, "imported 2 blocks\n");
  for (const auto& request : service_.imports) EXPECT_LT(request.ByteSizeLong(), size_t{2} << 20);
  const std::vector<v1::PortableBlock> rows = Imported();
  ASSERT_GT(rows.size(), 10u);
  EXPECT_EQ(rows.front().type(), "page");
  EXPECT_EQ(rows.back().id(), "next");
  int links = 0;
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    EXPECT_EQ(rows[i].id(), "hub");
    EXPECT_EQ(rows[i].type().empty(), i > 0);
    for (const auto& link : rows[i].links()) {
      EXPECT_EQ(link.relation(), std::string(30, 'r') + std::to_string(links++));
    }
  }
  EXPECT_EQ(links, kLinks);
}

TEST_F(DataCommandsTest, LinesOfFurtherLinksAreNoBlocks) {
  v1::ExportBlocksResponse chunk;
  v1::PortableBlock& page = *chunk.add_blocks();
  page.set_id("p1");
  page.set_type("page");
  page.set_data_json("{}");
  v1::PortableBlock& more = *chunk.add_blocks();
  more.set_id("p1");
  v1::PortableLink& link = *more.add_links();
  link.set_from_id("p1");
  link.set_to_id("p0");
  link.set_relation("blocks");
  service_.exported = {chunk};
  EXPECT_EQ(Run({"export", Path("out.jsonl")}).out, "exported 1 block\n");
  EXPECT_EQ(Read("out.jsonl"),
            "{\"id\":\"p1\",\"type\":\"page\",\"data\":{}}\n"
            "{\"id\":\"p1\",\"links\":[{\"fromId\":\"p1\",\"toId\":\"p0\",\"relation\":\"blocks\"}]}\n");
  EXPECT_EQ(Run({"import", Path("out.jsonl")}).out, "imported 1 block\n");
  ASSERT_EQ(Imported().size(), 2u);
  EXPECT_EQ(Imported()[1].SerializeAsString(), more.SerializeAsString());
  const CommandOutput documents = Run({"export", Path("folder"), "--markdown"});
  EXPECT_EQ(documents.out, "exported 1 block to 1 file\n") << documents.err;
}

TEST_F(DataCommandsTest, ALineBehindFurtherLinksIsNamedWhereItIsRefused) {
  std::string lines = "{\"type\":\"divider\",\"data\":{}}\n";
  for (int i = 0; i < 1500; ++i)
    lines += R"({"links":[{"fromId":"a","toId":"b","relation":"r"}]})"
             "\n";
  service_.refuse_import_of_row = 1200;
  service_.import_refusal =
      RichStatus(grpc::StatusCode::INVALID_ARGUMENT, "block 1200: no", "INVALID_PARAMS", {}, {{"blockNumber", "1200"}});
  const CommandOutput output = Run({"import", "-"}, {.in = lines});
  EXPECT_EQ(output.out, "imported 1 block\n");
  EXPECT_THAT(output.err, HasSubstr("line 1200: "));
  EXPECT_THAT(output.err, HasSubstr("everything up to line 1000 was imported"));
}

TEST_F(DataCommandsTest, ABadLineIsNamedAndWhatWasCommittedIsSaid) {
  std::string lines;
  for (int i = 0; i < 1200; ++i) lines += "{\"type\":\"divider\",\"data\":{}}\n";
  lines += "\n{\"type\":\"divider\",\"dta\":{}}\n";
  const CommandOutput output = Run({"import", "-"}, {.in = lines});
  EXPECT_EQ(output.code, 9);
  EXPECT_EQ(output.out, "imported 1000 blocks\n");
  EXPECT_THAT(output.err, HasSubstr("line 1202: unknown key \"dta\""));
  EXPECT_THAT(output.err, HasSubstr("everything up to line 1000 was imported"));
}

TEST_F(DataCommandsTest, ABlockThatTheServiceRefusesIsNamedByItsLine) {
  std::string lines = "\n";
  for (int i = 0; i < 2000; ++i) lines += "{\"type\":\"divider\",\"data\":{}}\n";
  service_.refuse_import_of_row = 1500;
  service_.import_refusal =
      RichStatus(grpc::StatusCode::INVALID_ARGUMENT, "block 1500: no", "INVALID_PARAMS", {}, {{"blockNumber", "1500"}});
  const CommandOutput output = Run({"import", "-"}, {.in = lines});
  EXPECT_EQ(output.code, 3);
  EXPECT_EQ(output.out, "imported 1000 blocks\n");
  EXPECT_THAT(output.err, HasSubstr("INVALID_PARAMS: line 1501: block 1500: no"));
}

TEST_F(DataCommandsTest, ARefusedBatchIsNamedByItsLinesWhereTheServiceDoesNotSayWhich) {
  service_.refuse_import_of_row = 1;
  service_.import_refusal = RichStatus(grpc::StatusCode::PERMISSION_DENIED, "no", "FORBIDDEN");
  const CommandOutput output = Run({"import", "-", "--json"}, {.in = "{\"type\":\"divider\",\"data\":{}}\n"
                                                                     "{\"type\":\"divider\",\"data\":{}}\n"});
  EXPECT_EQ(output.code, 3);
  EXPECT_THAT(output.out, StartsWith("{\"imported\":0,\"complete\":false"));
  EXPECT_THAT(output.err, HasSubstr("\"where\":\"line 1 to line 2\""));
}

TEST_F(DataCommandsTest, AnEmptySourceStillAsksForPermission) {
  EXPECT_EQ(Run({"import", "-"}).out, "imported 0 blocks\n");
  EXPECT_EQ(service_.imports.size(), 1u);
}

TEST_F(DataCommandsTest, AFolderIsImportedAsMarkdown) {
  fs::create_directory(Path("notes"));
  Write("notes/a.md", "# Alpha\n\nText\n");
  Write("notes/b.md", "\xFF\xFE");
  const CommandOutput output = Run({"import", Path("notes")});
  EXPECT_EQ(output.code, 0);
  EXPECT_EQ(output.out, "imported 3 blocks\n");
  EXPECT_THAT(output.err, HasSubstr("warning: skipped b.md: not UTF-8"));
  EXPECT_EQ(Imported().at(1).parent_id(), Imported().at(0).id());
}

TEST_F(DataCommandsTest, ProgressIsDrawnForAPersonOnly) {
  const std::string file = Write("one.jsonl", "{\"type\":\"divider\",\"data\":{}}\n");
  EXPECT_THAT(Run({"import", file}, {.at_terminal = true}).err,
              HasSubstr("importing [########################] 1 blocks"));
  EXPECT_EQ(Run({"import", file}).err, "");
}

TEST_F(DataCommandsTest, ExportWritesWhatImportReads) {
  v1::ExportBlocksResponse chunk;
  v1::PortableBlock& page = *chunk.add_blocks();
  page.set_id("p1");
  page.set_type("page");
  page.set_data_json("{\"title\":\"\\u001b Plans \xC2\x9B\"}");
  v1::PortableBlock& child = *chunk.add_blocks();
  child.set_id("c1");
  child.set_type("paragraph");
  child.set_parent_id("p1");
  child.set_data_json("{\n\"content\": \"x\"\n}");
  service_.exported = {chunk};
  const CommandOutput output = Run({"export", Path("out.jsonl"), "--under", "p1"});
  EXPECT_EQ(output.code, 0) << output.err;
  EXPECT_EQ(output.out, "exported 2 blocks\n");
  EXPECT_EQ(service_.exports.at(0).root_id(), "p1");
  EXPECT_EQ(Read("out.jsonl"),
            "{\"id\":\"p1\",\"type\":\"page\",\"data\":{\"title\":\"\\u001b Plans \\u009b\"}}\n"
            "{\"id\":\"c1\",\"type\":\"paragraph\",\"parentId\":\"p1\",\"data\":{\"content\":\"x\"}}\n");
  EXPECT_EQ(Run({"export", "-"}).out, Read("out.jsonl"));
  Run({"import", Path("out.jsonl")});
  EXPECT_EQ(Imported().at(1).parent_id(), "p1");
}

TEST_F(DataCommandsTest, BlocksWithMoreKeysAndValuesThanACallMayHaveComeBack) {
  std::string keys = "{";
  for (int i = 0; i < 20'000; ++i) keys += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":1";
  std::string values = "{\"values\":[0";
  for (int i = 0; i < 200'000; ++i) values += ",0";
  const std::string lines =
      "{\"type\":\"page\",\"data\":" + keys + "}}\n{\"type\":\"page\",\"data\":" + values + "]}}\n";
  const CommandOutput output = Run({"import", Write("large.jsonl", lines)});
  EXPECT_EQ(output.code, 0) << output.err;
}

TEST_F(DataCommandsTest, AnExistingFileIsReplacedOnlyByForce) {
  Write("out.jsonl", "precious");
  const CommandOutput output = Run({"export", Path("out.jsonl")});
  EXPECT_EQ(output.code, 9);
  EXPECT_THAT(output.err, HasSubstr("--force"));
  EXPECT_EQ(Read("out.jsonl"), "precious");
  EXPECT_EQ(Run({"export", Path("out.jsonl"), "--force"}).code, 0);
  EXPECT_EQ(Read("out.jsonl"), "");
}

TEST_F(DataCommandsTest, AFailedExportLeavesNoFile) {
  service_.status = RichStatus(grpc::StatusCode::PERMISSION_DENIED, "no", "FORBIDDEN");
  EXPECT_EQ(Run({"export", Path("out.jsonl")}).code, 3);
  EXPECT_TRUE(fs::is_empty(folder_));
}

// The second message makes a block without JSON, so that the export fails after one file is written.
std::vector<v1::ExportBlocksResponse> TwoPages(bool broken) {
  std::vector<v1::ExportBlocksResponse> messages(2);
  for (int i = 0; i < 2; ++i) {
    v1::PortableBlock& page = *messages[i].add_blocks();
    page.set_id("p" + std::to_string(i));
    page.set_type("page");
    page.set_data_json(R"({"title":"Page )" + std::to_string(i) + "\"}");
    v1::PortableBlock& child = *messages[i].add_blocks();
    child.set_type("todo");
    child.set_parent_id(page.id());
    child.set_data_json(broken && i == 1 ? "{" : R"({"content":"buy milk","completed":true})");
  }
  return messages;
}

TEST_F(DataCommandsTest, ACalendarGoesOutAndComesIn) {
  v1::ExportBlocksResponse chunk;
  v1::PortableBlock& page = *chunk.add_blocks();
  page.set_id("p1");
  page.set_type("page");
  page.set_data_json(R"({"title":"no event"})");
  v1::PortableBlock& event = *chunk.add_blocks();
  event.set_id("e1");
  event.set_type("calendar_event");
  event.set_data_json(R"({"title":"Lunch","date":"2026-03-02","type":"event","status":"pending"})");
  service_.exported = {chunk};
  const CommandOutput out = Run({"export", Path("calendar.ics")});
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_EQ(out.out, "exported 1 event\n");
  EXPECT_THAT(Read("calendar.ics"), HasSubstr("SUMMARY:Lunch\r\n"));
  EXPECT_EQ(Run({"export", "-", "--ics"}).out.substr(0, 15), "BEGIN:VCALENDAR");
  EXPECT_EQ(Run({"export", Path("x"), "--ics", "--markdown"}).code, 2);
  const CommandOutput in = Run({"import", Path("calendar.ics"), "--under", "root1"});
  EXPECT_EQ(in.code, 0) << in.err;
  EXPECT_EQ(in.out, "imported 1 block\n");
  EXPECT_EQ(Imported().at(0).type(), "calendar_event");
  EXPECT_THAT(Imported().at(0).data_json(), HasSubstr(R"("title":"Lunch","date":"2026-03-02")"));
  EXPECT_EQ(Run({"import", "-", "--ics"}, {.in = Read("calendar.ics")}).code, 0);
}

TEST_F(DataCommandsTest, ABrokenCalendarIsNamedByItsLineAndSendsNothing) {
  const CommandOutput output =
      Run({"import", Write("broken.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:soon\nEND:VEVENT\nEND:VCALENDAR\n")});
  EXPECT_EQ(output.code, 9);
  EXPECT_THAT(output.err, HasSubstr("line 3: DTSTART is not a day"));
  EXPECT_TRUE(service_.imports.empty());
}

TEST_F(DataCommandsTest, ExportWritesAFolderOfMarkdownThatImportReads) {
  service_.exported = TwoPages(false);
  const CommandOutput output = Run({"export", Path("notes"), "--markdown", "--under", "p0"});
  EXPECT_EQ(output.code, 0) << output.err;
  EXPECT_EQ(output.out, "exported 4 blocks to 2 files\n");
  EXPECT_EQ(service_.exports.at(0).root_id(), "p0");
  EXPECT_EQ(Read("notes/Page 1.md"), "# Page 1\n\n- [x] buy milk\n");
  EXPECT_EQ(Run({"import", Path("notes")}).code, 0);
  EXPECT_EQ(Imported().at(4).data_json(), R"({"content":"buy milk","completed":true})");
  EXPECT_THAT(Run({"export", Path("notes"), "--markdown", "--force"}, {.at_terminal = true}).err,
              HasSubstr("exporting 2 blocks"));
}

TEST_F(DataCommandsTest, AnExportOfMarkdownSaysWhereItCameTo) {
  service_.exported = TwoPages(true);
  const CommandOutput output = Run({"export", Path("notes"), "--markdown"});
  EXPECT_EQ(output.code, 9);
  EXPECT_EQ(output.out, "");
  EXPECT_THAT(output.err, AllOf(HasSubstr("the export is not complete; files written: 1, the last is Page 0.md"),
                                HasSubstr("holds data that is not a JSON object")));
  EXPECT_TRUE(fs::exists(Path("notes/Page 0.md")));
  EXPECT_FALSE(fs::exists(Path("notes/Page 1.md")));
  const CommandOutput again = Run({"export", Path("notes"), "--markdown", "--force", "--json"});
  EXPECT_EQ((*ParseJson(again.out))["complete"], false);
  EXPECT_EQ((*ParseJson(again.out))["files"], 1);
}

TEST_F(DataCommandsTest, MarkdownGoesIntoAnEmptyFolderOnly) {
  service_.exported = TwoPages(false);
  Write("precious", "x");
  const CommandOutput output = Run({"export", folder_, "--markdown"});
  EXPECT_EQ(output.code, 9);
  EXPECT_THAT(output.err, HasSubstr("is not empty; write into it with --force"));
  EXPECT_EQ(Run({"export", Path("precious"), "--markdown", "--force"}).code, 9);
  EXPECT_EQ(Run({"export", Path("no/such/folder"), "--markdown"}).code, 9);
  EXPECT_EQ(Run({"export", "-", "--markdown"}).code, 2);
  EXPECT_TRUE(service_.exports.empty());
}

TEST_F(DataCommandsTest, ARefusedExportOfMarkdownIsAFailure) {
  service_.status = RichStatus(grpc::StatusCode::PERMISSION_DENIED, "no", "FORBIDDEN");
  EXPECT_EQ(Run({"export", Path("notes"), "--markdown"}).code, 3);
}

TEST_F(DataCommandsTest, BackupIsWholeOrNotThere) {
  v1::BackupResponse first, second;
  first.set_chunk("abc");
  first.set_total_bytes(5);
  second.set_chunk("de");
  service_.backup = {first, second};
  EXPECT_EQ(Run({"backup", Path("b.db")}).out, "saved 5 bytes\n");
  EXPECT_EQ(Read("b.db"), "abcde");
  EXPECT_EQ(fs::status(Path("b.db")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  service_.backup = {first};
  const CommandOutput broken = Run({"backup", Path("c.db")});
  EXPECT_EQ(broken.code, 9);
  EXPECT_THAT(broken.err, HasSubstr("ended early, after 3 of 5 bytes"));
  EXPECT_FALSE(fs::exists(Path("c.db")));
}

TEST_F(DataCommandsTest, RestoreExchangesTheDatabaseAndKeepsTheOld) {
  fs::create_directory(Path("data"));
  Database("data/toolgate.db", "old");
  const std::string saved = Database("saved.db", "saved");
  const CommandOutput output = RunCommand({"restore", saved, "--data-dir", Path("data"), "--json"});
  EXPECT_EQ(output.code, 0) << output.err;
  EXPECT_EQ(Mark(Path("data/toolgate.db")), "saved");
  const std::string kept = (*ParseJson(output.out))["kept"];
  EXPECT_EQ(kept, Path("data/toolgate.db.before-restore-20260302T090000.000Z"));
  EXPECT_EQ(Mark(kept), "old");
}

TEST_F(DataCommandsTest, RestoreTakesAlongWhatTheLogOfTheOldDatabaseHeld) {
  fs::create_directory(Path("data"));
  Database("live.db", "old");
  sqlite3* live = nullptr;
  sqlite3_open(Path("live.db").c_str(), &live);
  sqlite3_exec(live, "PRAGMA journal_mode=WAL;UPDATE t SET x='newest'", nullptr, nullptr, nullptr);
  // State after a crash: the log has data that the file has not.
  fs::copy(Path("live.db"), Path("data/toolgate.db"));
  fs::copy(Path("live.db-wal"), Path("data/toolgate.db-wal"));
  sqlite3_close(live);
  const absl::StatusOr<std::string> kept =
      storage::backends::RestoreDatabase(Database("saved.db", "saved"), Path("data"), absl::UnixEpoch());
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(Mark(*kept), "newest");
  EXPECT_EQ(Mark(Path("data/toolgate.db")), "saved");
}

TEST_F(DataCommandsTest, RestoreIntoAnEmptyPlaceMakesIt) {
  EXPECT_EQ(
      RunCommand({"restore", Database("saved.db", "saved")}, {.environment = {{"TOOLGATE_DATA_DIR", Path("new")}}})
          .code,
      0);
  EXPECT_EQ(Mark(Path("new/toolgate.db")), "saved");
}

TEST_F(DataCommandsTest, RestoreRefusesWhileAServiceRuns) {
  fs::create_directory(Path("data"));
  Database("data/toolgate.db", "old");
  FILE* lock = fopen(Path("data/toolgate.lock").c_str(), "w");
  ASSERT_EQ(flock(fileno(lock), LOCK_EX | LOCK_NB), 0);
  const CommandOutput output = RunCommand({"restore", Database("saved.db", "saved"), "--data-dir", Path("data")});
  fclose(lock);
  EXPECT_EQ(output.code, 9);
  EXPECT_THAT(output.err, HasSubstr("stop it first"));
  EXPECT_EQ(Mark(Path("data/toolgate.db")), "old");
}

TEST_F(DataCommandsTest, RestoreRefusesWhatIsNoDatabaseOfToolgate) {
  fs::create_directory(Path("data"));
  Database("data/toolgate.db", "old");
  std::string damaged = Database("damaged.db", "x");
  {
    std::fstream file(damaged, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(2000, '\xEE');
  }
  for (const auto& [file, why] : {std::pair{Path("absent.db"), "there is no file"},
                                  {Write("text.db", "hello"), "is not a database"},
                                  {Write("empty.db", ""), "is not a database"},
                                  {Database("other.db", "x", 7), "not one that toolgate made"},
                                  {damaged, "damaged"},
                                  {Path("data/toolgate.db"), "the database itself"}}) {
    const CommandOutput output = RunCommand({"restore", file, "--data-dir", Path("data")});
    EXPECT_EQ(output.code, 9) << file;
    EXPECT_THAT(output.err, HasSubstr(why));
    EXPECT_EQ(Mark(Path("data/toolgate.db")), "old");
  }
}

TEST(ProgressBarTest, TellsRateShareAndTimeLeft) {
  testing::FakeClock clock;
  std::stringstream stream;
  const Terminal terminal{.in = stream, .out = stream, .err = stream, .environment = nullptr, .clock = clock};
  const ProgressBar bar(terminal, true, "importing", "blocks");
  clock.Advance(absl::Seconds(10));
  EXPECT_EQ(bar.Line(5000, 0.25), "importing [######..................] 5000 blocks, 500/s, 25 %, 30s left");
  EXPECT_EQ(bar.Line(5000, -1), "importing 5000 blocks, 500/s");
  EXPECT_EQ(ProgressBar(terminal, true, "saving", "bytes").Line(3 << 20, 1),
            "saving [########################] 3.0 MiB, 100 %");
}

}  // namespace
}  // namespace toolgate::cli
