#include "executors/code_graph/index/import_resolver.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::executors::code_graph::index {
namespace {

class Resolver {
 public:
  explicit Resolver(std::vector<std::string> paths) {
    for (std::string& path : paths) files_.emplace_back(std::move(path), static_cast<int64_t>(files_.size()) + 1);
  }
  // The path that is meant, or "-".
  std::string Of(std::string_view from, LanguageGroup group, std::string_view name, bool is_system = false) const {
    const std::optional<int64_t> id = ImportResolver(files_).Resolve(from, group, name, is_system);
    return id.has_value() ? files_[static_cast<size_t>(*id - 1)].first : "-";
  }

 private:
  std::vector<std::pair<std::string, int64_t>> files_;
};

TEST(ImportResolverTest, FindsHeadersBesideTheFileFirst) {
  const Resolver files({"a/x.h", "b/x.h", "a/main.c", "include/lib/y.h"});
  EXPECT_EQ(files.Of("a/main.c", LanguageGroup::kC, "x.h"), "a/x.h");
  EXPECT_EQ(files.Of("b/main.c", LanguageGroup::kC, "../a/x.h"), "a/x.h");
  EXPECT_EQ(files.Of("a/main.c", LanguageGroup::kC, "lib/y.h"), "include/lib/y.h");
  EXPECT_EQ(files.Of("a/main.c", LanguageGroup::kC, "none.h"), "-");
}

TEST(ImportResolverTest, TakesTheNearestOfSeveral) {
  const Resolver files({"one/inc/x.h", "two/inc/x.h", "two/deep/inc/x.h"});
  EXPECT_EQ(files.Of("one/src/a.c", LanguageGroup::kC, "x.h"), "one/inc/x.h");
  EXPECT_EQ(files.Of("two/src/a.c", LanguageGroup::kC, "inc/x.h"), "two/inc/x.h");
  EXPECT_EQ(files.Of("two/deep/src/a.c", LanguageGroup::kC, "x.h"), "two/deep/inc/x.h");
}

TEST(ImportResolverTest, TakesSystemHeadersForTheirOwnFoldersOnly) {
  const Resolver files({"src/string.h", "include/tool.h"});
  EXPECT_EQ(files.Of("src/a.c", LanguageGroup::kC, "string.h", /*is_system=*/true), "-");
  EXPECT_EQ(files.Of("src/a.c", LanguageGroup::kC, "tool.h", /*is_system=*/true), "include/tool.h");
}

TEST(ImportResolverTest, NeverLeavesTheWorkspace) {
  const Resolver files({"x.h"});
  EXPECT_EQ(files.Of("a.c", LanguageGroup::kC, "../x.h"), "-");
  EXPECT_EQ(files.Of("a.c", LanguageGroup::kC, std::string_view("x.h\0", 4)), "-");
}

TEST(ImportResolverTest, FindsPythonModules) {
  const Resolver files({"app/__init__.py", "app/core/util.py", "app/core/__init__.py", "lib/os.py", "src/pkg/mod.py"});
  EXPECT_EQ(files.Of("app/main.py", LanguageGroup::kPython, "app.core.util"), "app/core/util.py");
  EXPECT_EQ(files.Of("app/main.py", LanguageGroup::kPython, ".core"), "app/core/__init__.py");
  EXPECT_EQ(files.Of("app/core/util.py", LanguageGroup::kPython, ".."), "app/__init__.py");
  EXPECT_EQ(files.Of("app/main.py", LanguageGroup::kPython, "pkg.mod"), "src/pkg/mod.py");
  EXPECT_EQ(files.Of("app/main.py", LanguageGroup::kPython, "os"), "-");
  EXPECT_EQ(files.Of("main.py", LanguageGroup::kPython, "...x"), "-");
}

TEST(ImportResolverTest, FindsModulesOfOtherLanguages) {
  const Resolver files({"web/a.ts", "web/b/index.js", "j/src/org/x/Y.java", "rs/src/a/b.rs", "rs/src/m/mod.rs",
                        "perl/My/Mod.pm", "l/a/b.lua", "p/inc/x.php", "r/lib/a.rb", "s/lib.sh"});
  EXPECT_EQ(files.Of("web/main.ts", LanguageGroup::kScript, "./a"), "web/a.ts");
  EXPECT_EQ(files.Of("web/main.ts", LanguageGroup::kScript, "./a.js"), "web/a.ts");
  EXPECT_EQ(files.Of("web/main.ts", LanguageGroup::kScript, "./b"), "web/b/index.js");
  EXPECT_EQ(files.Of("web/main.ts", LanguageGroup::kScript, "a"), "-");
  EXPECT_EQ(files.Of("j/src/Main.java", LanguageGroup::kJvm, "org.x.Y"), "j/src/org/x/Y.java");
  EXPECT_EQ(files.Of("j/src/Main.java", LanguageGroup::kJvm, "org.x.Y.member"), "j/src/org/x/Y.java");
  EXPECT_EQ(files.Of("rs/src/main.rs", LanguageGroup::kRust, "crate::a::b::Item"), "rs/src/a/b.rs");
  EXPECT_EQ(files.Of("rs/src/main.rs", LanguageGroup::kRust, "self::m"), "rs/src/m/mod.rs");
  EXPECT_EQ(files.Of("rs/src/main.rs", LanguageGroup::kRust, "std::fmt"), "-");
  EXPECT_EQ(files.Of("perl/x.pl", LanguageGroup::kPerl, "My::Mod"), "perl/My/Mod.pm");
  EXPECT_EQ(files.Of("l/x.lua", LanguageGroup::kLua, "a.b"), "l/a/b.lua");
  EXPECT_EQ(files.Of("p/inc/y.php", LanguageGroup::kPhp, "x.php"), "p/inc/x.php");
  EXPECT_EQ(files.Of("r/bin/x.rb", LanguageGroup::kRuby, "a"), "r/lib/a.rb");
  EXPECT_EQ(files.Of("s/run.sh", LanguageGroup::kShell, "./lib.sh"), "s/lib.sh");
  EXPECT_EQ(files.Of("s/run.go", LanguageGroup::kGo, "s"), "-");
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
