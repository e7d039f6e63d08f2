#include "executors/memory/instruction.h"

#include <string>
#include <utility>

#include "executors/arguments.h"
#include "storage/fault.h"
#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::memory {
namespace {

using testing::FailsWith;
using testing::WorkspaceTest;

class InstructionTest : public WorkspaceTest {
 protected:
  Instruction Read(const std::string& user = "ann", const std::string& workspace = "test") {
    Instruction instruction;
    EXPECT_EQ(harness_.store().Read(workspace,
                                    [&](storage::ReadView& view) -> absl::Status {
                                      absl::StatusOr<Instruction> read = ReadInstruction(view, user);
                                      if (read.ok()) instruction = *std::move(read);
                                      return read.status();
                                    }),
              absl::OkStatus());
    return instruction;
  }
  absl::StatusOr<Instruction> Change(const InstructionChange& change, const std::string& user = "ann") {
    absl::StatusOr<Instruction> changed;
    const absl::Status status = Commit([&](storage::Transaction& transaction) {
      changed = ChangeInstruction(transaction, user, change);
      return changed.status();
    });
    EXPECT_EQ(status, changed.status());
    return changed;
  }
  absl::Status Commit(absl::FunctionRef<absl::Status(storage::Transaction&)> body) {
    const fibers::Cancellation cancellation;
    return harness_.store().Commit({"test", "ann", "change", harness_.clock().Now()}, storage::CommitMode::kDurable,
                                   cancellation, body);
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
};

TEST_F(InstructionTest, IsTheDefaultsUntilSomethingIsStored) {
  const Instruction instruction = Read();
  EXPECT_EQ(instruction.core_instruction, DefaultCoreInstruction());
  EXPECT_EQ(instruction.memory, "");
  EXPECT_TRUE(instruction.memory_enabled);
  EXPECT_EQ(instruction.db_schema, "");
  EXPECT_FALSE(instruction.updated_at.has_value());
}

TEST_F(InstructionTest, AChangeReplacesWhatItSetsAndStampsIt) {
  ASSERT_TRUE(Change({.core_instruction = "Be kind.", .memory = "- tea"}).ok());
  harness_.clock().Advance(absl::Minutes(1) + absl::Microseconds(7));
  const absl::StatusOr<Instruction> changed = Change({.memory_enabled = false, .db_schema = "### ai_tea"});
  ASSERT_TRUE(changed.ok()) << changed.status();
  for (const Instruction& instruction : {*changed, Read()}) {
    EXPECT_EQ(instruction.core_instruction, "Be kind.");
    EXPECT_EQ(instruction.memory, "- tea");
    EXPECT_FALSE(instruction.memory_enabled);
    EXPECT_EQ(instruction.db_schema, "### ai_tea");
    EXPECT_EQ(instruction.updated_at, harness_.clock().Now());
  }
}

TEST_F(InstructionTest, TheEmptyTextIsAValue) {
  ASSERT_TRUE(Change({.core_instruction = "Be kind.", .memory = "- tea"}).ok());
  ASSERT_TRUE(Change({.core_instruction = "", .memory = ""}).ok());
  EXPECT_EQ(Read().core_instruction, "") << "and not the default";
  EXPECT_EQ(Read().memory, "");
}

TEST_F(InstructionTest, AChangeThatSetsNothingWritesNothing) {
  ASSERT_TRUE(Change({}).ok());
  EXPECT_EQ(Document(), std::nullopt);
  ASSERT_TRUE(Change({.memory = "- tea"}).ok());
  const std::optional<std::string> before = Document();
  harness_.clock().Advance(absl::Minutes(1));
  const absl::StatusOr<Instruction> unchanged = Change({});
  EXPECT_EQ(unchanged->memory, "- tea");
  EXPECT_EQ(Document(), before);
}

// So that a better default reaches all users who never wrote their own.
TEST_F(InstructionTest, TheDefaultIsNotStored) {
  ASSERT_TRUE(Change({.memory = "- tea"}).ok());
  const Json document = Parse(Document().value_or(""));
  EXPECT_EQ(document.size(), 2u) << document;
  EXPECT_EQ(document["memory"], "- tea");
  EXPECT_EQ(document["updatedAt"], "2026-03-02T09:00:00.000000Z");
}

TEST_F(InstructionTest, BelongsToOneUserOfOneWorkspace) {
  ASSERT_TRUE(Change({.memory = "ann's"}).ok());
  ASSERT_TRUE(Change({.memory = "bob's"}, "bob").ok());
  EXPECT_EQ(Read().memory, "ann's");
  EXPECT_EQ(Read("bob").memory, "bob's");
  EXPECT_EQ(Read("carol").memory, "");
  EXPECT_EQ(Read("ann", "elsewhere").memory, "");
}

TEST_F(InstructionTest, AMemoryThatIsTooLongChangesNothingElseEither) {
  ASSERT_TRUE(Change({.memory = "- tea"}).ok());
  const std::optional<std::string> before = Document();
  EXPECT_THAT(Change({.core_instruction = "Be kind.", .memory = std::string(4001, 'x')}),
              FailsWith(ErrorCode::kInvalidParams, "4001 characters long and may have at most 4000", "/memory"));
  EXPECT_EQ(Document(), before);
}

TEST_F(InstructionTest, WhatCannotBeReadIsTheStoresFault) {
  ASSERT_EQ(Commit([](storage::Transaction& tx) { return tx.PutDocument("instruction", "ann", "[1"); }),
            absl::OkStatus());
  const absl::Status status =
      harness_.store().Read("test", [](storage::ReadView& view) { return ReadInstruction(view, "ann").status(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(storage::IsFault(status));
}

TEST(MemoryLengthTest, IsCountedInUnicodeCharacters) {
  for (const char* character : {"x", "é", "語", "😀", "\n"}) {
    std::string memory;
    for (size_t i = 0; i < kMaxMemoryCharacters; ++i) memory += character;
    EXPECT_EQ(CheckMemory(memory), absl::OkStatus()) << character;
    EXPECT_THAT(CheckMemory(memory + character), FailsWith(ErrorCode::kInvalidParams, "4001", "/memory")) << character;
  }
  EXPECT_EQ(CheckMemory(""), absl::OkStatus());
}

TEST(DefaultCoreInstructionTest, IsOneTextThatEndsWithItsLastWord) {
  const std::string text(DefaultCoreInstruction());
  EXPECT_GT(CountCharacters(text), 500u);
  EXPECT_LT(CountCharacters(text), 4000u);
  EXPECT_NE(text.back(), '\n');
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("---"))) << "the prompt's own line between its parts";
}

}  // namespace
}  // namespace toolgate::executors::memory
