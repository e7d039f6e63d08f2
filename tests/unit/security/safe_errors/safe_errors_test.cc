#include "security/safe_errors/safe_errors.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/file_names.h"
#include "common/message_bounds.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/fault.h"
#include "tests/support/fake_clock.h"

namespace toolgate::security::safe_errors {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RecordingLog final : public ErrorLog {
 public:
  void Report(std::string_view reference_id, const ToolCall& call, const absl::Status& status) override {
    reports.emplace_back(std::string(reference_id), status);
  }
  std::vector<std::pair<std::string, absl::Status>> reports;
};

class SafeErrorsTest : public ::testing::Test {
 protected:
  absl::StatusOr<ToolResult> Run(Next next) { return layer_.Run(call_, next); }
  ToolError Refused(const absl::Status& status) {
    const auto result = Run([&](ToolCall&) -> absl::StatusOr<ToolResult> { return status; });
    EXPECT_FALSE(result.ok());
    const auto error = GetToolError(result.status());
    EXPECT_TRUE(error.has_value());
    return error.value_or(ToolError());
  }

  toolgate::testing::FakeClock clock_;
  Masker masker_;
  RecordingLog log_;
  SafeErrors layer_{masker_, IdSource::Real(), clock_, log_};
  ToolCall call_;
};

TEST_F(SafeErrorsTest, AGoodResultPassesUntouched) {
  const auto result = Run([](ToolCall&) -> absl::StatusOr<ToolResult> {
    ToolResult good;
    good.success = true;
    good.data_json = "{\"mail\":\"jane@example.org\"}";
    return good;
  });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->data_json, "{\"mail\":\"jane@example.org\"}");
}

TEST_F(SafeErrorsTest, AToolErrorPassesMasked) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = "no user jane@example.org";
  error.violations.push_back({"/title", "type", "string", "number"});
  error.facts.emplace_back("blockId", "01jd5k3v9m0c8x7w6t5r4q3p2n");
  const ToolError seen = Refused(ToStatus(error));
  EXPECT_EQ(seen.code, ErrorCode::kInvalidParams);
  EXPECT_EQ(seen.message, "no user [masked:email]");
  EXPECT_EQ(seen.violations[0].path, "/title");
  EXPECT_EQ(seen.facts[0].second, "01jd5k3v9m0c8x7w6t5r4q3p2n");
  EXPECT_TRUE(log_.reports.empty());
}

TEST_F(SafeErrorsTest, NamesOfFilesStayReadable) {
  for (const char* const name : {"settings.local.json", "logo@2x.svg", "jane@example.org.vcf", "10.0.0.7.log",
                                 "src/store.cc:12", "+49 30 901820.txt", "db.internal/pg.conf", "a::b::c.h"}) {
    const ToolError seen = Refused(ToStatus(FileNameError(ErrorCode::kNotFound, name, "does not exist")));
    EXPECT_EQ(seen.message, "\"" + std::string(name) + "\" does not exist");
    EXPECT_EQ(seen.facts[0], std::make_pair(std::string("file"), std::string(name)));
  }
}

TEST_F(SafeErrorsTest, SecretsInNamesOfFilesAreMasked) {
  const std::string token = std::string("ghp_") + "16C7e42F292c6912E7710c838347Ae178B4a";
  const ToolError seen = Refused(ToStatus(FileNameError(ErrorCode::kNotFound, token + ".txt", "does not exist")));
  EXPECT_THAT(seen.message, Not(HasSubstr("16C7")));
  EXPECT_THAT(seen.facts[0].second, Not(HasSubstr("16C7")));
}

TEST_F(SafeErrorsTest, OnlyTheNameItselfIsSpared) {
  ToolError error = FileNameError(ErrorCode::kNotFound, "password", "has the lines");
  error.message += "\n\"password\": \"hunter2hunter2\"\nhost db-1.prod.internal, jane@example.org, /var/lib/x";
  const ToolError seen = Refused(ToStatus(error));
  for (const char* const hidden : {"hunter2", "prod.internal", "jane@", "/var/lib"}) {
    EXPECT_THAT(seen.message, Not(HasSubstr(hidden)));
  }
  EXPECT_THAT(seen.message, HasSubstr("\"password\" has the lines"));
}

TEST_F(SafeErrorsTest, APathOfTheMachineIsNoNameOfAWorkspacesFile) {
  for (const char* const path : {"/var/lib/toolgate/store.db", "~/keys.json"}) {
    const ToolError seen = Refused(ToStatus(FileNameError(ErrorCode::kNotFound, path, "does not exist")));
    EXPECT_EQ(seen.message, "\"[path]\" does not exist") << path;
    EXPECT_EQ(seen.facts[0].second, "[path]");
  }
}

TEST_F(SafeErrorsTest, ASecretInAPropertysNameIsMaskedWhereverItsPlaceIsTold) {
  const std::string place = "/data/postgres:~1~1app:s3cret@db";
  const std::string masked = "/data/[masked:connection-string]";
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = "the argument " + place;
  error.violations.push_back({place, "type", "another type than at " + place, "number"});
  error.facts.emplace_back("path", place);
  const auto result = Run([&](ToolCall& call) -> absl::StatusOr<ToolResult> {
    call.state.findings.push_back({"rule", "family", place, 0, 1});
    call.state.findings.push_back({"rule", "family", "/data/a~1b", 0, 1});
    return ToStatus(error);
  });
  const ToolError seen = GetToolError(result.status()).value_or(ToolError());
  EXPECT_EQ(seen.message, "the argument " + masked);
  ASSERT_EQ(seen.violations.size(), 1u);
  EXPECT_EQ(seen.violations[0].path, masked);
  EXPECT_EQ(seen.violations[0].expected, "another type than at " + masked);
  EXPECT_EQ(seen.facts[0].second, masked);
  EXPECT_EQ(call_.state.findings[0].path, masked);
  EXPECT_EQ(call_.state.findings[1].path, "/data/a~1b");
}

TEST_F(SafeErrorsTest, AnUnknownFailureBecomesAReferenceThatTheLogKnows) {
  const ToolError seen = Refused(absl::InternalError("disk I/O error in /var/lib/x.db password=hunter2"));
  EXPECT_EQ(seen.code, ErrorCode::kExecutionError);
  EXPECT_FALSE(seen.retryable);
  ASSERT_EQ(log_.reports.size(), 1u);
  const std::string& reference = log_.reports[0].first;
  EXPECT_EQ(seen.message, "the tool could not be run; reference " + reference);
  ASSERT_EQ(seen.facts.size(), 1u);
  EXPECT_EQ(seen.facts[0], std::make_pair(std::string("referenceId"), reference));
  EXPECT_EQ(log_.reports[0].second.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(log_.reports[0].second.message(), "disk I/O error in /var/lib/x.db password=[masked:password]");
}

TEST_F(SafeErrorsTest, AnUnreachableBackendIsWorthARetry) {
  EXPECT_TRUE(Refused(absl::UnavailableError("connection refused")).retryable);
}

TEST_F(SafeErrorsTest, AFailureOfTheStoreIsSaidToBeOne) {
  for (const absl::Status& passing :
       {absl::UnavailableError("host db-1 is away"), absl::ResourceExhaustedError("full")}) {
    const ToolError seen = Refused(storage::MarkFault(passing));
    EXPECT_EQ(seen.code, ErrorCode::kOverloaded) << passing;
    EXPECT_TRUE(seen.retryable);
    EXPECT_EQ(seen.retry_after, absl::Seconds(1));
    EXPECT_THAT(seen.message, HasSubstr("the store cannot serve this call at the moment; reference "));
  }
  const ToolError lasting = Refused(storage::MarkFault(absl::DataLossError("page 7 is damaged")));
  EXPECT_EQ(lasting.code, ErrorCode::kExecutionError);
  EXPECT_FALSE(lasting.retryable);
  EXPECT_EQ(lasting.facts[0].second, log_.reports.back().first);
  EXPECT_EQ(lasting.facts[1], std::make_pair(std::string("fault"), std::string("store")));
  EXPECT_THAT(lasting.message, Not(HasSubstr("page")));
  const ToolError mistake = Refused(storage::MarkFault(MakeError(ErrorCode::kNotFound, "there is no such block")));
  EXPECT_EQ(mistake.code, ErrorCode::kNotFound) << "a caller's mistake is none of the store's";
}

TEST_F(SafeErrorsTest, ExceptionsFromBelowAreUnknownFailures) {
  const auto result = Run([](ToolCall&) -> absl::StatusOr<ToolResult> { throw std::runtime_error("secret plan"); });
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(std::string(result.status().message()), Not(HasSubstr("secret plan")));
  ASSERT_EQ(log_.reports.size(), 1u);
  EXPECT_THAT(std::string(log_.reports[0].second.message()), HasSubstr("secret plan"));
  const auto odd = Run([](ToolCall&) -> absl::StatusOr<ToolResult> { throw 7; });
  EXPECT_EQ(GetToolError(odd.status())->code, ErrorCode::kExecutionError);
}

TEST_F(SafeErrorsTest, TheErrorOfAToolThatRanIsCleanedToo) {
  const auto result = Run([](ToolCall&) -> absl::StatusOr<ToolResult> {
    ToolResult failed;
    failed.error.emplace();
    failed.error->message = "cannot open /home/app/data/store.db for jane@example.org";
    return failed;
  });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->error->message, "cannot open [path] for [masked:email]");
}

TEST_F(SafeErrorsTest, AnEndlessMessageIsCut) {
  EXPECT_LT(Refused(MakeError(ErrorCode::kNotFound, std::string(100'000, 'x'))).message.size(), 3000u);
}

TEST_F(SafeErrorsTest, EndlessViolationsAreCutAndCounted) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  const std::string endless(100'000, 'x');
  error.violations.assign(kMaxShownViolations + 70, {"/" + endless, "type", endless, endless});
  const ToolError refused = Refused(ToStatus(error));
  ASSERT_EQ(refused.violations.size(), kMaxShownViolations);
  EXPECT_THAT(refused.facts, ::testing::ElementsAre(std::pair<std::string, std::string>(kViolationsOmitted, "70")));
  const Violation& shown = refused.violations.front();
  for (const std::string& text : {shown.path, shown.expected, shown.found}) {
    EXPECT_LT(text.size(), kMaxViolationTextBytes + 10);
  }
}

TEST_F(SafeErrorsTest, ASecretAtTheCutIsMaskedWhole) {
  const std::string token = std::string("ghp_") + "16C7e42F292c6912E7710c838347Ae178B4a";
  for (size_t before = 1930; before < 2010; ++before) {
    const std::string message =
        Refused(MakeError(ErrorCode::kNotFound, std::string(before, '.') + " " + token + " and more")).message;
    EXPECT_THAT(message, Not(HasSubstr("16C7"))) << before;
    const size_t mask = message.find('[');
    EXPECT_EQ(mask == std::string::npos, message.find("[masked:token]") == std::string::npos) << before;
  }
}

struct ScrubRow {
  const char* name;
  const char* text;
  const char* scrubbed;
};

void PrintTo(const ScrubRow& row, std::ostream* out) { *out << row.name; }

class ScrubberTest : public ::testing::TestWithParam<ScrubRow> {};
TEST_P(ScrubberTest, RemovesWhatTellsAboutTheInside) {
  EXPECT_EQ(Scrubber().Scrub(GetParam().text), GetParam().scrubbed);
}

INSTANTIATE_TEST_SUITE_P(
    All, ScrubberTest,
    ::testing::Values(
        ScrubRow{"UnixPath", "open /var/lib/toolgate/store.db: denied", "open [path]: denied"},
        ScrubRow{"QuotedPath", "\"/etc/passwd\"", "\"[path]\""},
        ScrubRow{"WindowsPath", "in C:\\Users\\joe\\x.txt", "in [path]"},
        ScrubRow{"SourcePosition", "thrown at storage/sqlite/writer.cc:120", "thrown at [source]"},
        ScrubRow{"PythonTrace", "x\nTraceback (most recent call last):\n  File \"a.py\", line 3", "x\n[stack removed]"},
        ScrubRow{"JavaFrame", "boom\n  at com.foo.Bar.run(Bar.java:12)\n  at x", "boom\n  [stack removed]"},
        ScrubRow{"GdbFrame", "boom\n#0 0x00007f1 in main ()", "boom\n[stack removed]"},
        ScrubRow{"Select", "failed: SELECT id FROM blocks WHERE x = 1", "failed: [sql]"},
        ScrubRow{"Insert", "insert into blocks (id) values (1)", "[sql]"},
        ScrubRow{"SelectOfNamedColumns", "near: select name,pw from accounts", "near: [sql]"},
        ScrubRow{"SelectOfAll", "bad: Select * from accounts limit 3", "bad: [sql]"},
        ScrubRow{"SelectUpToItsTable", "bad (select id, name from accounts)", "bad ([sql])"},
        ScrubRow{"Merge", "MERGE INTO x USING y", "[sql]"},
        ScrubRow{"QuietMerge", "merge into x using y on 1", "[sql]"},
        ScrubRow{"QuietTable", "x: create table t (a integer, b text)", "x: [sql]"},
        ScrubRow{"HomeShorthand", "cannot read ~/secrets.txt or ~joe/notes", "cannot read [path] or [path]"},
        ScrubRow{"SourceLine", "in src/core/engine.py, line 12", "in [source]"},
        ScrubRow{"QuotedSourceLine", "at 'a/b.rb' line 7", "at '[source]"},
        ScrubRow{"PhpPosition", "Foo.php(42): Bar->baz() failed", "[source] failed"},
        ScrubRow{"CompilerPosition", "src/a.ts(12,5): error", "[source]: error"},
        ScrubRow{"JavaCause", "x\nCaused by: java.lang.NullPointerException: y\nz", "x\n[stack removed]\nz"},
        ScrubRow{"QualifiedName", "in toolgate::storage::SqliteStore::Commit(int) const", "in [source] const"},
        ScrubRow{"ProseOfASelection", "select red, green or blue from the menu below",
                 "select red, green or blue from the menu below"},
        ScrubRow{"ProseOfAMerge", "merge into the list using the button", "merge into the list using the button"},
        ScrubRow{"ProseOfATable", "create table views (soon)", "create table views (soon)"},
        ScrubRow{"ProseOfALine", "notes.md, line 12: caused by: a typo", "notes.md, line 12: caused by: a typo"},
        ScrubRow{"ShortQualifiedName", "use Foo::bar, about ~5/6", "use Foo::bar, about ~5/6"},
        ScrubRow{"Address", "object at 0x7ffdeadbeef0", "object at [address]"},
        ScrubRow{"InternalHost", "no route to db-1.prod.internal:5432", "no route to [host]"},
        ScrubRow{"HostAndPort", "connect redis:6379", "connect [host]"},
        ScrubRow{"Pointer", "the argument /data/dueDate is wrong", "the argument /data/dueDate is wrong"},
        ScrubRow{"Prose", "select a card from the list and update it", "select a card from the list and update it"},
        ScrubRow{"WorkspaceFile", "no file notes/today.md", "no file notes/today.md"},
        ScrubRow{"Time", "at 12:30 on 2026-03-02", "at 12:30 on 2026-03-02"}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace toolgate::security::safe_errors
