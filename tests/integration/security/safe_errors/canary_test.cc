// Plants canaries in every kind of failure and searches for them in what the caller gets: each secret contains a random
// core that nothing else in the text has.
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/ids.h"
#include "common/tool_error.h"
#include "gtest/gtest.h"
#include "security/safe_errors/masker.h"
#include "security/safe_errors/safe_errors.h"
#include "security/tool_call.h"
#include "tests/support/fake_clock.h"

namespace toolgate::security::safe_errors {
namespace {

constexpr int kRounds = 100'000;
constexpr uint64_t kSeed = 20260419;

constexpr std::string_view kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kAlnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz";

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  size_t Below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(engine_); }
  std::string Of(std::string_view alphabet, size_t length) {
    std::string text;
    for (size_t i = 0; i < length; ++i) text += alphabet[Below(alphabet.size())];
    return text;
  }
  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return from[Below(from.size())];
  }

 private:
  std::mt19937_64 engine_;
};

// `text` contains `core`, no part of which may be visible.
struct Canary {
  std::string core;
  std::string text;
};

struct Kind {
  std::string_view name;
  std::function<Canary(Random&)> make;
};

Kind Around(std::string_view name, std::string_view alphabet, size_t length, std::string_view before,
            std::string_view after = "") {
  return {name, [=](Random& random) {
            const std::string core = random.Of(alphabet, length);
            return Canary{core, std::string(before) + core + std::string(after)};
          }};
}

std::vector<Kind> Secrets() {
  return {
      Around("aws access key", kUpper, 16, "AKIA"),
      Around("github token", kAlnum, 36, "ghp_"),
      Around("github app token", kAlnum, 36, "ghs_"),
      Around("github fine-grained token", kAlnum, 59, "github_pat_11ABCDEFG0123456789ab_"),
      Around("gitlab token", kAlnum, 20, "glpat-"),
      Around("slack token", kAlnum, 24, "xoxb-123456789012-123456789012-"),
      Around("stripe key", kAlnum, 24, "sk_live_"),
      Around("openai key", kAlnum, 48, "sk-proj-"),
      Around("anthropic key", kAlnum, 80, "sk-ant-api03-"),
      Around("google key", kAlnum, 35, "AIza"),
      Around("npm token", kAlnum, 36, "npm_"),
      Around("hugging face token", kAlnum, 34, "hf_"),
      Around("sendgrid key", kAlnum, 43, "SG.abcdefghijklmnopqrstuv."),
      Around("digitalocean token", kHex, 64, "dop_v1_"),
      Around("azure account key", kAlnum, 86, "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=", "=="),
      Around("bearer token", kAlnum, 40, "Authorization: Bearer "),
      Around("basic credentials", kAlnum, 32, "Authorization: Basic "),
      Around("jwt", kAlnum, 43, "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0."),
      Around("private key", kAlnum, 64, "-----BEGIN RSA PRIVATE KEY-----\n", "\n-----END RSA PRIVATE KEY-----"),
      Around("open private key", kAlnum, 64, "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n"),
      Around("postgres url", kAlnum, 16, "postgresql://app:", "@db-3.prod.internal:5432/orders"),
      Around("redis url", kAlnum, 16, "redis://:", "@cache:6379/0"),
      Around("mongo url", kAlnum, 16, "mongodb+srv://root:", "@cluster0.example.net/test"),
      Around("libpq parameters", kAlnum, 16, "host=db port=5432 user=app password=", " dbname=orders"),
      Around("password assignment", kAlnum, 14, "password=\"", "\""),
      Around("json secret", kAlnum, 24, R"({"api_key":")", R"("})"),
      Around("environment variable", kAlnum, 24, "DB_PASSWORD="),
      Around("yaml secret", kAlnum, 24, "client_secret: "),
      Around("secret in a query", kAlnum, 24, "https://api.example.com/v1/x?access_token=", "&page=2"),
      Around("e-mail", kLower, 14, "", "@example.org"),
  };
}

std::vector<Kind> Places() {
  return {
      Around("home path", kLower, 12, "/home/deploy/", "/app/main.cc"),
      Around("library path", kLower, 12, "/usr/lib/x86_64-linux-gnu/", ".so.6"),
      Around("database path", kLower, 12, "/var/lib/", "/toolgate.db"),
      Around("temporary path", kLower, 12, "/tmp/"),
      Around("path of a mac", kLower, 12, "/Users/", "/src/server.py"),
      Around("home shorthand", kLower, 12, "~/", "/config.yaml"),
      Around("windows path", kLower, 12, "C:\\Users\\", "\\app\\secrets.txt"),
      Around("escaped path", kLower, 12, "\\/home\\/deploy\\/", "\\/app\\/main.cc"),
      Around("escaped windows path", kLower, 12, "C:\\\\Users\\\\", "\\\\app\\\\x.txt"),
      Around("c# frame", kLower, 12, "   at Acme.", "(String s) in C:\\build\\Acme.cs:line 12"),
      Around("php frame", kLower, 12, "#0 /var/www/index.php(12): ", "()\n#1 {main}"),
      Around("ruby frame", kLower, 12, "app/models/user.rb:12:in `", "'"),
      Around("windows share", kLower, 12, "\\\\fileserver\\", "\\share\\x.doc"),
      Around("file url", kLower, 12, "file:///srv/", "/index.html"),
      Around("c++ frame", kLower, 12, "#3 0x00007f3a2b1c4d5e in ", "::Run(int) (/usr/bin/x+0x12345)"),
      Around("gdb frame", kLower, 12, "#1  ", " (this=0x7ffd1) at storage/store.cc:812"),
      Around("python trace", kLower, 12, "Traceback (most recent call last):\n  File \"/srv/a.py\", line 3, in ",
             "\nKeyError: 'x'"),
      Around("python frame", kLower, 12, "File \"/srv/", ".py\", line 31, in handler"),
      Around("java frame", kLower, 12, "\tat com.example.", ".Service.call(Service.java:42)"),
      Around("node frame", kLower, 12, "    at ", ".handle (/app/dist/index.js:10:15)"),
      Around("node module frame", kLower, 12, "    at async file:///app/", ".mjs:3:7"),
      Around("go panic", kLower, 12, "goroutine 17 [running]:\nmain.", "(0xc000123)\n\t/go/src/x/main.go:12 +0x1d"),
      Around("rust panic", kLower, 12, "thread 'main' panicked at src/", ".rs:14:9"),
      Around("select", kLower, 12, "SELECT id, data FROM ", " WHERE workspace = 7"),
      Around("insert", kLower, 12, "INSERT INTO ", " (id, data) VALUES (1, 'x')"),
      Around("update", kLower, 12, "UPDATE ", " SET data = 'x' WHERE id = 3"),
      Around("delete", kLower, 12, "DELETE FROM ", " WHERE id = 3"),
      Around("quiet select", kLower, 12, "select * from ", " where id = 3"),
      Around("pragma", kLower, 12, "PRAGMA table_info(", ")"),
      Around("internal host", kLower, 12, "", ".prod.internal:8443"),
      Around("cluster host", kLower, 12, "", ".default.svc.cluster.local"),
  };
}

// Surroundings of a canary in messages of real programs.
std::string Wrap(Random& random, const std::string& text) {
  static const std::vector<std::string> kFrames = {
      "$",
      "cannot open $",
      "failed: $: permission denied",
      "error while loading '$'",
      "unexpected token near \"$\" at offset 7",
      "($)",
      "[$]",
      "upstream said: $",
      "reason=$",
      "cause: $; retry later",
      "first line\n$\nlast line",
      "Fehler bei $ (äöü)",
      "処理中にエラー: $",
      "the block does not exist, $",
      "<$>",
      "a: $, b: $",
  };
  return absl::StrReplaceAll(random.Pick(kFrames), {{"$", text}});
}

class QuietLog final : public ErrorLog {
 public:
  void Report(std::string_view, const ToolCall&, const absl::Status& status) override { last = status; }
  absl::Status last;
};

class CanaryTest : public ::testing::Test {
 protected:
  // Everything that a caller sees of a failure.
  static std::string Visible(const ToolError& error) {
    std::string all = error.message;
    for (const Violation& violation : error.violations) {
      absl::StrAppend(&all, "\n", violation.path, "\n", violation.expected, "\n", violation.found);
    }
    for (const auto& [name, value] : error.facts) absl::StrAppend(&all, "\n", name, "\n", value);
    return all;
  }

  std::string Answer(Next next) {
    const absl::StatusOr<ToolResult> result = layer_.Run(call_, next);
    if (result.ok()) return result->error.has_value() ? Visible(*result->error) : result->data_json;
    const auto error = GetToolError(result.status());
    EXPECT_TRUE(error.has_value());
    return absl::StrCat(error ? Visible(*error) : "", "\n", std::string(result.status().message()));
  }

  // The five ways in which a failure can reach the layer.
  std::string Fail(Random& random, const std::string& text) {
    ToolError error;
    error.code = ErrorCode::kExecutionError;
    switch (random.Below(5)) {
      case 0:
        return Answer([&](ToolCall&) -> absl::StatusOr<ToolResult> { return absl::InternalError(text); });
      case 1:
        return Answer([&](ToolCall&) -> absl::StatusOr<ToolResult> { throw std::runtime_error(text); });
      case 2:
        error.message = text;
        return Answer([&](ToolCall&) -> absl::StatusOr<ToolResult> { return ToStatus(error); });
      case 3:
        error.violations.push_back({"/title", "type", text, text});
        error.facts.emplace_back("cause", text);
        return Answer([&](ToolCall&) -> absl::StatusOr<ToolResult> { return ToStatus(error); });
      default:
        error.message = text;
        return Answer([&](ToolCall&) -> absl::StatusOr<ToolResult> {
          ToolResult failed;
          failed.error = error;
          return failed;
        });
    }
  }

  toolgate::testing::FakeClock clock_;
  Masker masker_;
  QuietLog log_;
  SafeErrors layer_{masker_, IdSource::Real(), clock_, log_};
  ToolCall call_;
};

TEST_F(CanaryTest, NoFailureLetsACanaryOut) {
  Random random(kSeed);
  std::vector<Kind> kinds = Secrets();
  for (Kind& kind : Places()) kinds.push_back(std::move(kind));
  std::vector<std::string> leaks;
  for (int round = 0; round < kRounds && leaks.size() < 20; ++round) {
    const Kind& kind = random.Pick(kinds);
    const Canary canary = kind.make(random);
    const std::string text = Wrap(random, canary.text);
    const std::string seen = Fail(random, text);
    if (seen.find(canary.core) == std::string::npos) continue;
    leaks.push_back(absl::StrCat(std::string(kind.name), " in: ", text, "\n  seen: ", seen));
  }
  for (const std::string& leak : leaks) ADD_FAILURE() << leak;
}

TEST_F(CanaryTest, TheOperatorsLogHoldsNoSecret) {
  Random random(kSeed + 1);
  const std::vector<Kind> kinds = Secrets();
  for (int round = 0; round < kRounds / 10; ++round) {
    const Kind& kind = random.Pick(kinds);
    if (kind.name == "e-mail") continue;  // Personal data, which the operator may need; not a secret.
    const Canary canary = kind.make(random);
    const std::string text = Wrap(random, canary.text);
    Answer([&](ToolCall&) -> absl::StatusOr<ToolResult> { return absl::InternalError(text); });
    EXPECT_EQ(std::string(log_.last.message()).find(canary.core), std::string::npos)
        << std::string(kind.name) << " in: " << text;
    if (HasFailure()) return;
  }
}

TEST_F(CanaryTest, AMessageWithoutAnyIsLeftAsItWas) {
  for (const char* const message : {
           "C: is not a column; write task #3 review (draft) or #12",
           "the block 01jd5k3v9m0c8x7w6t5r4q3p2n does not exist",
           "/title: must be a string of at most 200 characters",
           "/data/properties/due: \"tomorow\" is not a date; write YYYY-MM-DD or words such as tomorrow",
           "select one of the options in the list where it says so",
           "update the parent first, then delete from the board",
           "version 3.45.1 of 2026-04-19 does not match; the card was moved to In progress/Done",
           "the board has no column for status \"next\"; its columns are \"To do\", \"Done\"",
           "calls of create_block are limited to 500 in 1h; try again in 12m30s",
       }) {
    ToolError error;
    error.code = ErrorCode::kNotFound;
    error.message = message;
    const auto result = layer_.Run(call_, [&](ToolCall&) -> absl::StatusOr<ToolResult> { return ToStatus(error); });
    EXPECT_EQ(GetToolError(result.status())->message, message);
  }
}

}  // namespace
}  // namespace toolgate::security::safe_errors
