// For any calls of a user, in any order: after undoing them one by one, the workspace is as before; after redoing, as
// afterwards.
//
// Random calls of every built-in tool that changes something run through the whole pipeline. Before each undo and redo
// the test knows what the workspace must look like afterwards, byte by byte: every block except its version, the order
// of siblings, every link, the instruction, every row of the private database, and every file with its mode.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/brief_section.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/declared_fields.h"
#include "executors/files/settings.pb.h"
#include "executors/registration/registration.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"

namespace toolgate::services::core {
namespace {

using security::ToolResult;
using storage::Block;
using testing::TestCore;

constexpr size_t kCalls = 24;  // Fewer than the stack holds.
constexpr int64_t kAll = 1'000'000;

class UndoPropertyTest : public ::testing::TestWithParam<int> {
 protected:
  UndoPropertyTest() : random_(static_cast<uint32_t>(GetParam())) {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path() + "/data";
    options.clock = &clock_;
    options.fields = executors::blocks::BlockFields();
    store_ = testing::MakeTestStore(options);
    std::filesystem::create_directories(Files());
    toolgate::config::v1::Families settings = config::Load({}).value().families();
    settings.MutableExtension(executors::files::FilesSettings::files)->set_root(dir_.path() + "/files");
    catalog_ = executors::registration::BuiltInCatalog({.settings = settings}).value();
    core_ = std::make_unique<TestCore>(*store_, clock_, config::Load({}).value(), catalog_);
    MakeGenerators();
  }

  // No transaction that was committed read a file, ran a statement, scanned a text or waited.
  void TearDown() override {
    EXPECT_EQ(BriefSection::noted(), noted_before_) << "the last one: " << BriefSection::last();
  }

  // ---- Chance -------------------------------------------------------------------------------------------------------

  size_t Below(size_t bound) { return random_() % bound; }
  bool Chance(int percent) { return Below(100) < static_cast<size_t>(percent); }
  std::string Pick(const std::vector<std::string>& choices) { return choices[Below(choices.size())]; }
  std::string Words() { return absl::StrCat(Pick({"Alpha", "Bravo", "Ünal", "日記", "x"}), " ", Below(1000)); }
  std::string Day() { return absl::StrCat("2026-03-", Below(19) + 10); }
  // The id of a random block of one of the types; "nothing" if there is none.
  std::string Any(const std::vector<std::string>& types) {
    std::vector<std::string> ids;
    for (const Block& block : Blocks()) {
      for (const std::string& type : types) {
        if (block.type == type) ids.push_back(block.id);
      }
    }
    return ids.empty() ? "nothing" : Pick(ids);
  }
  // An event, an occurrence of one, or nothing.
  std::string AnyEvent() {
    const Json events =
        Read("calendar_list_events", {{"dateFrom", "2026-03-01"}, {"dateTo", "2026-05-30"}, {"limit", 200}});
    if (events["events"].empty()) return "nothing";
    const Json& event = events["events"][Below(events["events"].size())];
    const std::string id = event["eventId"];
    return Chance(70) ? id : event.value("seriesId", id);
  }

  // ---- The workspace
  // --------------------------------------------------------------------------------------------------

  std::vector<Block> Blocks() {
    storage::BlockPage page;
    EXPECT_TRUE(store_
                    ->Read("w",
                           [&](storage::ReadView& view) {
                             storage::BlockQuery query;
                             query.limit = kAll;
                             page = view.FindBlocks(query).value();
                             return absl::OkStatus();
                           })
                    .ok());
    return page.blocks;
  }
  void AppendTree(storage::ReadView& view, const std::string& parent, std::string& text) {
    const std::vector<Block> children = view.ListChildren(parent, kAll).value();
    for (const Block& block : children) {
      absl::StrAppend(&text, block.id, " ", block.type, " in ", block.parent_id, " ", block.data, " ", block.change_id,
                      " ", block.created_by, " ", block.updated_by, " ", absl::ToUnixMicros(block.created_at), " ",
                      absl::ToUnixMicros(block.updated_at), "\n");
      const std::vector<storage::Link> links = view.ListLinks(block.id, kAll).value();
      for (const storage::Link& link : links) {
        absl::StrAppend(&text, "  ", link.from_id, " ", link.relation, " ", link.to_id, " ", link.change_id, "\n");
      }
      AppendTree(view, block.id, text);
    }
  }
  void AppendTables(std::string& text) {
    const Json objects = Read("db_query", {{"sql", "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"}});
    absl::StrAppend(&text, DumpJson(objects), "\n");
    for (const Json& object : objects["rows"]) {
      if (object["type"] != "table") continue;
      const std::string name = object["name"];
      absl::StrAppend(&text, DumpJson(Read("db_query", {{"sql", "SELECT * FROM " + name + " ORDER BY 1, 2, 3"}})),
                      "\n");
    }
  }
  std::string Files() const { return dir_.path() + "/files/w"; }
  void AppendFiles(std::string& text) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(Files())) {
      const std::string path = entry.path().string().substr(Files().size() + 1);
      if (path.starts_with(".toolgate")) continue;
      std::string content;
      if (entry.is_regular_file()) {
        std::ifstream file(entry.path(), std::ios::binary);
        content.assign(std::istreambuf_iterator<char>(file), {});
      }
      files[path] = absl::StrCat(static_cast<int>(entry.status().permissions()), " ", content);
    }
    for (const auto& [path, content] : files) absl::StrAppend(&text, path, " ", content, "\n");
  }
  std::string Snapshot() {
    std::string text;
    EXPECT_TRUE(store_
                    ->Read("w",
                           [&](storage::ReadView& view) {
                             AppendTree(view, "", text);
                             absl::StrAppend(&text, view.FindDocument("instruction", "ann").value().value_or("none"),
                                             "\n");
                             return absl::OkStatus();
                           })
                    .ok());
    AppendTables(text);
    AppendFiles(text);
    return text;
  }

  // ---- Calls
  // ----------------------------------------------------------------------------------------------------------

  std::unique_ptr<security::ToolCall> MakeCall(std::string_view tool, const Json& arguments) const {
    auto call = core_->Call(tool);
    if (catalog_->Find(tool)->definition.internal) call->internal = executors::InternalTool::kUndo;
    call->SetArguments(arguments);
    return call;
  }
  ToolResult Run(std::string_view tool, const Json& arguments) {
    clock_.Advance(absl::Minutes(20));  // Below every limit.
    auto call = MakeCall(tool, arguments);
    absl::StatusOr<ToolResult> result = core_->Run(*call);
    if (result.ok() && result->confirmation.has_value()) {
      call = MakeCall(tool, arguments);
      call->confirmation_token = result->confirmation->token;
      result = core_->Run(*call);
    }
    if (!result.ok()) return ToolResult();
    EXPECT_FALSE(result->confirmation.has_value());
    return *std::move(result);
  }
  Json Read(std::string_view tool, const Json& arguments) {
    const ToolResult result = Run(tool, arguments);
    EXPECT_TRUE(result.success) << tool << DumpJson(arguments);
    return result.success ? ParseJson(result.data_json).value() : Json::object();
  }
  // Takes back an entry; returns the entry of the undo.
  std::string Undo(const std::string& entry) {
    const ToolResult result = Run("undo", {{"entryId", entry}});
    EXPECT_TRUE(result.success) << (result.error ? result.error->message : "refused");
    return result.undo_entry_id;
  }

  void MakeGenerators();
  void MakeWorkspaceGenerators();
  void MakePlannerGenerators();
  std::string Statement();

  testing::TempDir dir_;
  testing::FakeClock clock_;
  std::mt19937 random_;
  const uint64_t noted_before_ = BriefSection::noted();
  std::unique_ptr<storage::Store> store_;
  std::shared_ptr<const executors::Catalog> catalog_;
  std::unique_ptr<TestCore> core_;
  // Random arguments, by tool.
  std::map<std::string, std::function<Json()>, std::less<>> generators_;
};

void UndoPropertyTest::MakeWorkspaceGenerators() {
  generators_["create_block"] = [this]() -> Json {
    const std::string type =
        Pick({"page", "paragraph", "todo", "kanban_board", "kanban_column", "database", "database_row", "automation"});
    Json data = {{type == "paragraph" || type == "todo" ? "content" : "title", Words()}};
    std::string parent = Chance(50) ? Any({"page"}) : "";
    if (type == "kanban_column") parent = Any({"kanban_board"});
    if (type == "database_row") {
      parent = Any({"database"});
      data = Json::object();
    }
    if (type == "automation") {
      data["steps"] = Json::array();
      for (size_t i = 0; i < 2; ++i) {
        data["steps"].push_back({{"tool", "create_task"}, {"arguments", {{"title", Words()}, {"dueDate", Day()}}}});
      }
      data["steps"].push_back({{"tool", "save_memory"}, {"arguments", {{"memory", Words()}}}});
    }
    Json arguments = {{"type", type}, {"data", data}};
    if (!parent.empty() && parent != "nothing") arguments["parentId"] = parent;
    if (Chance(40)) arguments["position"] = Below(4);
    return arguments;
  };
  generators_["create_task"] = [this]() -> Json {
    Json arguments = {{"title", Words()}, {"tags", {"a", Words()}}};
    if (const std::string column = Any({"kanban_column"}); column != "nothing") arguments["columnId"] = column;
    if (Chance(30)) arguments["subtasks"] = Json::array({{{"title", Words()}}});
    return arguments;
  };
  generators_["update_block"] = [this]() -> Json {
    const std::vector<Block> blocks = Blocks();
    if (blocks.empty()) return {{"blockId", "nothing"}, {"data", Json::object()}};
    const Block& block = blocks[Below(blocks.size())];
    return {{"blockId", block.id}, {"data", {{"meta", {{"n", Below(100)}}}}}};
  };
  generators_["update_task_status"] = [this]() -> Json {
    return {{"taskId", Any({"todo", "kanban_card"})}, {"status", Pick({"todo", "in_progress", "done"})}};
  };
  generators_["add_property"] = [this]() -> Json {
    return {{"databaseId", Any({"database"})}, {"name", Words()}, {"type", Pick({"text", "number", "checkbox"})}};
  };
  generators_["delete_block"] = [this]() -> Json {
    return {{"blockId", Any({"page", "todo", "kanban_board", "kanban_column", "database", "calendar_event", "note"})},
            {"deleteChildren", Chance(60)}};
  };
  generators_["trigger_automation"] = [this]() -> Json { return {{"automationId", Any({"automation"})}}; };
}

std::string UndoPropertyTest::Statement() {
  const std::string table = absl::StrCat("ai_t", Below(3));
  const std::string value = absl::StrCat(Below(50));
  switch (Below(9)) {
    case 0:
      return absl::StrCat("CREATE TABLE ", table, " (a INTEGER PRIMARY KEY, b TEXT UNIQUE, c REAL)");
    case 1:
      return absl::StrCat("CREATE TABLE ", table, " (a, b TEXT, c BLOB)");
    case 2:
      return absl::StrCat("CREATE TABLE ", table, " (a TEXT, b INT, c, PRIMARY KEY (a, b)) WITHOUT ROWID");
    case 3:
      return absl::StrCat("UPDATE ", table, " SET c = c + 1 WHERE a > ", value);
    case 4:
      return absl::StrCat("DELETE FROM ", table, Chance(50) ? "" : absl::StrCat(" WHERE a < ", value));
    case 5:
      return Chance(50) ? absl::StrCat("DROP TABLE ", table)
                        : absl::StrCat("ALTER TABLE ", table, " ADD COLUMN n", value, " TEXT DEFAULT 'd'");
    case 6:
      return absl::StrCat("CREATE INDEX IF NOT EXISTS ai_i", Below(3), " ON ", table, "(b)");
    default:
      return absl::StrCat("INSERT OR REPLACE INTO ", table, " (a, b, c) VALUES (", value, ", 'b", Below(50), "', x'00",
                          "ff'), (", Below(50), ", 'c", Below(50), "', 1.5)");
  }
}

void UndoPropertyTest::MakePlannerGenerators() {
  generators_["calendar_create_event"] = [this]() -> Json {
    Json arguments = {{"title", Words()}, {"date", Day()}, {"type", Pick({"event", "task"})}};
    if (Chance(50)) arguments["time"] = "10:30";
    if (Chance(60)) {
      arguments["recurrence"] = Pick(
          {"FREQ=DAILY;COUNT=9", "FREQ=WEEKLY;BYDAY=MO,WE", "FREQ=MONTHLY;UNTIL=20260801", "FREQ=DAILY;INTERVAL=3"});
    }
    return arguments;
  };
  generators_["calendar_update_event"] = [this]() -> Json {
    Json arguments = {{"eventId", AnyEvent()}, {"scope", Pick({"this", "all", "this_and_following"})}};
    if (Chance(60)) arguments["title"] = Words();
    if (Chance(40)) arguments["date"] = Day();
    if (Chance(30)) arguments["status"] = "done";
    if (Chance(30)) arguments["time"] = "16:00";
    return arguments;
  };
  generators_["calendar_delete_event"] = [this]() -> Json {
    return {{"eventId", AnyEvent()}, {"scope", Pick({"this", "all", "this_and_following"})}};
  };
  generators_["kanban_create_card"] = [this]() -> Json {
    Json arguments = {{"columnId", Any({"kanban_column"})}, {"title", Words()}, {"position", Below(5)}};
    if (const std::string event = Any({"calendar_event"}); event != "nothing") arguments["eventLinks"] = {event};
    return arguments;
  };
  generators_["kanban_update_card"] = [this]() -> Json {
    return {{"cardId", Any({"kanban_card"})}, {"title", Words()}, {"dueDate", Chance(50) ? Json() : Json(Day())}};
  };
  generators_["kanban_move_card"] = [this]() -> Json {
    return {{"cardId", Any({"kanban_card"})}, {"columnId", Any({"kanban_column"})}, {"position", Below(5)}};
  };
  generators_["kanban_delete_card"] = [this]() -> Json { return {{"cardId", Any({"kanban_card"})}}; };
  generators_["notes_create"] = [this]() -> Json {
    Json arguments = {{"title", Words()}, {"body", "# " + Words()}, {"tags", {Words()}}};
    if (const std::string note = Any({"note"}); note != "nothing" && Chance(50)) arguments["parentId"] = note;
    if (const std::string event = Any({"calendar_event"}); event != "nothing") arguments["eventLinks"] = {event};
    return arguments;
  };
  generators_["notes_update"] = [this]() -> Json {
    return {{"noteId", Any({"note"})}, {"title", Words()}, {"parentId", Chance(50) ? Json() : Json(Any({"note"}))}};
  };
  generators_["notes_delete"] = [this]() -> Json { return {{"noteId", Any({"note"})}}; };
  generators_["journal_create"] = [this]() -> Json { return {{"title", Words()}, {"date", Day()}, {"mood", "calm"}}; };
  generators_["journal_update"] = [this]() -> Json {
    return {{"entryId", Any({"journal_entry"})}, {"body", Words()}, {"date", Day()}};
  };
  generators_["journal_delete"] = [this]() -> Json { return {{"entryId", Any({"journal_entry"})}}; };
  generators_["items_link"] = [this]() -> Json {
    return {{"fromItemId", Any({"note"})},
            {"fromItemType", "note"},
            {"toItemId", Any({"calendar_event"})},
            {"toItemType", "event"},
            {"relationType", Pick({"references", "blocks", "belongs_to"})}};
  };
  generators_["items_unlink"] = [this]() -> Json {
    return {{"fromItemId", Any({"note"})}, {"toItemId", Any({"calendar_event"})}};
  };
}

void UndoPropertyTest::MakeGenerators() {
  MakeWorkspaceGenerators();
  MakePlannerGenerators();
  generators_["save_memory"] = [this]() -> Json { return {{"memory", Words()}}; };
  generators_["update_db_schema"] = [this]() -> Json { return {{"schema", Words()}}; };
  generators_["update_instruction"] = [this]() -> Json { return {{"coreInstruction", Words()}}; };
  generators_["Write"] = [this]() -> Json {
    return {{"file", Pick({"a", "b", "d/c", "d/e/f"})}, {"content", absl::StrCat(Words(), "\n", Words())}};
  };
  generators_["Edit"] = [this]() -> Json {
    return {{"file", Pick({"a", "b", "d/c"})},
            {"oldText", Pick({"Alpha", "Bravo", "x", "1"})},
            {"newText", Words()},
            {"replaceAll", Chance(70)}};
  };
  generators_["Bash"] = [this]() -> Json {
    return {{"command", Pick({"mkdir -p d/e && date > d/c", "rm -rf d b", "cp a b; chmod 755 b", "mv a d; ls -lR",
                              "ln -sf a l; echo x >> a; exit 3"})}};
  };
  generators_["db_query"] = [this]() -> Json { return {{"sql", Statement()}}; };
}

TEST_P(UndoPropertyTest, EveryToolThatChangesSomethingTakesPart) {
  if (GetParam() != 0) GTEST_SKIP() << "once is enough";
  for (const executors::Tool& tool : catalog_->tools()) {
    if (tool.read_only() || !tool.definition.annotations.reversible || tool.definition.id == "undo") continue;
    EXPECT_TRUE(generators_.contains(tool.definition.id)) << tool.definition.id;
  }
  for (const auto& [tool, generate] : generators_) EXPECT_NE(catalog_->Find(tool), nullptr) << tool;
}

TEST_P(UndoPropertyTest, UndoneOneByOneAndRedone) {
  std::vector<std::string> tools;
  for (const auto& [tool, generate] : generators_) tools.push_back(tool);
  std::vector<std::string> states = {Snapshot()};  // Before each entry, and at the end.
  std::vector<std::string> entries;
  for (int attempt = 0; attempt < 400 && entries.size() < kCalls; ++attempt) {
    const std::string tool = Pick(tools);
    const Json arguments = generators_[tool]();
    const ToolResult result = Run(tool, arguments);
    const std::string state = Snapshot();
    if (result.undo_entry_id.empty()) {
      ASSERT_EQ(state, states.back()) << tool << " " << DumpJson(arguments)
                                      << " changed something that has no undo entry";
      continue;
    }
    ASSERT_TRUE(result.success);
    ASSERT_TRUE(result.can_undo) << tool << " " << DumpJson(arguments);
    SCOPED_TRACE(absl::StrCat(entries.size(), ": ", tool, " ", DumpJson(arguments)));
    entries.push_back(result.undo_entry_id);
    states.push_back(state);
  }
  ASSERT_GE(entries.size(), kCalls / 2);

  std::vector<std::string> undos;
  for (size_t i = entries.size(); i-- > 0;) {
    undos.push_back(Undo(entries[i]));
    ASSERT_EQ(Snapshot(), states[i]) << "after taking back change " << i;
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    Undo(undos[undos.size() - 1 - i]);
    ASSERT_EQ(Snapshot(), states[i + 1]) << "after redoing change " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, UndoPropertyTest, ::testing::Range(0, 16));

}  // namespace
}  // namespace toolgate::services::core
