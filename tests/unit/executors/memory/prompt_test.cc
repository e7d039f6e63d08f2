#include "executors/memory/prompt.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate::executors::memory {
namespace {

Instruction With(std::string core, std::string memory, std::string schema, bool enabled = true) {
  Instruction instruction;
  instruction.core_instruction = std::move(core);
  instruction.memory = std::move(memory);
  instruction.db_schema = std::move(schema);
  instruction.memory_enabled = enabled;
  return instruction;
}

struct PromptRow {
  const char* name;
  Instruction instruction;
  std::string prompt;
};

class PromptTest : public ::testing::TestWithParam<PromptRow> {};

TEST_P(PromptTest, IsTheseBytes) { EXPECT_EQ(BuildPrompt(GetParam().instruction), GetParam().prompt); }

INSTANTIATE_TEST_SUITE_P(
    Rows, PromptTest,
    ::testing::Values(PromptRow{"Full", With("You are Ada.", "- likes tea\n- lives in Graz", "### ai_runs\n- km REAL"),
                                "You are Ada.\n"
                                "\n"
                                "---\n"
                                "\n"
                                "## Your Memory\n"
                                "- likes tea\n"
                                "- lives in Graz\n"
                                "\n"
                                "## Your Database\n"
                                "### ai_runs\n"
                                "- km REAL"},
                      PromptRow{"NothingKeptYet", With("You are Ada.", "", ""),
                                "You are Ada.\n\n---\n\n## Your Memory\nNo memories stored yet.\n\n"
                                "## Your Database\nNo tables created yet."},
                      PromptRow{"OnlyMemory", With("Core", "M", ""),
                                "Core\n\n---\n\n## Your Memory\nM\n\n## Your Database\nNo tables created yet."},
                      PromptRow{"OnlySchema", With("Core", "", "S"),
                                "Core\n\n---\n\n## Your Memory\nNo memories stored yet.\n\n## Your Database\nS"},
                      PromptRow{"EveryPartAsItIs", With("  Core \r\n\n", " M\n", "\tS "),
                                "  Core \r\n\n\n\n---\n\n## Your Memory\n M\n\n\n## Your Database\n\tS "},
                      PromptRow{"TheSwitchMakesNoDifference", With("Core", "M", "S", false),
                                "Core\n\n---\n\n## Your Memory\nM\n\n## Your Database\nS"},
                      PromptRow{"OneCharacterBetweenBlanks", With(" \u3000語\u00A0", "M", "S"),
                                " \u3000語\u00A0\n\n---\n\n## Your Memory\nM\n\n## Your Database\nS"}),
    [](const auto& row) { return row.param.name; });

TEST(PromptTest, ABlankCoreInstructionGivesNone) {
  for (const char* blank : {"", " ", "\n", " \t\r\n\v\f", "\u00A0", "\u3000\u2003 \u2028\n", "\uFEFF", "\u0085"}) {
    EXPECT_EQ(BuildPrompt(With(blank, "M", "S")), std::nullopt) << '"' << blank << '"';
  }
}

TEST(PromptTest, WhatOnlyLooksLikePartOfABlankIsText) {
  // U+200B is no white space; U+00A1 and U+3001 share first bytes with blanks.
  for (const char* text : {"\u200B", "\u00A1", "\u3001", "\u2060", "."}) {
    EXPECT_TRUE(BuildPrompt(With(text, "", "")).has_value()) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace toolgate::executors::memory
