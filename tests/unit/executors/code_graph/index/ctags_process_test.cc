#include "executors/code_graph/index/ctags_process.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::code_graph::index {
namespace {

bool GoOn() { return true; }

class CtagsProcessTest : public ::testing::Test {
 protected:
  std::unique_ptr<CtagsProcess> Start(const CtagsLimits& limits = {}) {
    const absl::StatusOr<std::string> program = FindCtags("");
    EXPECT_TRUE(program.ok()) << program.status();
    auto process = CtagsProcess::Start(*program, limits);
    EXPECT_TRUE(process.ok()) << process.status();
    return *std::move(process);
  }
  // Names of the definitions, in order.
  static std::vector<std::string> Names(CtagsProcess& process, std::string_view name, std::string_view content) {
    const auto tags = process.Parse(name, content, GoOn);
    EXPECT_TRUE(tags.ok()) << tags.status();
    std::vector<std::string> names;
    if (!tags.ok()) return names;
    for (const Tag& tag : *tags) {
      if (tag.is_definition()) names.push_back(tag.name);
    }
    return names;
  }
  // A program that stands in for ctags.
  std::string Script(const std::string& body) const {
    const std::string path = temp_.path() + "/script";
    std::ofstream(path) << "#!/bin/sh\n" << body;
    chmod(path.c_str(), 0755);
    return path;
  }

  testing::TempDir temp_;
};

using NameList = std::vector<std::string>;

TEST_F(CtagsProcessTest, AnswersTagsFileAfterFile) {
  const auto process = Start();
  EXPECT_EQ(Names(*process, "a.c", "int f(void) {\n  return 1;\n}\n"), NameList{"f"});
  EXPECT_EQ(Names(*process, "a.py", "class A:\n  def g(self): pass\n"), (NameList{"A", "g"}));
  EXPECT_EQ(Names(*process, "a.unknown", "int f(void) {}\n"), NameList{});
  EXPECT_EQ(Names(*process, "b.c", ""), NameList{});
  EXPECT_EQ(Names(*process, "b.c", "int h;"), NameList{"h"});
}

TEST_F(CtagsProcessTest, FillsInWhatATagSays) {
  const auto process = Start();
  const auto tags =
      process->Parse("a.cc", "#include <x.h>\nclass A : public B {\n  int m(int a) { return a; }\n};\n", GoOn);
  ASSERT_TRUE(tags.ok()) << tags.status();
  ASSERT_EQ(tags->size(), 3u);
  EXPECT_EQ((*tags)[0].name, "x.h");
  EXPECT_EQ((*tags)[0].roles, "system");
  EXPECT_EQ((*tags)[1].kind, "class");
  EXPECT_EQ((*tags)[1].inherits, "B");
  EXPECT_EQ((*tags)[1].end, 4);
  EXPECT_EQ((*tags)[2].scope, "A");
  EXPECT_EQ((*tags)[2].scope_kind, "class");
  EXPECT_EQ((*tags)[2].signature, "(int a)");
  EXPECT_EQ((*tags)[2].language, "C++");
  EXPECT_EQ((*tags)[2].line, 3);
}

TEST_F(CtagsProcessTest, TakesAnyNameAndAnyBytes) {
  const auto process = Start();
  for (const std::string_view name : std::vector<std::string_view>{
           "-o.c", "--options=x.c", "a\nb.c", "\"}\n.c", "a\xFF\xFE.c", "", "..", std::string_view("a\0.c", 4)}) {
    EXPECT_TRUE(process->Parse(name, "int f;\n", GoOn).ok()) << name;
  }
  std::string bytes;
  for (int64_t i = 0; i < 100'000; ++i) bytes.push_back(static_cast<char>(i * 7919 >> 3));
  for (const char* const name : {"a.c", "a.py", "a.js", "a.rs", "a.sh", "a.md", "Makefile", "a.sql", "a.rb"}) {
    EXPECT_TRUE(process->Parse(name, bytes, GoOn).ok()) << name;
  }
  EXPECT_EQ(Names(*process, "a.c", "int still_there;\n"), NameList{"still_there"});
}

TEST_F(CtagsProcessTest, IsNotDeceivedByContentThatLooksLikeItsProtocol) {
  const auto process = Start();
  const std::string content =
      "{\"command\":\"generate-tags\",\"filename\":\"/etc/passwd\"}\n{\"_type\": \"completed\"}\nint f;\n";
  EXPECT_EQ(Names(*process, "a.c", content), NameList{"f"});
  EXPECT_EQ(Names(*process, "a.c", "int g;\n"), NameList{"g"});
}

// A document type of XML names a file that a careless parser would open.
TEST_F(CtagsProcessTest, OpensNothing) {
  const auto process = Start();
  EXPECT_EQ(Names(*process, "a.xml",
                  "<!DOCTYPE a SYSTEM \"file:///etc/passwd\" [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
                  "<a>&x;</a>\n"),
            NameList{});
  EXPECT_EQ(Names(*process, "a.c", "#include \"/etc/passwd\"\nint f;\n"), NameList{"f"});
}

TEST_F(CtagsProcessTest, ReadsNoOptionFiles) {
  std::filesystem::create_directories(temp_.path() + "/.ctags.d");
  std::ofstream(temp_.path() + "/.ctags.d/evil.ctags") << "--langdef=evil\n--map-evil=.evil\n--kinddef-evil=x,x,x\n"
                                                          "--regex-evil=/(.*)/\\1/x/\n";
  setenv("HOME", temp_.path().c_str(), 1);
  const auto process = Start();
  EXPECT_EQ(Names(*process, "a.evil", "secret\n"), NameList{});
}

TEST_F(CtagsProcessTest, EndsAProcessThatTakesTooLong) {
  CtagsLimits limits;
  limits.max_time = absl::Milliseconds(50);
  auto process = CtagsProcess::Start(Script("sleep 600\n"), limits);
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_TRUE(absl::IsDeadlineExceeded((*process)->Parse("a.c", "int f;\n", GoOn).status()));
}

TEST_F(CtagsProcessTest, EndsAProcessThatSaysTooMuch) {
  CtagsLimits limits;
  limits.max_output_bytes = 100'000;
  auto process =
      CtagsProcess::Start(Script("while :; do echo '{\"_type\": \"tag\", \"name\": \"x\"}'; done\n"), limits);
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_TRUE(absl::IsResourceExhausted((*process)->Parse("a.c", "int f;\n", GoOn).status()));
}

TEST_F(CtagsProcessTest, SaysThatTheProcessEnded) {
  auto process = CtagsProcess::Start(Script("exit 1\n"), {});
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_TRUE(absl::IsAborted((*process)->Parse("a.c", std::string(1 << 20, 'x'), GoOn).status()));
}

TEST_F(CtagsProcessTest, StopsWhenItMust) {
  auto process = CtagsProcess::Start(Script("sleep 600\n"), {});
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_TRUE(absl::IsCancelled((*process)->Parse("a.c", "int f;\n", [] { return false; }).status()));
}

TEST_F(CtagsProcessTest, GivesTheProcessNothingOfOurs) {
  setenv("TOOLGATE_TEST_SECRET", "secret", 1);
  const std::string written = temp_.path() + "/written";
  auto process = CtagsProcess::Start(Script("read line\n"
                                            "echo \"{\\\"_type\\\": \\\"tag\\\", \\\"line\\\": 1, \\\"name\\\": "
                                            "\\\"environment [$TOOLGATE_TEST_SECRET$HOME]\\\"}\"\n"
                                            "(trap '' XFSZ; echo text > " +
                                            written +
                                            ")\n"
                                            "echo '{\"_type\": \"completed\"}'\n"),
                                     {});
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_EQ(Names(**process, "a.c", ""), NameList{"environment []"});
  std::error_code error;
  EXPECT_TRUE(!std::filesystem::exists(written) || std::filesystem::file_size(written, error) == 0);
}

TEST_F(CtagsProcessTest, FindsTheProgramOrSaysWhatIsMissing) {
  EXPECT_TRUE(FindCtags("").ok());
  EXPECT_EQ(FindCtags("/no/such/ctags").status(),
            absl::FailedPreconditionError("code_graph.ctags: there is no program /no/such/ctags"));
  const absl::Status other = FindCtags("/bin/true").status();
  EXPECT_TRUE(absl::IsFailedPrecondition(other)) << other;
  EXPECT_NE(std::string(other.message()).find("interactive"), std::string::npos) << other;
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
