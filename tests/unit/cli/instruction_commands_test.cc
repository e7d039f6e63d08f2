// `toolgate instruction`, `toolgate instruction set` and `toolgate prompt` against a fake service.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "common/json.h"
#include "tests/support/command_run.h"
#include "tests/support/fake_service.h"

namespace toolgate::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class InstructionCommandsTest : public ::testing::Test {
 protected:
  InstructionCommandsTest() {
    service_.instruction.set_core_instruction("Be kind.\n\n## Always\x1b[31m");
    service_.instruction.set_memory("- tea");
    service_.instruction.set_memory_enabled(true);
    service_.instruction.mutable_updated_at()->set_seconds(1772442000);
  }

  CommandOutput Run(std::vector<std::string> arguments, const Surroundings& surroundings = {}) {
    arguments.insert(arguments.end(), {"--address", service_.address(), "--time-zone", "UTC", "--user", "ann"});
    return RunCommand(arguments, surroundings);
  }
  // Request sent by one `set`.
  v1::UpdateInstructionRequest Sent(std::vector<std::string> flags, const Surroundings& surroundings = {}) {
    service_.instruction_updates.clear();
    flags.insert(flags.begin(), {"instruction", "set"});
    const CommandOutput output = Run(std::move(flags), surroundings);
    EXPECT_EQ(output.code, 0) << output.err;
    EXPECT_EQ(service_.instruction_updates.size(), 1u);
    return service_.instruction_updates.empty() ? v1::UpdateInstructionRequest() : service_.instruction_updates[0];
  }
  static std::string FileWith(const std::string& text) {
    const std::string path = ::testing::TempDir() + "/instruction_commands_test.txt";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  FakeService service_;
};

TEST_F(InstructionCommandsTest, ShowsEveryPart) {
  const CommandOutput output = Run({"instruction"});
  EXPECT_EQ(output.code, 0);
  EXPECT_EQ(output.out,
            "last change:  2026-03-02 09:00:00\n"
            "memory tools: on\n"
            "\nCore instruction\n  Be kind.\n  \n  ## Always\\u{1b}[31m\n"
            "\nMemory\n  - tea\n"
            "\nNotes on the database\n  (empty)\n");
  EXPECT_EQ(service_.instruction_caller.user_id(), "ann");
}

TEST_F(InstructionCommandsTest, SaysThatNothingWasEverChanged) {
  service_.instruction.clear_updated_at();
  service_.instruction.set_memory_enabled(false);
  const CommandOutput output = Run({"instruction"});
  EXPECT_THAT(output.out, HasSubstr("never; these are the defaults\nmemory tools: off\n"));
}

TEST_F(InstructionCommandsTest, IsJsonForPrograms) {
  const CommandOutput output = Run({"instruction", "--json"});
  EXPECT_EQ(output.out, R"({"coreInstruction":"Be kind.\n\n## Always\u001b[31m","memory":"- tea","memoryEnabled":true,)"
                        R"("dbSchema":"","updatedAt":"2026-03-02T09:00:00.000000Z"})"
                        "\n");
}

TEST_F(InstructionCommandsTest, SetSendsOnlyWhatIsGiven) {
  v1::UpdateInstructionRequest sent = Sent({"--memory", "- coffee"});
  EXPECT_EQ(sent.memory(), "- coffee");
  EXPECT_FALSE(sent.has_core_instruction() || sent.has_db_schema() || sent.has_memory_enabled());
  sent = Sent({"--memory-enabled=false"});
  EXPECT_TRUE(sent.has_memory_enabled());
  EXPECT_FALSE(sent.memory_enabled() || sent.has_memory());
  sent = Sent({"--memory-enabled", "true", "--idempotency-key", "k", "--confirmation-token", "t"});
  EXPECT_TRUE(sent.memory_enabled());
  EXPECT_EQ(sent.idempotency_key(), "k");
  EXPECT_EQ(sent.confirmation_token(), "t");
}

TEST_F(InstructionCommandsTest, TheEmptyMemoryIsAMemory) {
  const v1::UpdateInstructionRequest sent = Sent({"--memory", ""});
  EXPECT_TRUE(sent.has_memory());
  EXPECT_EQ(sent.memory(), "");
}

TEST_F(InstructionCommandsTest, TextsComeFromAFileOrTheStandardInputAsTheyAre) {
  const std::string text = "Line one\r\n\n  語 {}\n";
  const std::string file = FileWith(text);
  EXPECT_EQ(Sent({"--core", file}).core_instruction(), text);
  EXPECT_EQ(Sent({"--db-schema", file}).db_schema(), text);
  EXPECT_EQ(Sent({"--core", "-"}, {.in = text}).core_instruction(), text);
  const v1::UpdateInstructionRequest both = Sent({"--core", file, "--db-schema", "-"}, {.in = "### ai_tea"});
  EXPECT_EQ(both.core_instruction(), text);
  EXPECT_EQ(both.db_schema(), "### ai_tea");
}

TEST_F(InstructionCommandsTest, WhatCannotBeSentIsNotSent) {
  const CommandOutput nothing = Run({"instruction", "set"});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("nothing to change: give --core, --memory"));
  EXPECT_EQ(Run({"instruction", "set", "--core", "-", "--db-schema", "-"}).code, 2);
  EXPECT_EQ(Run({"instruction", "set", "--memory-enabled", "maybe"}).code, 2);
  const CommandOutput missing = Run({"instruction", "set", "--core", "/no/such/file"});
  EXPECT_EQ(missing.code, 9);
  EXPECT_THAT(missing.err, HasSubstr("/no/such/file"));
  EXPECT_EQ(Run({"instruction", "set", "--core", FileWith(std::string(400'001, 'x'))}).code, 9);
  EXPECT_TRUE(service_.instruction_updates.empty());
}

TEST_F(InstructionCommandsTest, SetSaysHowToUndo) {
  service_.instruction_update.set_undo_entry_id("u1");
  const CommandOutput output = Run({"instruction", "set", "--memory", "x"});
  EXPECT_EQ(output.out, "saved\n");
  EXPECT_EQ(output.err, "undo with: toolgate undo u1\n");
  *service_.instruction_update.mutable_instruction() = service_.instruction;
  const Json json = *ParseJson(Run({"instruction", "set", "--memory", "x", "--json"}).out);
  EXPECT_EQ(json["undoEntryId"], "u1");
  EXPECT_EQ(json["instruction"]["memory"], "- tea");
}

TEST_F(InstructionCommandsTest, AQuestionEndsWithItsToken) {
  auto& asked = *service_.instruction_update.mutable_confirmation_request();
  asked.set_token("tok-1");
  asked.set_summary("Change the instruction");
  asked.mutable_expires_at()->set_seconds(1772442300);
  const CommandOutput output = Run({"instruction", "set", "--memory", "x"});
  EXPECT_EQ(output.code, 4);
  EXPECT_EQ(output.out, "tok-1\n");
  EXPECT_THAT(output.err, HasSubstr("approval: Change the instruction"));
  EXPECT_THAT(output.err, HasSubstr("Until 2026-03-02 09:05:00"));
  const CommandOutput json = Run({"instruction", "set", "--memory", "x", "--json"});
  EXPECT_EQ(json.code, 4);
  EXPECT_EQ((*ParseJson(json.out))["confirmationRequest"]["token"], "tok-1");
}

// The service has put the texts that it quotes behind bars.
TEST_F(InstructionCommandsTest, LinesOfAQuestionAreShownAsTheyAre) {
  auto& asked = *service_.instruction_update.mutable_confirmation_request();
  asked.set_token("tok-1");
  asked.set_summary("Change \x1b it:\n  | -old\n  | +new\nAfterwards: nothing\n");
  const CommandOutput output = Run({"instruction", "set", "--memory", "x"});
  EXPECT_THAT(output.err, HasSubstr("approval: Change \\u{1b} it:\n  | -old\n  | +new\nAfterwards: nothing\nUntil"));
}

TEST_F(InstructionCommandsTest, PromptPrintsWhatAModelIsGiven) {
  service_.prompt.set_prompt("Be kind.\n\n---\n\x1b");
  EXPECT_EQ(Run({"prompt"}).out, "Be kind.\n\n---\n\\u{1b}\n");
  EXPECT_EQ((*ParseJson(Run({"prompt", "--json"}).out))["prompt"], "Be kind.\n\n---\n\x1b");
}

TEST_F(InstructionCommandsTest, ABlankInstructionPrintsNothing) {
  const CommandOutput output = Run({"prompt"});
  EXPECT_EQ(output.code, 0);
  EXPECT_EQ(output.out, "");
  EXPECT_THAT(output.err, HasSubstr("models get no system prompt"));
  EXPECT_EQ(Run({"prompt", "--json"}).out, "{\"prompt\":null}\n");
}

TEST_F(InstructionCommandsTest, ARefusalHasItsExitCode) {
  service_.status =
      RichStatus(grpc::StatusCode::PERMISSION_DENIED, "this needs the permission instruction:read", "FORBIDDEN");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"instruction"}, {"prompt"}, {"instruction", "set", "--memory", "x"}}) {
    const CommandOutput output = Run(command);
    EXPECT_EQ(output.code, 3) << command[0];
    EXPECT_THAT(output.err, HasSubstr("instruction:read"));
    EXPECT_EQ(output.out, "");
  }
}

}  // namespace
}  // namespace toolgate::cli
