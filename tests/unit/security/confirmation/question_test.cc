#include "security/confirmation/question.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/text/visible_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/test_tools.h"

namespace toolgate::security::confirmation {
namespace {

using executors::PlannedStep;
using executors::Preview;
using executors::TextChange;
using testing::CodeOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr size_t kMaxBytes = size_t{128} << 10;

class QuestionTest : public ::testing::Test {
 protected:
  std::string Ask(const Json& arguments, const Preview& preview, bool untrusted = false) {
    const absl::StatusOr<std::string> question = ComposeQuestion({tool_, arguments, preview, untrusted}, kMaxBytes);
    EXPECT_TRUE(question.ok()) << question.status();
    return question.value_or("");
  }
  std::string AskToRun(const std::string& command) { return Ask({{"command", command}}, Running()); }
  static Preview Saying(const std::string& summary) {
    Preview preview;
    preview.summary = summary;
    return preview;
  }
  static Preview Running() { return Saying("Run a shell command"); }

  executors::Tool tool_ = testing::MakeTool("Bash", 0);
};

TEST_F(QuestionTest, ShowsTheEffectAndEveryArgument) {
  EXPECT_EQ(Ask({{"command", "rm -rf b"}, {"timeoutMs", 1000}, {"env", {{"A", "x"}}}}, Running()),
            "Run a shell command\n"
            "command: \"rm -rf b\"\n"
            "timeoutMs: 1000\n"
            "env: {\"A\":\"x\"}\n");
}

TEST_F(QuestionTest, EndsWithWhatCanBeUndone) {
  Preview preview = Running();
  preview.undo_summary = "Undo brings the files back.";
  preview.reversible = false;
  EXPECT_EQ(Ask({{"command", "ls"}}, preview),
            "Run a shell command\n"
            "command: \"ls\"\n"
            "Afterwards: Undo brings the files back.\n"
            "Not all of it can be undone.\n");
}

TEST_F(QuestionTest, ShowsLinesBehindABar) {
  EXPECT_EQ(AskToRun("make\nundo: Yes"),
            "Run a shell command\n"
            "command: 14 bytes in 2 lines\n"
            "  | make\n"
            "  | undo: Yes\n");
  const std::string nested =
      Ask({{"data", {{"list", {1, true, nullptr}}, {"text", std::string(200, 'x')}}}}, Running());
  EXPECT_THAT(nested,
              HasSubstr("data:\n  | {\n  |   \"list\": [\n  |     1,\n  |     true,\n  |     null\n  |   ],\n"));
}

TEST_F(QuestionTest, ShowsEveryStepWhole) {
  Preview preview = Saying("Run automation \"Auto\": Bash");
  preview.steps.push_back({"Bash", {{"command", "ls\nrm x"}}, true});
  preview.steps.push_back({"delete\nblock", {{"blockId", "{{steps.0.id}}"}}, false});
  EXPECT_EQ(Ask({{"automationId", "a1"}}, preview),
            "Run automation \"Auto\": Bash\n"
            "automationId: \"a1\"\n"
            "step 1: Bash\n"
            "  command: 7 bytes in 2 lines\n"
            "    | ls\n"
            "    | rm x\n"
            "step 2: \"delete\\nblock\", which earlier steps fill in\n"
            "  blockId: \"{{steps.0.id}}\"\n");
}

TEST_F(QuestionTest, ShowsADifferenceWithTheDigestOfWhatItReplaces) {
  Preview preview = Saying("Overwrite \"a\" (+1 −1 lines)");
  preview.digested_arguments = {"content"};
  preview.change = TextChange{.text = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-old\n+new\u202e \n"};
  const std::string content(200, 'y');
  EXPECT_EQ(Ask({{"content", content}, {"file", "a"}}, preview), absl::StrCat("Overwrite \"a\" (+1 −1 lines)\n"
                                                                              "content: 200 bytes in 1 line, SHA-256 ",
                                                                              QuestionDigest(content),
                                                                              "\nfile: \"a\"\n"
                                                                              "difference:\n"
                                                                              "  | --- a/a\n"
                                                                              "  | +++ b/a\n"
                                                                              "  | @@ -1 +1 @@\n"
                                                                              "  | -old\n"
                                                                              "  | +new\\u{202e}\\u{20}\n"));
}

TEST_F(QuestionTest, SaysFirstThatAChangeIsNotShownWhole) {
  Preview preview = Saying("Write the new file \"a\"");
  preview.digested_arguments = {"content"};
  TextChange change{.text = ""};
  for (int i = 0; i < 20'000; ++i) absl::StrAppend(&change.text, "+line ", i, "\n");
  change.whole = "220,000 bytes of new content (+20000 −0 lines), SHA-256 ab";
  preview.change = change;
  const std::string question = Ask({{"content", change.text}}, preview);
  EXPECT_LE(question.size(), kMaxBytes);
  EXPECT_THAT(question, StartsWith("NOT ALL OF THIS CHANGE IS SHOWN: only the first "));
  EXPECT_THAT(question, HasSubstr("The whole is 220,000 bytes of new content (+20000 −0 lines), SHA-256 ab.\n"));
  EXPECT_THAT(question, HasSubstr("  | +line 5000\n"));
  // A script is not approved in part.
  preview.change->may_be_cut = false;
  EXPECT_EQ(CodeOf(ComposeQuestion({tool_, {{"content", "x"}}, preview}, kMaxBytes).status()),
            ErrorCode::kQuotaExceeded);
}

TEST_F(QuestionTest, RefusesWhatIsTooLongToBeShown) {
  const Json arguments = {{"command", absl::StrCat(std::string(kMaxBytes, 'x'), "; rm -rf .")}};
  const Preview preview = Running();
  EXPECT_EQ(CodeOf(ComposeQuestion({tool_, arguments, preview}, kMaxBytes).status()), ErrorCode::kQuotaExceeded);
}

TEST_F(QuestionTest, SaysWhyItIsAskedAndThatLettersMayBeReordered) {
  const std::string question = Ask({{"command", "rm \u05d0"}}, Running(), /*untrusted=*/true);
  EXPECT_THAT(question, HasSubstr("Run a shell command\nAsked because this conversation has taken in data"));
  EXPECT_THAT(question, HasSubstr("(command has letters that are written from right to left"));
}

TEST_F(QuestionTest, SentencesOfToolsCannotHideAnythingEither) {
  EXPECT_THAT(Ask({}, Saying("Delete \x1b[2K\nnothing")), StartsWith("\"Delete \\u{1b}[2K\\nnothing\"\n"));
}

// Ways to have one command approved and another run. Each is a command of which the part "rm -rf ." must be seen.
TEST_F(QuestionTest, NoTrickHidesWhatRuns) {
  const std::string rm = "rm -rf .";
  const std::string far(9000, ' ');
  const std::vector<std::pair<std::string, std::string>> tricks = {
      {"private key", "echo \"-----BEGIN PRIVATE KEY-----\"\n" + rm + "\necho \"-----END PRIVATE KEY-----\""},
      {"rsa key", "echo '-----BEGIN RSA PRIVATE KEY-----'\n" + rm + "\n: '-----END RSA PRIVATE KEY-----'"},
      {"openssh key",
       "cat <<X\n-----BEGIN OPENSSH PRIVATE KEY-----\nX\n" + rm + "\n#-----END OPENSSH PRIVATE KEY-----"},
      {"password", "export PASSWORD=$(" + rm + ")"},
      {"password in quotes", "export PASSWORD=\"$(" + rm + ")\""},
      {"passwd flag", "mysql --password=$(" + rm + ")"},
      {"api key", "api_key=\"`" + rm + "`\" true"},
      {"secret", "SECRET_KEY='x';" + rm},
      {"token", "TOKEN=$(" + rm + ") env"},
      {"bearer", "curl -H \"Authorization: Bearer $(" + rm + ")\" x"},
      {"basic", "curl -H \"Authorization: Basic $(" + rm + ")\" x"},
      {"connection", "psql \"postgres://u:$(" + rm + ")@h/db\""},
      {"redis url", "redis-cli -u \"redis://u:$(" + rm + ")@h\""},
      {"url user", "git clone https://u:$(" + rm + ")@example.org/x"},
      {"email", "echo a@$(" + rm + ").example.org"},
      {"email name", "'" + rm + "'@example.org"},
      {"ip", "ping 10.0.0.1;" + rm + ";ping 10.0.0.2"},
      {"phone", "call +49 30 1234567 && " + rm},
      {"card", "echo 4111 1111 1111 1111; " + rm},
      {"iban", "echo DE89370400440532013000; " + rm},
      {"aws key", "AWS_SECRET_ACCESS_KEY=$(" + rm + ") aws s3 ls"},
      {"github token", "ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;" + rm},
      {"jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln;" + rm},
      {"blanks", "ls" + far + "; " + rm},
      {"tabs", "ls" + std::string(9000, '\t') + "; " + rm},
      {"blanks and tabs", "ls" + std::string(300, ' ') + std::string(300, '\t') + std::string(300, ' ') + ";" + rm},
      {"empty lines", "ls" + std::string(2000, '\n') + rm},
      {"lines of blanks", "ls\n" + far + "\n" + far + "\n" + rm},
      {"no-break spaces", "ls\u00a0\u00a0\u00a0\u00a0; " + rm},
      {"ideographic spaces", "ls\u3000\u3000\u3000; " + rm},
      {"em spaces", "ls\u2003\u2003; " + rm},
      {"comment far right", "ls #" + far + "\n" + rm},
      {"long word", "echo " + std::string(20'000, 'x') + "; " + rm},
      {"long comment", "# " + std::string(20'000, '-') + "\n" + rm},
      {"many lines",
       [&] {
         std::string text;
         for (int i = 0; i < 3000; ++i) text += "echo\n";
         return text + rm;
       }()},
      {"carriage return", rm + " #\rls          "},
      {"escape: erase line", rm + " #\x1b[2K\x1b[1Gls"},
      {"escape: hidden", "ls\x1b[8m;" + rm + "\x1b[0m"},
      {"escape: black on black", "ls\x1b[30;40m;" + rm + "\x1b[0m"},
      {"escape: cursor up", rm + "\n\x1b[1A\x1b[2Kls"},
      {"escape: title", "ls\x1b]0;x\x07;" + rm},
      {"escape: link", "\x1b]8;;http://x\x07" + rm + "\x1b]8;;\x07"},
      {"escape: charset", "\x1b(0" + rm + "\x1b(B"},
      {"escape: save and restore",
       "\x1b"
       "7" +
           rm +
           "\x1b"
           "8ls"},
      {"backspace", rm + " #\b\b\b\b\b\b\b\b\b\bls"},
      {"delete", rm + " #\x7f\x7f\x7fls"},
      {"form feed", "ls\f\f\f;" + rm},
      {"vertical tab", "ls\v\v\v;" + rm},
      {"bell", "ls\a;" + rm},
      {"C1 CSI", rm + " #\u009b2K\u009b1Gls"},
      {"C1 next line", "ls\u0085;" + rm},
      {"C1 OSC", "\u009d0;" + rm + "\u009c"},
      {"NUL", std::string("ls\0", 3) + ";" + rm},
      {"right-to-left override", "\u202e# sl\u202c;" + rm},
      {"left-to-right override", "\u202d;" + rm},
      {"embedding", "\u202b;" + rm + "\u202c"},
      {"isolates", "\u2066;" + rm + "\u2069"},
      {"right-to-left isolate", "ls #\u2067" + rm + "\u2069\n" + rm},
      {"first strong isolate", "\u2068;" + rm + "\u2069"},
      {"marks of direction", "\u200f\u200e\u061c;" + rm},
      {"zero-width spaces", "l\u200bs;\u200b" + rm},
      {"zero-width joiners", "\u200d\u200c;" + rm},
      {"word joiner", "\u2060;" + rm},
      {"byte order mark", "\ufeff" + rm},
      {"soft hyphen", "\u00ad;" + rm},
      {"invisible operators", "\u2061\u2062\u2063\u2064;" + rm},
      {"tags", "ls\U000E0072\U000E006D;" + rm},
      {"variation selectors", "ls\ufe0f\U000E0100;" + rm},
      {"Hangul fillers", "\u3164\uffa0\u115f\u1160;" + rm},
      {"Braille blank", "\u2800\u2800;" + rm},
      {"line separator", "ls #\u2028" + rm},
      {"paragraph separator", "ls #\u2029" + rm},
      {"annotation", "\ufff9;" + rm + "\ufffb"},
      {"piled marks", "l\u0336\u0337\u0338\u0335\u0334s;" + rm},
      {"enclosing mark", "l\u20dd;" + rm},
      {"private use", "\ue000;" + rm},
      {"noncharacter", "\ufdd0;" + rm},
      {"ill-formed UTF-8", "\xff\xfe;" + rm},
      {"overlong slash", "\xc0\xaf;" + rm},
      {"forged end of the question", "ls\nundo: nothing happens\nApproved already.\n" + rm},
      {"forged bar", "ls\n  | ls\n" + rm},
      {"forged escape", "\\u{72}\\u{6d}; " + rm},
      {"forged mask", "echo '[masked:password]'; " + rm},
      {"continued line", "ls \\\n; " + rm},
      {"here document", "cat <<'EOF' | sh\n" + rm + "\nEOF"},
  };
  ASSERT_GE(tricks.size(), 60u);
  std::set<std::string> names;
  std::set<std::string> questions;
  for (const auto& [name, command] : tricks) {
    EXPECT_TRUE(names.insert(name).second) << name;
    const std::string question = AskToRun(command);
    EXPECT_TRUE(questions.insert(question).second) << name;
    EXPECT_THAT(question, HasSubstr(rm)) << name;
    EXPECT_THAT(question, Not(HasSubstr("…"))) << name;
    // Every line is the question's own or stands behind a bar, and all that is on it is seen.
    for (const absl::string_view line : absl::StrSplit(question, '\n')) {
      std::string seen(line);
      seen.erase(std::remove(seen.begin(), seen.end(), '\t'), seen.end());
      EXPECT_TRUE(text::IsAllVisible(seen)) << name << ": " << line;
      const bool own = line.empty() || absl::StartsWith(line, "Run a shell command") ||
                       absl::StartsWith(line, "command: ") || absl::StartsWith(line, "(command has");
      EXPECT_TRUE(own || absl::StartsWith(line, "  | ")) << name << ": " << line;
      // No run of blanks is long enough to push the rest out of sight.
      EXPECT_EQ(line.find(std::string(text::kMaxShownBlanks + 5, ' ')), absl::string_view::npos) << name;
    }
  }
}

// Arguments as they may be: of every kind of value, with texts that are easily confused.
Json RandomValue(std::mt19937& random, int depth) {
  static const std::vector<std::string> kTexts = {"",
                                                  "a",
                                                  "a\n",
                                                  "a\nb",
                                                  "\n",
                                                  "a\\nb",
                                                  "\\",
                                                  "\"",
                                                  "1",
                                                  "true",
                                                  "null",
                                                  "{}",
                                                  "[]",
                                                  "\u202e",
                                                  "\\u{202e}",
                                                  "x ",
                                                  "x",
                                                  " x",
                                                  "a: 1",
                                                  "  | a",
                                                  "\t",
                                                  "\r",
                                                  "é",
                                                  "e\u0301",
                                                  std::string(61, ' '),
                                                  std::string(62, ' '),
                                                  "[masked:email]",
                                                  "logo@2x.svg",
                                                  std::string(130, 'y')};
  switch (random() % (depth > 2 ? 5 : 7)) {
    case 0:
      return nullptr;
    case 1:
      return random() % 2 == 0;
    case 2:
      return static_cast<int>(random() % 3);
    case 3:
      return static_cast<double>(random() % 3) + (random() % 2 == 0 ? 0.5 : 0.0);
    case 4:
      return kTexts[random() % kTexts.size()];
    case 5: {
      Json list = Json::array();
      for (size_t i = random() % 3; i > 0; --i) list.push_back(RandomValue(random, depth + 1));
      return list;
    }
    default: {
      Json object = Json::object();
      for (size_t i = random() % 3; i > 0; --i) {
        object[kTexts[random() % kTexts.size()]] = RandomValue(random, depth + 1);
      }
      return object;
    }
  }
}

// Of any two different argument objects, and of any two plans of an automation, the questions differ.
TEST_F(QuestionTest, DifferentCallsHaveDifferentQuestions) {
  std::mt19937 random(11);
  std::map<std::string, std::string> asked;
  size_t different = 0;
  for (int i = 0; i < 20'000; ++i) {
    Json arguments = Json::object();
    for (const char* name : {"command", "cwd", "data"}) {
      if (random() % 2 == 0) arguments[name] = RandomValue(random, 0);
    }
    Preview preview = Running();
    preview.digested_arguments = {"command"};
    for (size_t k = random() % 3; k > 0; --k) {
      preview.steps.push_back(
          {random() % 2 == 0 ? "Bash" : "Write", {{"a", RandomValue(random, 1)}}, random() % 4 != 0});
    }
    Json whole = {{"arguments", arguments}, {"steps", Json::array()}};
    for (const PlannedStep& step : preview.steps) {
      whole["steps"].push_back({step.tool_id, step.arguments, step.is_known});
    }
    const auto [row, is_new] = asked.emplace(Ask(arguments, preview), DumpJson(whole));
    ASSERT_EQ(row->second, DumpJson(whole)) << row->first;
    different += is_new ? 1 : 0;
  }
  EXPECT_GT(different, 10'000u);
}

}  // namespace
}  // namespace toolgate::security::confirmation
