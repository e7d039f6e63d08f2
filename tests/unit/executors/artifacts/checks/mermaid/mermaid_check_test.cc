#include "executors/artifacts/checks/mermaid/mermaid_check.h"

#include <fstream>
#include <string>
#include <vector>

#include "common/json.h"
#include "gtest/gtest.h"
#include "tests/support/artifact_rules.h"
#include "tests/support/source_dir.h"

namespace toolgate::executors::artifacts::checks::mermaid {
namespace {

using testing::RuleCase;
using testing::RulesIn;

class MermaidTest : public ::testing::TestWithParam<RuleCase> {};

TEST_P(MermaidTest, BreaksTheseRules) { EXPECT_EQ(RulesIn(CheckMermaid(GetParam().source)), GetParam().rules); }

INSTANTIATE_TEST_SUITE_P(
    Flowcharts, MermaidTest,
    ::testing::Values(
        RuleCase{"Plain", "flowchart TD\n  A[Start] --> B{Choice}\n  B -->|Yes| C([Round])\n  B -- No --> D[(Data)]\n"},
        RuleCase{"Shapes",
                 "graph LR\n a((x)) & b[[y]] --> c{{z}} -.-> d[/p/] ==> e[\\q\\] --- f(((w)))\n g>flag] ~~~ h(r)\n"},
        RuleCase{"Quoted", "flowchart LR\n A[\"f(x) [y]\"] --> B{\"a \\ b\"}\n"},
        RuleCase{"Subgraph", "flowchart TB\n subgraph one [First part]\n  direction LR\n  A-->B\n end\n one --> C\n"},
        RuleCase{"Styles",
                 "flowchart TD\n A-->B\n style A fill:#f9f,stroke:#333\n classDef x fill:#fff\n class A,B x\n"},
        RuleCase{"EdgeForms",
                 "flowchart LR\n A --x B\n A --o C\n A <--> D\n A -. text .-> E\n A == text ==> F\n A--text with "
                 "(brackets)-->G\n"},
        RuleCase{"Properties", "flowchart TD\n A@{ shape: rect, label: \"a } b\" } --> B\n"},
        RuleCase{"HyphenatedId", "flowchart TD\n my-node[x] --> other-node\n"},
        RuleCase{"Comment", "%% a comment (\nflowchart TD\n %% [ not read\n A-->B\n"},
        RuleCase{"HtmlBreak", "flowchart TD\n A[\"one<br/>two\"] --> B\n"},
        RuleCase{"OneLine", "graph TD; A-->B; B-->C;\n"},
        RuleCase{"LabelOverLines", "flowchart LR\n c(\"`The **cat**\n  in the hat`\") -- \"edge (1)\" --> d\n"},
        RuleCase{"CircleAndCross", "flowchart LR\n A o--o B\n C x--x D\n A---B\n A e1@--> F\n"},
        RuleCase{"Unquoted", "flowchart TD\n A[call f(x)] --> B\n", {"error unquoted-label"}},
        RuleCase{"Unclosed", "flowchart TD\n A[Start --> B\n", {"error unclosed-shape"}},
        RuleCase{"WrongClose", "flowchart TD\n A[\"x\") --> B\n", {"error unclosed-shape"}},
        RuleCase{"OpenQuote", "flowchart TD\n A[\"x] --> B\n", {"error unterminated-label"}},
        RuleCase{"ThinArrow", "flowchart TD\n A -> B\n", {"error bad-arrow"}},
        RuleCase{"Dangling", "flowchart TD\n A -->\n", {"error dangling-arrow"}},
        RuleCase{"OpenSubgraph", "flowchart TD\n subgraph one\n A-->B\n", {"error unclosed-block"}},
        RuleCase{"StrayEnd", "flowchart TD\n A-->B\n end\n", {"error unexpected-end"}},
        RuleCase{"Direction", "flowchart DOWN\n A-->B\n", {"error bad-direction"}},
        RuleCase{"OpenPipe", "flowchart TD\n A -->|yes B\n", {"error unclosed-shape"}},
        RuleCase{"BracketInLinkText", "flowchart TD\n A -->|f(x)| B\n", {"error unquoted-label"}},
        RuleCase{"BracketInTitle", "flowchart TD\n subgraph one [a (b)]\n A\n end\n", {"error unquoted-label"}},
        RuleCase{"NodeEnd", "flowchart TD\n A --> end\n", {"error reserved-word"}},
        RuleCase{"NoLabel", "flowchart TD\n A[] --> B\n", {"error empty-label"}},
        RuleCase{"PipeInLabel", "flowchart TD\n A[a | b] --> B\n", {"error unquoted-label"}},
        RuleCase{"NoSuchLink", "flowchart TD\n A --> B\n linkStyle 1 stroke:#ff3\n", {"error no-such-link"}},
        RuleCase{"LinkOverLines", "flowchart TD\n A -->\n B\n"},
        RuleCase{"DirectiveInComment", "%%%{init: {}}%%\nflowchart TD\n A-->B\n", {"unchecked not-checked"}},
        RuleCase{"CommentBehind", "flowchart TD\n A --> B %% c\n", {"unchecked not-checked"}}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    OtherKinds, MermaidTest,
    ::testing::Values(
        RuleCase{"Sequence",
                 "sequenceDiagram\n participant A as Alice\n A->>+B: Hi (there\n alt yes\n  B-->>-A: ok\n else no\n  "
                 "B-xA: no\n end\n Note over A,B: a \" b\n"},
        RuleCase{"SequenceNames",
                 "sequenceDiagram\n participant web-x as Web-X\n create actor b-)\n A->>()B: x\n title a->b\n",
                 {"unchecked not-checked"}},
        RuleCase{"SequenceSemicolon", "sequenceDiagram\n A->>B: one; two\n", {"error semicolon"}},
        RuleCase{"SequenceNotActive", "sequenceDiagram\n A->>-B: one\n", {"error not-active"}},
        RuleCase{"TwoRoots", "mindmap\n  a\n  b\n", {"error second-root"}},
        RuleCase{"BlankAtRoot", "mindmap\n\n  a\n", {"error blank-line"}},
        RuleCase{"Bits", "packet-beta\n 0-15: \"a\"\n 20-31: \"b\"\n", {"error bad-bits"}},
        RuleCase{"OtherKind", "gitGraph\n commit\n", {"unchecked not-checked"}},
        RuleCase{"CommentsAlone", "stateDiagram-v2\n %% later\n", {"unchecked not-checked"}},
        RuleCase{"NothingAtAll", "stateDiagram-v2\n", {"error empty-diagram"}},
        RuleCase{"NoBreakSpaceFirst", "\u00A0flowchart TD\n A --> B\n", {"unchecked not-checked"}},
        RuleCase{"DiagramBehindADirective", "%%{init: {}}%%flowchart TD\n A --> B\n", {"unchecked not-checked"}},
        RuleCase{"DirectionInAType",
                 "classDiagram\n class List~Tdirection LR~ {\n +int size\n }\n",
                 {"unchecked not-checked"}},
        RuleCase{"DirectionOfItsOwn", "classDiagram\n direction LR\n class A {\n +int size\n }\n"},
        RuleCase{"DirectiveInALabel", "graph LR\n A[%%{init: {}}%%[x]] --> B\n", {"unchecked not-checked"}},
        RuleCase{"OpenDirectiveAtTheEnd", "graph LR\n A --> B\n%%{init\n", {"unchecked not-checked"}},
        RuleCase{"QuoteInThePiesTitle", "pie title Pets\"\n \"Dogs\" : 3\n"},
        RuleCase{"NoBlankBehindTheKind", "quadrantCharttitle x\n A: [0.3, 0.6]\n", {"unchecked not-checked"}},
        RuleCase{"CharacterCodeInSankey", "sankey-beta\n\na,#35;b,10\n", {"unchecked not-checked"}},
        RuleCase{"SequenceOpen", "sequenceDiagram\n loop x\n A->>B: y\n", {"error unclosed-block"}},
        RuleCase{"SequenceNoText", "sequenceDiagram\n A->>B\n", {"error no-message"}},
        RuleCase{"SequenceNoReceiver", "sequenceDiagram\n A->>: x\n", {"error dangling-arrow"}},
        RuleCase{"SequenceElse", "sequenceDiagram\n else x\n A->>B: y\n", {"error unexpected-branch"}},
        RuleCase{"Class", "classDiagram\n class A {\n  +int x\n  +f() List~Object~\n }\n A <|-- B : is\n"},
        RuleCase{"ClassOpen", "classDiagram\n class A {\n  +int x\n", {"error unclosed-block"}},
        RuleCase{"State", "stateDiagram-v2\n [*] --> A\n state A {\n  [*] --> B\n }\n"},
        RuleCase{"Entities", "erDiagram\n A ||--o{ B : \"has\"\n A {\n  string name\n }\n"},
        RuleCase{"Pie", "pie title Pets\n \"Dogs\" : 386\n \"Cats\" : 85\n"},
        RuleCase{"PieQuote", "pie\n \"Dogs : 386\n", {"error unterminated-label"}},
        RuleCase{"Gantt", "gantt\n title A (b\n dateFormat YYYY-MM-DD\n section S\n Task :a1, 2024-01-01, 3d\n"},
        RuleCase{"Mindmap", "mindmap\n root((x))\n  a\n"},
        RuleCase{"Unknown", "flowchrt TD\n A-->B\n", {"error unknown-diagram"}},
        RuleCase{"Prose", "Here is the diagram\n", {"error unknown-diagram"}},
        RuleCase{"Empty", "\n%% only this\n", {"error empty-diagram"}},
        RuleCase{"HeaderOnly", "sequenceDiagram\n", {"error empty-diagram"}}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Attacks, MermaidTest,
    ::testing::Values(
        RuleCase{"Theme", "%%{init: {'theme': 'dark'}}%%\nflowchart TD\n A-->B\n"},
        RuleCase{"FrontMatter", "---\ntitle: My diagram\nconfig:\n  theme: forest\n---\nflowchart TD\n A-->B\n"},
        RuleCase{
            "SecurityLevel", "%%{init: {'securityLevel': 'loose'}}%%\nflowchart TD\n A-->B\n", {"unsafe page-setting"}},
        RuleCase{"SecurityLevelOverLines",
                 "%%{init: {\n \"securityLevel\":\n \"loose\"}}%%\nflowchart TD\n A-->B\n",
                 {"unsafe page-setting"}},
        RuleCase{"SecurityInFrontMatter",
                 "---\nconfig:\n  securityLevel: loose\n---\nflowchart TD\n A-->B\n",
                 {"unsafe page-setting"}},
        RuleCase{"SecureKeys", "%%{init: {'secure': []}}%%\nflowchart TD\n A-->B\n", {"unsafe page-setting"}},
        RuleCase{"OpenDirective",
                 "%%{init: {'theme': 'dark'\nflowchart TD\n A-->B\n",
                 {"error empty-diagram", "error unclosed-directive"}},
        RuleCase{"ClickScript", "flowchart TD\n A-->B\n click A href \"javascript:alert(1)\"\n", {"unsafe script-url"}},
        RuleCase{"ClickScriptBare", "flowchart TD\n A-->B\n click A javascript:alert(1)\n", {"unsafe script-url"}},
        RuleCase{"ClickWeb", "flowchart TD\n A-->B\n click A href \"https://example.com\" _blank\n"},
        RuleCase{"ClickCallback", "flowchart TD\n A-->B\n click A call f()\n", {"warning callback"}},
        RuleCase{"SequenceLink",
                 "sequenceDiagram\n A->>B: x\n links A: {\"x\": \"JavaScript:alert(1)\"}\n",
                 {"unsafe script-url"}},
        RuleCase{
            "HandlerInLabel", "flowchart TD\n A[\"<img src=x onerror=alert(1)>\"] --> B\n", {"unsafe event-handler"}},
        RuleCase{"ScriptInLabel", "flowchart TD\n A[\"<script>x</script>\"] --> B\n", {"unsafe script-element"}},
        RuleCase{"WordsAboutSecurity", "flowchart TD\n A[\"securityLevel: loose\"] --> B[secure area]\n"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(MermaidCheckTest, TellsFromWhereItDoesNotKnow) {
  const std::vector<Problem> problems = CheckMermaid("%% c\nclassDiagram\n A --> B\n unheard of\n nor this\n");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].line, 4);
  EXPECT_EQ(problems[0].column, 2);
  EXPECT_EQ(problems[0].severity, Severity::kUnchecked);
  EXPECT_NE(problems[0].message.find("unheard of"), std::string::npos) << problems[0].message;
}

TEST(MermaidCheckTest, TellsThePlaceAndTheRightKind) {
  const std::vector<Problem> problems = CheckMermaid("\nsequenceDiagramm\n A->>B: x\n");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].line, 2);
  EXPECT_NE(problems[0].message.find("did you mean sequenceDiagram?"), std::string::npos) << problems[0].message;
}

// Mermaid's own parser gave the verdicts: tests/e2e/mermaid_verdicts.mjs.
struct Counts {
  int all = 0;
  int accepted = 0;
  int valid = 0;
  int invalid = 0;
};

TEST(MermaidCheckTest, NeverContradictsMermaid) {
  std::ifstream file(toolgate::SourceDir() + "/tests/unit/executors/artifacts/checks/mermaid/verdicts.jsonl");
  std::string line;
  ASSERT_TRUE(std::getline(file, line)) << "no verdicts";
  ASSERT_EQ(Json::parse(line)["mermaid"].get<std::string>().substr(0, 3), "11.");
  Counts counts;
  while (std::getline(file, line)) {
    const Json verdict = Json::parse(line);
    const auto diagram = verdict["diagram"].get<std::string>();
    const bool accepted = verdict["accepted"].get<bool>();
    const std::vector<Problem> problems = CheckMermaid(diagram);
    const bool invalid = HasErrors(problems);
    const bool valid = !invalid && !HasUnchecked(problems);
    EXPECT_FALSE(valid && !accepted) << "wrongly valid:\n" << diagram;
    EXPECT_FALSE(invalid && accepted) << "wrongly invalid, " << problems[0].rule << ":\n" << diagram;
    ++counts.all;
    counts.accepted += accepted ? 1 : 0;
    counts.valid += valid ? 1 : 0;
    counts.invalid += invalid ? 1 : 0;
  }
  EXPECT_GE(counts.all, 1000);
  // Not all is left unchecked.
  EXPECT_GE(counts.valid, counts.accepted * 6 / 10);
  EXPECT_GE(counts.invalid, (counts.all - counts.accepted) * 4 / 10);
}

}  // namespace
}  // namespace toolgate::executors::artifacts::checks::mermaid
