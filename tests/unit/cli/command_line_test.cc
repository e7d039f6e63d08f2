#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/client_commands.h"
#include "cli/client_options.h"
#include "cli/help.h"
#include "common/json.h"
#include "tests/support/certificates.h"
#include "tests/support/command_run.h"
#include "tests/support/fake_service.h"
#include "tests/support/source_dir.h"
#include "tests/support/temp_dir.h"

namespace toolgate::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<Inspection> Inspections() {
  return {
      {"echo", "repeat each line", "", "{}", [] { return [](std::string_view line) { return std::string(line); }; }}};
}

CommandTable AllCommands() { return ClientCommands(Inspections()); }

struct UsageRow {
  const char* name;
  std::vector<std::string> arguments;
  const char* message;
};

class UsageTest : public ::testing::TestWithParam<UsageRow> {};

TEST_P(UsageTest, EndsWithCodeTwoAndSaysWhatWasMeant) {
  const CommandOutput output = RunCommand(GetParam().arguments);
  EXPECT_EQ(output.code, 2);
  EXPECT_EQ(output.out, "");
  EXPECT_THAT(output.err, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, UsageTest,
    ::testing::Values(
        UsageRow{"UnknownCommand", {"tols"}, "unknown command tols; did you mean tools?"},
        UsageRow{"NothingLikeIt", {"xyzzy"}, "unknown command xyzzy\n"},
        UsageRow{"UnknownCommandBelow", {"audit", "verfy"}, "unknown command verfy; did you mean verify?"},
        UsageRow{"UnknownFlag", {"call", "x", "--dry-rn"}, "unknown flag --dry-rn; did you mean --dry-run?"},
        UsageRow{"UnknownFlagWithValue", {"tools", "--formt=mcp"}, "did you mean --format?"},
        UsageRow{"UnknownClientFlag", {"tools", "--adress", "a:1"}, "did you mean --address?"},
        UsageRow{"FlagOfAnotherCommand", {"history", "--dry-run"}, "unknown flag --dry-run"},
        UsageRow{"MissingArgument", {"call"}, "TOOL is missing"},
        UsageRow{"AddressWithoutPort", {"tools", "--address", "nonsense"}, "--address: no port"},
        UsageRow{"AddressOfNoSocket", {"tools", "--address", "unix:nonsense"}, "absolute path"},
        UsageRow{
            "AddressOfTheWeb", {"tools", "--address", "http://127.0.0.1:1"}, "--address: the host is neither a name"},
        UsageRow{"EmptyKey", {"call", "x", "--idempotency-key", ""}, "--idempotency-key is empty"},
        UsageRow{"EmptyToken", {"call", "x", "--confirmation-token", ""}, "--confirmation-token is empty"},
        UsageRow{"EmptyKeyOfAnUndo", {"undo", "--idempotency-key", ""}, "--idempotency-key is empty"},
        UsageRow{"TooManyArguments", {"call", "x", "{}", "y"}, "unexpected argument y"},
        UsageRow{"MissingValue", {"tools", "--format"}, "--format"},
        UsageRow{"NotAChoice", {"tools", "--format", "antropic"}, "did you mean anthropic?"},
        UsageRow{"NotANumber", {"history", "--limit", "many"}, "\"many\" is not a whole number"},
        UsageRow{"NotADuration", {"tools", "--timeout", "soon"}, "\"soon\" is not a duration"},
        UsageRow{"UnknownZone", {"tools", "--time-zone", "Mars/Base"}, "no time zone is called \"Mars/Base\""},
        UsageRow{"TokenInTheClear", {"tools", "--address", "example.org:1", "--token", "t"}, "unencrypted"},
        UsageRow{"TokenFileInTheClear", {"tools", "--address", "example.org:1", "--token-file", "f"}, "unencrypted"},
        UsageRow{"CertificateWithoutKey",
                 {"tools", "--tls-cert", "c.pem"},
                 "--tls-cert and --tls-key must be given together"},
        UsageRow{"ArgumentsAreNoJson", {"call", "x", "{title: 1}"}, "not valid JSON"},
        UsageRow{"ArgumentsAreNoObject", {"call", "x", "[1]"}, "one JSON object"},
        UsageRow{"ContradictoryFilters", {"audit", "--failed", "--succeeded"}, "cannot be combined"},
        UsageRow{"NotATime", {"audit", "--since", "yesterdayish"}, "is not a time"},
        UsageRow{"NothingToInspect", {"inspect"}, "the layer to inspect is missing"},
        UsageRow{"HelpForNothing", {"help", "tols"}, "did you mean tools?"}),
    [](const auto& row) { return row.param.name; });

TEST(CommandLineTest, AWrongCommandLineNamesItsUsage) {
  EXPECT_THAT(RunCommand({"call"}).err,
              HasSubstr("usage: toolgate call TOOL [JSON] [FLAGS]; see `toolgate help call`"));
}

TEST(CommandLineTest, ErrorsAreJsonWhereThatWasAskedFor) {
  const CommandOutput output = RunCommand({"tools", "--format", "yaml", "--json"});
  const absl::StatusOr<Json> error = ParseJson(output.err.substr(0, output.err.size() - 1));
  ASSERT_TRUE(error.ok()) << output.err;
  EXPECT_EQ((*error)["error"]["code"], "USAGE");
  EXPECT_EQ((*error)["error"]["exitCode"], 2);
}

TEST(CommandLineTest, AFlagWinsOverTheEnvironment) {
  FakeService service;
  const Surroundings surroundings{.environment = {{"TOOLGATE_ADDRESS", "127.0.0.1:1"},
                                                  {"TOOLGATE_WORKSPACE", "from-environment"},
                                                  {"TOOLGATE_USER", "ann"}}};
  const CommandOutput output =
      RunCommand({"--workspace", "from-flag", "tools", "--address", service.address()}, surroundings);
  EXPECT_EQ(output.code, 0) << output.err;
  ASSERT_EQ(service.tools_requests.size(), 1u);
  EXPECT_EQ(service.tools_requests[0].caller().workspace_id(), "from-flag");
  EXPECT_EQ(service.tools_requests[0].caller().user_id(), "ann");
}

TEST(CommandLineTest, AWrongVariableIsNamed) {
  const CommandOutput output = RunCommand({"tools"}, {.environment = {{"TOOLGATE_TIMEOUT", "soon"}}});
  EXPECT_EQ(output.code, 2);
  EXPECT_THAT(output.err, HasSubstr("TOOLGATE_TIMEOUT"));
}

TEST(CommandLineTest, EveryFlagOfTheCallerArrives) {
  FakeService service;
  RunCommand({"call", "t", "--address", service.address(), "--workspace", "w", "--user", "u", "--user-name", "Ann",
              "--conversation", "c", "--model", "m", "--time-zone", "Europe/Berlin", "--token", "secret"});
  ASSERT_EQ(service.execute_requests.size(), 1u);
  const v1::Caller& caller = service.execute_requests[0].caller();
  EXPECT_EQ(caller.workspace_id(), "w");
  EXPECT_EQ(caller.user_id(), "u");
  EXPECT_EQ(caller.user_name(), "Ann");
  EXPECT_EQ(caller.conversation_id(), "c");
  EXPECT_EQ(caller.ai_model(), "m");
  EXPECT_EQ(caller.time_zone(), "Europe/Berlin");
  EXPECT_EQ(service.authorization, "Bearer secret");
}

TEST(CommandLineTest, SpeaksTlsAndShowsItsCertificateAndToken) {
  const testing::TestAuthority authority;
  const testing::IssuedCertificate issued = authority.IssueServer();
  grpc::SslServerCredentialsOptions tls(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  tls.pem_root_certs = authority.certificate();
  tls.pem_key_cert_pairs.push_back({issued.private_key, issued.certificate});
  FakeService service(grpc::SslServerCredentials(tls));
  service.execute.emplace_back();
  service.execute.back().mutable_result()->set_success(true);

  const testing::TempDir dir;
  const auto write = [&](const std::string& name, const std::string& text) {
    const std::string path = dir.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  };
  const testing::IssuedCertificate client = authority.Issue({.common_name = "client"});
  const std::vector<std::string> call = {"call",      "t",   "--address", service.address(),
                                         "--timeout", "60s", "--tls-ca",  write("ca", authority.certificate())};
  std::vector<std::string> with_certificate = call;
  for (const std::string& word :
       {std::string("--tls-cert"), write("cert", client.certificate), std::string("--tls-key"),
        write("key", client.private_key), std::string("--token-file"), write("token", "from-file\n")}) {
    with_certificate.push_back(word);
  }
  const CommandOutput good = RunCommand(with_certificate, {.environment = {{"TOOLGATE_TOKEN", "from-environment"}}});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_EQ(service.authorization, "Bearer from-file");
  EXPECT_EQ(RunCommand(call).code, 5) << "without the certificate";
  std::vector<std::string> with_another_key = with_certificate;
  *std::find(with_another_key.begin(), with_another_key.end(), write("key", client.private_key)) =
      write("other", authority.IssueServer().private_key);
  const CommandOutput mismatch = RunCommand(with_another_key);
  EXPECT_EQ(mismatch.code, 9);
  EXPECT_EQ(mismatch.err, "error: the key in " + dir.path() + "/other does not belong to the certificate in " +
                              dir.path() + "/cert\n");
  const testing::TestAuthority stranger;
  const CommandOutput unknown = RunCommand({"tools", "--address", service.address(), "--timeout", "60s", "--tls-ca",
                                            write("stranger", stranger.certificate())});
  EXPECT_EQ(unknown.code, 5);
  EXPECT_THAT(unknown.err, HasSubstr("another authority than --tls-ca"));
  EXPECT_EQ(RunCommand({"tools", "--address", service.address()}).code, 5) << "without TLS";
}

TEST(CommandLineTest, AFileOfCredentialsThatCannotBeReadIsNamed) {
  const testing::TempDir dir;
  std::ofstream(dir.path() + "/blank") << " \n";
  std::ofstream(dir.path() + "/two") << "one two\n";
  for (const std::string file : {"absent", "blank", "two"}) {
    const CommandOutput output = RunCommand({"tools", "--token-file", dir.path() + "/" + file});
    EXPECT_EQ(output.code, 9) << output.err;
    EXPECT_THAT(output.err, HasSubstr(dir.path() + "/" + file));
  }
  EXPECT_EQ(RunCommand({"tools", "--tls-ca", dir.path() + "/absent"}).code, 9);
}

TEST(CommandLineTest, TheServiceJudgesHowLongAndHowDeepArgumentsAre) {
  const std::string deep = "{\"a\":" + std::string(5000, '[') + std::string(5000, ']') + "}";
  const std::string long_text = "{\"a\":\"" + std::string(2 << 20, 'x') + "\"}";
  for (const std::string& arguments : {deep, long_text}) {
    FakeService service;
    service.execute.emplace_back();
    service.execute.back().mutable_result()->set_success(true);
    const CommandOutput output = RunCommand({"call", "t", "-", "--address", service.address()}, {.in = arguments});
    EXPECT_EQ(output.code, 0) << output.err;
  }
}

TEST(CommandLineTest, SpeaksOfQuotingOnlyWhereTheShellHasAPart) {
  EXPECT_THAT(RunCommand({"call", "x", "{title: 1}"}).err, HasSubstr("quote the JSON for your shell"));
  EXPECT_THAT(RunCommand({"call", "x", "-"}, {.in = "{title: 1}"}).err,
              AllOf(HasSubstr("not valid JSON"), Not(HasSubstr("quote"))));
  EXPECT_THAT(RunCommand({"call", "x", "[]"}).err, AllOf(HasSubstr("one JSON object"), Not(HasSubstr("quote"))));
}

TEST(CommandLineTest, NothingListeningIsSaidWithWhatToDo) {
  const CommandOutput output = RunCommand({"tools", "--address", "unix:/nonexistent/toolgate.sock"});
  EXPECT_EQ(output.code, 5);
  EXPECT_THAT(output.err, HasSubstr("nothing listens at unix:/nonexistent/toolgate.sock"));
  EXPECT_THAT(output.err, HasSubstr("toolgate serve"));
}

TEST(CommandLineTest, VersionIsThereInBothForms) {
  EXPECT_THAT(RunCommand({"version"}).out, StartsWith("toolgate "));
  EXPECT_EQ(RunCommand({"--version"}).out, RunCommand({"version"}).out);
  const Json json = *ParseJson(RunCommand({"version", "--json"}).out);
  const std::string out = RunCommand({"version"}).out;
  EXPECT_THAT(out, StartsWith("toolgate " + json["version"].get<std::string>()));
  EXPECT_THAT(out, HasSubstr(json["revision"].get<std::string>()));
}

TEST(HelpTest, WithoutACommandListsThemAll) {
  const CommandOutput output = RunCommand({});
  EXPECT_EQ(output.code, 0);
  EXPECT_EQ(output.out, RunCommand({"help"}).out);
  for (const auto& command : AllCommands()) {
    const std::string name = command->Info().name;
    if (name.find(' ') != std::string::npos) continue;
    EXPECT_THAT(output.out, HasSubstr("\n  " + name + " ")) << name;
  }
}

TEST(HelpTest, EveryCommandTeaches) {
  const CommandTable commands = AllCommands();
  for (const auto& command : commands) {
    const CommandInfo info = command->Info();
    const std::string text = HelpFor(*command, commands, false);
    EXPECT_THAT(text, StartsWith(info.purpose)) << info.name;
    EXPECT_THAT(text, HasSubstr("Usage\n  toolgate " + info.name));
    ASSERT_FALSE(info.examples.empty()) << info.name;
    EXPECT_THAT(text, HasSubstr("Exit codes\n  0 "));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 140u) << info.name << ": " << line;
  }
}

TEST(HelpTest, FlagAndCommandFormsAgree) {
  EXPECT_EQ(RunCommand({"audit", "verify", "--help"}).out, RunCommand({"help", "audit", "verify"}).out);
  EXPECT_EQ(RunCommand({"audit", "verify", "--help"}).code, 0);
}

TEST(HelpTest, IsPlainWhereThereIsNoTerminalOrNoColour) {
  EXPECT_THAT(RunCommand({"help"}).out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(RunCommand({"help"}, {.at_terminal = true}).out, HasSubstr("\x1b[1m"));
  EXPECT_THAT(RunCommand({"help"}, {.at_terminal = true, .environment = {{"NO_COLOR", "1"}}}).out,
              Not(HasSubstr("\x1b")));
}

// The documentation shows each command with each of its flags, so that it cannot rot.
TEST(DocumentationTest, NamesEveryCommandFlagAndExitCode) {
  std::ifstream file(SourceDir() + "/docs/cli.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const auto& command : ClientCommands({})) {
    EXPECT_THAT(text.str(), HasSubstr("toolgate " + command->Info().name)) << command->Info().name;
    FlagSet flags;
    command->Declare(flags);
    for (const FlagRow& row : flags.rows()) EXPECT_THAT(text.str(), HasSubstr("`" + row.name)) << command->Info().name;
  }
  ClientOptions options;
  FlagSet flags;
  options.Declare(flags);
  for (const FlagRow& row : flags.rows()) {
    EXPECT_THAT(text.str(), HasSubstr("`" + row.name));
    EXPECT_THAT(text.str(), HasSubstr("`" + row.environment + "`"));
  }
  for (const ExitCodeMeaning& row : kExitCodes) {
    EXPECT_THAT(text.str(),
                HasSubstr("| " + std::to_string(static_cast<int>(row.code)) + " | " + std::string(row.meaning)));
  }
}

TEST(StaysOnThisMachineTest, KnowsLoopbackFromItsLookAlikes) {
  for (const char* address : {"127.0.0.1:50051", "127.1.2.3:1", "localhost:1", "[::1]:1", "unix:/run/t.sock"}) {
    EXPECT_TRUE(StaysOnThisMachine(address)) << address;
  }
  for (const char* address : {"127.evil.example:1", "localhost.example:1", "10.0.0.1:1", "example.org:1", "[::2]:1"}) {
    EXPECT_FALSE(StaysOnThisMachine(address)) << address;
  }
}

TEST(InspectTest, AnswersEachLineAndPassesOverEmptyOnes) {
  const CommandOutput output =
      RunCommand({"inspect", "echo"}, {.in = "{\"a\":1}\n\n{\"b\":2}", .inspections = Inspections()});
  EXPECT_EQ(output.code, 0);
  EXPECT_EQ(output.out, "{\"a\":1}\n{\"b\":2}\n");
}

TEST(InspectTest, AMissingFileIsNamed) {
  const CommandOutput output = RunCommand({"inspect", "echo", "/nonexistent/x"}, {.inspections = Inspections()});
  EXPECT_EQ(output.code, 9);
  EXPECT_THAT(output.err, HasSubstr("/nonexistent/x"));
}

}  // namespace
}  // namespace toolgate::cli
