#include "executors/memory/memory_tools.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "executors/memory/instruction.h"
#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::memory {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::WorkspaceTest;

class MemoryToolsTest : public WorkspaceTest {
 protected:
  Instruction Stored(const std::string& user = "ann") {
    Instruction instruction;
    EXPECT_EQ(harness_.store().Read("test",
                                    [&](storage::ReadView& view) -> absl::Status {
                                      absl::StatusOr<Instruction> read = ReadInstruction(view, user);
                                      if (read.ok()) instruction = *std::move(read);
                                      return read.status();
                                    }),
              absl::OkStatus());
    return instruction;
  }
  std::optional<std::string> Document() {
    std::optional<std::string> document;
    EXPECT_EQ(harness_.store().Read("test",
                                    [&](storage::ReadView& view) {
                                      const auto found = view.FindDocument("instruction", "ann");
                                      if (found.ok()) document = *found;
                                      return found.status();
                                    }),
              absl::OkStatus());
    return document;
  }
  absl::StatusOr<bool> SwitchIsOn() {
    absl::StatusOr<bool> on;
    EXPECT_EQ(harness_.store().Read("test",
                                    [&](storage::ReadView& view) {
                                      on = MemorySwitch().is_on(harness_.caller(), view);
                                      return on.status();
                                    }),
              absl::OkStatus());
    return on;
  }
  const ToolDefinition& Definition(std::string_view id) { return harness_.catalog().Find(id)->definition; }
};

TEST_F(MemoryToolsTest, SaveMemoryReplacesTheWholeMemory) {
  EXPECT_EQ(Do("save_memory", {{"memory", "- tea"}})["message"], "Saved: the memory holds 5 of 4000 characters.");
  EXPECT_EQ(harness_.description(), "Saved a memory of 5 characters");
  Do("save_memory", {{"memory", "- coffee"}});
  EXPECT_EQ(Stored().memory, "- coffee");
  EXPECT_EQ(Stored().updated_at, harness_.clock().Now());
  Do("save_memory", {{"memory", ""}});
  EXPECT_EQ(harness_.description(), "Cleared the memory");
  EXPECT_EQ(Stored().memory, "");
}

TEST_F(MemoryToolsTest, SaveMemoryTakesExactlyFourThousandCharacters) {
  std::string memory;
  for (int i = 0; i < 4000; ++i) memory += "ü";
  Do("save_memory", {{"memory", memory}});
  harness_.clock().Advance(absl::Minutes(1));
  EXPECT_THAT(Call("save_memory", {{"memory", memory + "ü"}}),
              FailsWith(ErrorCode::kInvalidParams, "the schema", "/memory"));
  EXPECT_EQ(Stored().memory, memory);
  EXPECT_LT(Stored().updated_at, harness_.clock().Now()) << "nothing was written";
}

TEST_F(MemoryToolsTest, TheMemoryIsTheCallersOwn) {
  Do("save_memory", {{"memory", "ann's"}});
  harness_.caller().user_id = "bob";
  Do("save_memory", {{"memory", "bob's"}});
  EXPECT_EQ(Stored("ann").memory, "ann's");
  EXPECT_EQ(Stored("bob").memory, "bob's");
}

TEST_F(MemoryToolsTest, EveryToolIsTakenBackAndDoneAgain) {
  Do("save_memory", {{"memory", "- tea"}});
  for (const auto& [tool, arguments] : std::vector<std::pair<std::string, Json>>{
           {"save_memory", {{"memory", "- coffee"}}},
           {"update_db_schema", {{"schema", "### ai_tea"}}},
           {"update_instruction", {{"coreInstruction", "Be kind."}, {"memoryEnabled", false}}}}) {
    const auto before = Document();
    harness_.clock().Advance(absl::Minutes(1));
    Do(tool, arguments);
    const auto after = Document();
    EXPECT_NE(before, after) << tool;
    const auto undo = harness_.Revert(harness_.changes());
    ASSERT_TRUE(undo.ok()) << tool << undo.status();
    EXPECT_EQ(Document(), before) << tool;
    ASSERT_TRUE(harness_.Revert(*undo).ok()) << tool;
    EXPECT_EQ(Document(), after) << tool;
  }
}

TEST_F(MemoryToolsTest, TheFirstChangeIsTakenBackToTheDefaults) {
  Do("save_memory", {{"memory", "- tea"}});
  ASSERT_TRUE(harness_.Revert(harness_.changes()).ok());
  EXPECT_EQ(Document(), std::nullopt);
}

TEST_F(MemoryToolsTest, ALaterChangeIsNotOverwritten) {
  Do("save_memory", {{"memory", "- tea"}});
  const storage::Changes saved = harness_.changes();
  Do("update_instruction", {{"coreInstruction", "Be kind."}});
  EXPECT_THAT(harness_.Revert(saved), FailsWith(ErrorCode::kConflict, "instruction", ""));
  EXPECT_EQ(Stored().memory, "- tea");
}

TEST_F(MemoryToolsTest, ADryRunStoresNothing) {
  ASSERT_TRUE(harness_.Call("save_memory", {{"memory", "- tea"}}, storage::CommitMode::kDryRun).ok());
  EXPECT_EQ(Stored().memory, "");
}

// The question itself shows the memory, which is an argument.
TEST_F(MemoryToolsTest, TheQuestionSaysWhatIsReplaced) {
  Do("save_memory", {{"memory", "- tea"}});
  const std::string memory = std::string(3990, 'x') + " THE END";
  const auto preview = harness_.PreviewOf("save_memory", {{"memory", memory}});
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_EQ(preview->summary, "Replace the memory (5 characters), which every later conversation is given");
  EXPECT_THAT(harness_.PreviewOf("save_memory", {{"memory", std::string(4001, 'x')}}),
              FailsWith(ErrorCode::kInvalidParams, "the schema", "/memory"))
      << "nobody is asked about what would fail";
}

TEST_F(MemoryToolsTest, UpdateDbSchemaReplacesTheNotes) {
  Do("save_memory", {{"memory", "- tea"}});
  EXPECT_EQ(Do("update_db_schema", {{"schema", "### ai_tea"}})["success"], true);
  EXPECT_EQ(Stored().db_schema, "### ai_tea");
  EXPECT_EQ(Stored().memory, "- tea");
  Do("update_db_schema", {{"schema", ""}});
  EXPECT_EQ(Stored().db_schema, "");
  const std::string notes(100'000, 'n');
  Do("update_db_schema", {{"schema", notes}});
  EXPECT_EQ(Stored().db_schema, notes);
  EXPECT_THAT(Call("update_db_schema", {{"schema", notes + "n"}}),
              FailsWith(ErrorCode::kInvalidParams, "schema", "/schema"));
}

TEST_F(MemoryToolsTest, UpdateInstructionChangesWhatIsGiven) {
  Do("update_instruction", {{"coreInstruction", "Be kind.\r\n"}, {"memory", "- tea"}});
  EXPECT_EQ(harness_.description(), "Changed the instruction: core instruction and memory");
  const Json result = Do("update_instruction", {{"memoryEnabled", false}});
  EXPECT_EQ(harness_.description(), "Changed the instruction: memory tools (now off)");
  EXPECT_EQ(result["updatedAt"], "2026-03-02T09:00:00.000000Z");
  EXPECT_EQ(Stored().core_instruction, "Be kind.\r\n");
  EXPECT_EQ(Stored().memory, "- tea");
  EXPECT_FALSE(Stored().memory_enabled);
  EXPECT_THAT(Call("update_instruction", {{"coreInstruction", "x"}, {"memory", std::string(4001, 'x')}}),
              FailsWith(ErrorCode::kInvalidParams, "4001", "/memory"));
  EXPECT_EQ(Stored().core_instruction, "Be kind.\r\n");
}

TEST_F(MemoryToolsTest, UpdateInstructionWithNothingAnswersWhatIsThere) {
  EXPECT_TRUE(Do("update_instruction", Json::object())["updatedAt"].is_null());
  EXPECT_FALSE(Stored().updated_at.has_value());
}

TEST_F(MemoryToolsTest, TheQuestionAboutAnInstructionNamesItsParts) {
  const auto preview = harness_.PreviewOf("update_instruction", {{"memory", "- tea"}, {"memoryEnabled", true}});
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_EQ(preview->summary,
            "Change the instruction that every later conversation is given: memory and memory tools (now on)");
}

TEST_F(MemoryToolsTest, TheSwitchIsTheUsersOwn) {
  EXPECT_TRUE(*SwitchIsOn());
  Do("update_instruction", {{"memoryEnabled", false}});
  EXPECT_FALSE(*SwitchIsOn());
  harness_.caller().user_id = "bob";
  EXPECT_TRUE(*SwitchIsOn());
}

TEST_F(MemoryToolsTest, AreWhatTheContractSays) {
  for (const auto& [id, argument] : {std::pair{"save_memory", "memory"}, {"update_db_schema", "schema"}}) {
    const ToolDefinition& definition = Definition(id);
    EXPECT_EQ(definition.module, "memory") << id;
    EXPECT_EQ(definition.category, Category::kUpdate) << id;
    EXPECT_EQ(definition.permissions, std::vector<std::string>{"memory:write"}) << id;
    EXPECT_EQ(definition.switch_name, "memory") << id;
    EXPECT_EQ(definition.argument_schema["properties"].size(), 1u) << id;
    EXPECT_EQ(definition.argument_schema["properties"][argument]["type"], "string") << id;
    EXPECT_EQ(definition.argument_schema["required"], Json::array({argument})) << id;
    EXPECT_EQ(definition.result_schema["required"], Json::array({"success", "message"})) << id;
    EXPECT_TRUE(definition.annotations.remembered) << id;
    EXPECT_TRUE(definition.annotations.reversible) << id;
    EXPECT_FALSE(definition.internal) << id;
    EXPECT_GE(definition.examples.size(), 2u) << id;
  }
}

// Otherwise a user who turned the memory off could not turn it on again.
TEST_F(MemoryToolsTest, WhatTurnsTheSwitchIsNotBehindIt) {
  EXPECT_EQ(Definition("update_instruction").switch_name, "");
  EXPECT_TRUE(Definition("update_instruction").internal);
}

}  // namespace
}  // namespace toolgate::executors::memory
