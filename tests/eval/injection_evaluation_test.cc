// Evaluates layer 1 on the held-out texts of tests/corpora/injection_defence/: prints one table, which must match the
// one in ADR 0031 and in the manifest of the models.
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/digest.h"
#include "common/json.h"
#include "gtest/gtest.h"
#include "security/injection_defence/detector.h"
#include "services/config/config.h"
#include "tests/support/detector_options.h"
#include "tests/support/source_dir.h"

namespace toolgate::security::injection_defence {
namespace {

// Held-out sets, each by an author who did not see the rules, but held_out_j, whose author wrote rules as well; `final`
// is the half of our own texts that was not used for the rules.
constexpr std::string_view kSets[] = {"held_out",   "held_out_z", "held_out_k", "held_out_v", "held_out_t",
                                      "held_out_h", "held_out_i", "held_out_j", "final"};

// A row of the table, and the categories that it counts. Detections are hits in the rows of attacks, and false alarms
// in all others.
struct TableRow {
  std::string_view name;
  bool attack;
  std::set<std::string_view> categories;
};
const std::vector<TableRow>& Rows() {
  static const auto* const rows = new std::vector<TableRow>{
      {"overrides", true, {"override", "override_en"}},
      {"overrides in other languages", true, {"override_other_language", "override_multilingual"}},
      {"overrides within longer texts", true, {"override_buried"}},
      {"jailbreaks", true, {"jailbreak", "jailbreak_other_language"}},
      {"other attacks", true, {"other_attack", "exfil", "role", "tool", "leak", "indirect", "encoded"}},
      {"false alarms in texts full of trigger words",
       false,
       {"trigger_rich",  "trigger",      "user_question",  "email",         "ticket",        "chat",
        "review",        "code_comment", "commit_message", "documentation", "release_notes", "news",
        "recipe",        "school",       "job_ad",         "legal",         "fiction",       "forum",
        "support_macro", "calendar",     "spreadsheet",    "sql",           "yaml",          "log"}},
      {"false alarms in such texts in other languages", false, {"trigger_rich_other_language", "multilingual"}},
      {"false alarms in documents about attacks", false, {"documents_about", "security_talk"}},
      {"false alarms in tool arguments", false, {"tool_arguments", "arguments"}},
      {"false alarms in ordinary texts", false, {"ordinary"}},
  };
  return *rows;
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(SourceDir() + "/" + path);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}
std::string PathOf(std::string_view set) { return "tests/corpora/injection_defence/" + std::string(set) + ".jsonl"; }

struct Count {
  int flagged = 0;
  int all = 0;
  bool operator==(const Count&) const = default;
};
void PrintTo(const Count& count, std::ostream* out) { *out << count.flagged << " of " << count.all; }

// By row and set.
using Figures = std::map<std::string, std::map<std::string, Count>>;

// Counts a line of a set; false if no row has its category.
bool CountLine(const Detector& detector, const Json& line, const std::string& set, Figures& figures) {
  const bool held_out = line.contains("label");
  const bool attack = held_out ? line["label"] == 1 : line["attack"].get<bool>();
  const auto category = line[held_out ? "category" : "kind"].get<std::string>();
  for (const TableRow& row : Rows()) {
    if (row.attack != attack || !row.categories.contains(category)) continue;
    Count& count = figures[std::string(row.name)][set];
    ++count.all;
    count.flagged += detector.Detect(line["text"].get_ref<const std::string&>()).flagged ? 1 : 0;
    return true;
  }
  return false;
}

const Figures& TheFigures() {
  static const auto* const figures = [] {
    auto* const made = new Figures;
    const auto detector = Detector::Create(testing::UsualDetectorOptions()).value();
    for (const std::string_view set : kSets) {
      std::ifstream in(SourceDir() + "/" + PathOf(set));
      for (std::string line; std::getline(in, line);) {
        EXPECT_TRUE(CountLine(*detector, Json::parse(line), std::string(set), *made)) << set << ": " << line;
      }
    }
    return made;
  }();
  return *figures;
}

std::string TableOf(const Figures& figures) {
  std::string table = "| flagged at the default threshold |";
  std::string rule = "|---|";
  for (const std::string_view set : kSets) {
    table += " `" + std::string(set) + "` |";
    rule += "---|";
  }
  table += "\n" + rule + "\n";
  for (const TableRow& row : Rows()) {
    table += "| " + std::string(row.name) + " |";
    const auto& of_row = figures.at(std::string(row.name));
    for (const std::string_view set : kSets) {
      const auto count = of_row.find(std::string(set));
      table += count == of_row.end()
                   ? " |"
                   : " " + std::to_string(count->second.flagged) + " of " + std::to_string(count->second.all) + " |";
    }
    table += "\n";
  }
  return table;
}

Json JsonOf(const Figures& figures) {
  Json json = Json::object();
  for (const TableRow& row : Rows()) {
    const std::string name(row.name);
    for (const auto& [set, count] : figures.at(name)) json[name][set] = {count.flagged, count.all};
  }
  return json;
}

Json Manifest() { return Json::parse(ReadFile("security/injection_defence/models/manifest.json")); }

TEST(InjectionEvaluationTest, TheDecisionRecordShowsTheTable) {
  const std::string table = TableOf(TheFigures());
  std::cout << table;
  const std::string path = "docs/adr/0031-wording-strengthens-rules.md";
  EXPECT_NE(ReadFile(path).find(table), std::string::npos) << path << " does not have the table above";
}

TEST(InjectionEvaluationTest, TheManifestHoldsTheFigures) {
  Figures written;
  const Json manifest = Manifest();
  for (const auto& [row, sets] : manifest["evaluation"]["flagged"].items()) {
    for (const auto& [set, count] : sets.items()) written[row][set] = {count[0].get<int>(), count[1].get<int>()};
  }
  EXPECT_EQ(written, TheFigures()) << "the manifest has to say\n" << JsonOf(TheFigures()).dump();
  EXPECT_EQ(manifest["evaluation"]["threshold"], testing::UsualDetectorOptions().threshold);
  const auto shipped = services::config::Load({});
  ASSERT_TRUE(shipped.ok()) << shipped.status();
  EXPECT_EQ(manifest["evaluation"]["threshold"], shipped->injection_defence().threshold());
}

TEST(InjectionEvaluationTest, TheManifestNamesTheTextsOfTheFigures) {
  const Json manifest = Manifest();
  Json digests = Json::object();
  for (const std::string_view set : kSets) digests[std::string(set)] = HexEncode(Sha256(ReadFile(PathOf(set))));
  EXPECT_EQ(manifest["evaluation"]["sets"], digests);
}

}  // namespace
}  // namespace toolgate::security::injection_defence
