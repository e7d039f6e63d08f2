// Small programs, one for each language, against what a person reads in them.
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/support/code_graph_fixture.h"

namespace toolgate::executors::code_graph::index {
namespace {

class SourceLanguagesTest : public testing::CodeGraphFixture {
 protected:
  // "Label qualified.name first-last", a line each.
  std::string Symbols() {
    return Lines(
        "MATCH (s:Symbol) RETURN coalesce(labels(s)[1], s.kind) + ' ' + s.qualifiedName + ' ' + toString(s.line) + "
        "'-' + toString(s.endLine) ORDER BY s.path, s.line, s.qualifiedName");
  }
  // "from > to"; the file's path where no symbol mentions.
  std::string Related(std::string_view type) {
    return Lines("MATCH (a)-[:" + std::string(type) +
                 "]->(b:Symbol) RETURN coalesce(a.qualifiedName, a.path) + ' > ' + b.qualifiedName AS edge "
                 "ORDER BY edge");
  }
  std::string Calls() { return Related("CALLS"); }
  std::string Members() {
    return Lines(
        "MATCH (a:Symbol)-[:CONTAINS]->(b:Symbol) RETURN a.qualifiedName + ' > ' + b.name AS edge ORDER BY edge");
  }
  // "file > file or module".
  std::string Imports() {
    return Lines(
        "MATCH (a:File)-[:IMPORTS|INCLUDES]->(b) RETURN a.path + ' > ' + coalesce(b.path, b.name) AS edge "
        "ORDER BY edge");
  }

 private:
  std::string Lines(std::string_view query) { return absl::StrJoin(Query(query), "\n"); }
};

// ---- Ruby

TEST_F(SourceLanguagesTest, NestsRuby) {
  Write("a.rb",
        "module Shop\n"
        "  class Cart\n"
        "    def initialize(lines)\n"
        "      @total ||= if lines.empty?\n"
        "        0\n"
        "      else\n"
        "        sum(lines)\n"
        "      end\n"
        "    end\n"
        "    def first = @lines.first\n"
        "    def last(n = 1) = pick(n)\n"
        "    def guard\n"
        "      return if @done\n"
        "      raise \"no\" unless @lines\n"
        "      while @lines.any? do\n"
        "        step\n"
        "      end\n"
        "      until ready? do step end\n"
        "    end\n"
        "    def load\n"
        "      begin\n"
        "        read\n"
        "      rescue IOError => error\n"
        "        report(error)\n"
        "      end while again?\n"
        "      text = <<~end_of_text\n"
        "        def fake\n"
        "        class Fake\n"
        "      end_of_text\n"
        "      name = :if\n"
        "      text.class\n"
        "    end\n"
        "    class << self\n"
        "      def build = new([])\n"
        "    end\n"
        "    def self.create; end\n"
        "    def ==(other) = other\n"
        "    def /(other); use(:/, other) end\n"
        "    def size=(n)\n"
        "    end\n"
        "    private def hidden\n"
        "      x = /end/ if y\n"
        "      $stdout.puts \"#{'a' if x}\"\n"
        "    end\n"
        "    alias total first\n"
        "    attr_accessor :name\n"
        "  end\n"
        "end\n"
        "def top\n"
        "end\n");
  EXPECT_EQ(Symbols(),
            "Namespace Shop 1-48\n"
            "Class Shop.Cart 2-47\n"
            "Method Shop.Cart.initialize 3-9\n"
            "Method Shop.Cart.first 10-10\n"
            "Method Shop.Cart.last 11-11\n"
            "Method Shop.Cart.guard 12-19\n"
            "Method Shop.Cart.load 20-32\n"
            "Method Shop.Cart.build 34-34\n"
            "Method Shop.Cart.create 36-36\n"
            "Method Shop.Cart.== 37-37\n"
            "Method Shop.Cart./ 38-38\n"
            "Method Shop.Cart.size= 39-40\n"
            "Method Shop.Cart.hidden 41-44\n"
            "Method Shop.Cart.total 45-45\n"
            "Field Shop.Cart.name 46-46\n"
            "Field Shop.Cart.name= 46-46\n"
            "Function top 49-50");
}

TEST_F(SourceLanguagesTest, ReadsRubyBehindDocumentation) {
  Write("a.rb", "=begin\ndef fake\n=end\ndef real\nend\n=begin\ntext\n=end\ndef other\n  real\nend\n");
  EXPECT_EQ(Symbols(), "Function real 4-5\nFunction other 9-11");
  EXPECT_EQ(Calls(), "other > real");
}

TEST_F(SourceLanguagesTest, FindsTypesThatRubyMakes) {
  Write("a.rb",
        "Point = Struct.new(:x, :y) do\n"
        "  def length\n"
        "    Math.sqrt(x)\n"
        "  end\n"
        "end\n"
        "Failure = Class.new(StandardError)\n"
        "class Outer::Inner < Point\n"
        "  define_method(:made) { length }\n"
        "end\n"
        "LIMITS = [\n"
        "  1\n"
        "]\n");
  EXPECT_EQ(Symbols(),
            "Class Point 1-5\nField Point.x 1-1\nField Point.y 1-1\nMethod Point.length 2-4\nClass Failure 6-6\n"
            "Class Outer.Inner 7-9\nMethod Outer.Inner.made 8-8\nConstant LIMITS 10-12");
  EXPECT_EQ(Related("EXTENDS"), "Outer.Inner > Point");
  EXPECT_EQ(Calls(), "Outer.Inner.made > Point.length\nPoint.length > Point.x");
}

TEST_F(SourceLanguagesTest, FollowsMixinsAndLeavesOutVariablesOfRuby) {
  Write("lib/tasks.rb", "module Tasks\n  def tasks; end\n  def name; end\nend\n");
  Write("lib/app.rb",
        "require_relative \"tasks\"\n"
        "class App\n"
        "  include Tasks\n"
        "  def run\n"
        "    tasks\n"
        "    name, other = pair\n"
        "    name\n"
        "    Loader.new name: other\n"
        "  rescue IOError => tasks\n"
        "  end\n"
        "  def pair; end\n"
        "end\n"
        "class Loader\n"
        "end\n");
  EXPECT_EQ(Calls(), "App.run > App.pair\nApp.run > Loader\nApp.run > Tasks.tasks");
  EXPECT_EQ(Related("EXTENDS"), "App > Tasks");
  EXPECT_EQ(Imports(), "lib/app.rb > lib/tasks.rb");
}

// ---- PHP

TEST_F(SourceLanguagesTest, ReadsPhp) {
  Write("src/Point.php",
        "<p>It's text</p>\n"
        "<?php\n"
        "namespace App\\Model;\n"
        "use App\\Other;\n"
        "use function strlen;\n"
        "enum Suit: string {\n"
        "  case Hearts = 'H';\n"
        "  public function label(): string { return self::make() . $this->value; }\n"
        "  static function make() {}\n"
        "}\n"
        "#[Attribute] final class Point extends Base implements Shape {\n"
        "  use Logs;\n"
        "  const TEXT = <<<'TEXT'\n"
        "    it's\n"
        "    TEXT;\n"
        "  const LAST = 1;\n"
        "  public function __construct(private int $x, ?Suit $suit = null) { parent::__construct(); }\n"
        "  abstract function area(): float;\n"
        "  function go() {\n"
        "    $result = new Point(1);\n"
        "    $result = $this?->area();\n"
        "    $this->log();\n"
        "    new $this->go();\n"
        "    return array_map(fn($a) => helper(name: $a), []);\n"
        "  }\n"
        "}\n"
        "trait Logs { function log() {} }\n"
        "class Base { function __construct() {} }\n"
        "function helper($a) {}\n");
  EXPECT_EQ(Symbols(),
            "Namespace App\\Model 3-29\n"
            "Enum App\\Model\\Suit 6-10\n"
            "EnumMember App\\Model\\Suit\\Hearts 7-7\n"
            "Method App\\Model\\Suit\\label 8-8\n"
            "Method App\\Model\\Suit\\make 9-9\n"
            "Class App\\Model\\Point 11-26\n"
            "Constant App\\Model\\Point\\TEXT 13-13\n"
            "Constant App\\Model\\Point\\LAST 16-16\n"
            "Method App\\Model\\Point\\__construct 17-17\n"
            "Field App\\Model\\Point\\x 17-17\n"
            "Method App\\Model\\Point\\area 18-18\n"
            "Method App\\Model\\Point\\go 19-25\n"
            "Interface App\\Model\\Logs 27-27\n"
            "Method App\\Model\\Logs\\log 27-27\n"
            "Class App\\Model\\Base 28-28\n"
            "Method App\\Model\\Base\\__construct 28-28\n"
            "Function App\\Model\\helper 29-29");
  EXPECT_EQ(Calls(),
            "App\\Model\\Point\\__construct > App\\Model\\Base\\__construct\n"
            "App\\Model\\Point\\go > App\\Model\\Logs\\log\n"
            "App\\Model\\Point\\go > App\\Model\\Point\n"
            "App\\Model\\Point\\go > App\\Model\\Point\\area\n"
            "App\\Model\\Point\\go > App\\Model\\helper\n"
            "App\\Model\\Suit\\label > App\\Model\\Suit\\make");
  EXPECT_EQ(Related("EXTENDS"), "App\\Model\\Point > App\\Model\\Base\nApp\\Model\\Point > App\\Model\\Logs");
  EXPECT_EQ(Imports(), "src/Point.php > App\\Other\nsrc/Point.php > strlen");
  EXPECT_EQ(Query("MATCH (n:Namespace)-[:CONTAINS]->(c:Class) RETURN c.name ORDER BY c.name"),
            (std::vector<std::string>{"Base", "Point"}));
}

// ---- Perl

TEST_F(SourceLanguagesTest, ReadsPerl) {
  Write("lib/My/Base.pm", "package My::Base;\nsub log_it { 1 }\nsub build { 1 }\n1;\n");
  Write("lib/My/Task.pm",
        "package My::Task;\n"
        "use strict;\n"
        "use parent 'My::Base';\n"
        "\n"
        "=head1 NAME\n"
        "\n"
        "sub fake {\n"
        "\n"
        "=cut\n"
        "\n"
        "sub clean {\n"
        "  my ($self, $text) = @_;\n"
        "  $text =~ s/['\"{]//g;\n"
        "  $text =~ tr{'}{\"};\n"
        "  split /\"/, $text;\n"
        "  return $self->trim;\n"
        "}\n"
        "\n"
        "=head2 trim\n"
        "\n"
        "=cut\n"
        "\n"
        "sub trim {#comment's\n"
        "  my ($self) = @_;\n"
        "  $self->log_it(clean => { trim => 1 }, $self->{clean});\n"
        "  check_all q(don't), 1;\n"
        "  local $/ = undef;\n"
        "}\n"
        "sub check_all { \\&clean }\n"
        "package My::Other {\n"
        "  sub make { return My::Task->build }\n"
        "}\n"
        "1;\n");
  EXPECT_EQ(Symbols(),
            "Namespace My::Base 1-4\n"
            "Function My::Base::log_it 2-2\n"
            "Function My::Base::build 3-3\n"
            "Namespace My::Task 1-29\n"
            "Function My::Task::clean 11-17\n"
            "Function My::Task::trim 23-28\n"
            "Function My::Task::check_all 29-29\n"
            "Namespace My::Other 30-32\n"
            "Function My::Other::make 31-31");
  EXPECT_EQ(Calls(),
            "My::Other::make > My::Base::build\n"
            "My::Task::clean > My::Task::trim\n"
            "My::Task::trim > My::Base::log_it\n"
            "My::Task::trim > My::Task::check_all");
  EXPECT_EQ(Members(),
            "My::Base > build\nMy::Base > log_it\nMy::Other > make\nMy::Task > check_all\nMy::Task > clean\n"
            "My::Task > trim");
  EXPECT_EQ(Related("EXTENDS"), "My::Task > My::Base");
}

// ---- Shells

TEST_F(SourceLanguagesTest, ReadsShells) {
  Write("lib/log.sh", "log-error() {\n  echo \"$1\"\n}\nfail() {\n  exit 1\n}\n");
  Write("run.sh",
        "#!/bin/bash\n"
        "source \"$(dirname \"$0\")/lib/log.sh\"\n"
        ". \"${0%/*}/other.sh\"\n"
        "list=()\n"
        "app::main() {\n"
        "  local -a names=()\n"
        "  cat << eof\n"
        "fail() {\n"
        "eof\n"
        "  names=\"$(collect \"a\" | sort)\"\n"
        "  if ! collect; then log-error \"fail\"; fi\n"
        "  fail=1\n"
        "}\n"
        "collect() {\n"
        "  true && fail\n"
        "}\n"
        "app::main \"$@\"\n");
  Write("other.sh", "");
  EXPECT_EQ(Query("MATCH (f:Function) RETURN f.name ORDER BY f.path, f.line"),
            (std::vector<std::string>{"log-error", "fail", "app::main", "collect"}));
  EXPECT_EQ(Calls(), "app::main > collect\napp::main > log-error\ncollect > fail\nrun.sh > app::main");
  EXPECT_EQ(Imports(), "run.sh > lib/log.sh\nrun.sh > other.sh");
}

// ---- Lua

TEST_F(SourceLanguagesTest, ReadsLua) {
  Write("class.lua",
        "local M = { _VERSION = 1 }\n"
        "local function wrap(f, ...)\n"
        "  if f then\n"
        "    return function(self, name)\n"
        "      return M.call(name)\n"
        "    end\n"
        "  end\n"
        "  for k, v in pairs({ ... }) do f[k] = v end\n"
        "  repeat f() until true\n"
        "  return select('#', ...)\n"
        "end\n"
        "function M.call(name)\n"
        "  return 'class ' .. wrap(name) .. [[ end ]]\n"
        "end\n"
        "local Mixin = {\n"
        "  start = function(self) return self:stop() end,\n"
        "  stop = function() end,\n"
        "  static = { make = function(self) wrap(self) end },\n"
        "}\n"
        "function M:run()\n"
        "  while true do self:call() end\n"
        "end\n"
        "M.last = function(a) M.run(a) end\n"
        "return M\n");
  Write("other.lua", "wrap()\nprint(Mixin)\n");
  EXPECT_EQ(Symbols(),
            "Variable M 1-1\n"
            "Function wrap 2-11\n"
            "Function M.call 12-14\n"
            "Variable Mixin 15-19\n"
            "Function Mixin.start 16-16\n"
            "Function Mixin.stop 17-17\n"
            "Function Mixin.static.make 18-18\n"
            "Function M.run 20-22\n"
            "Function M.last 23-23");
  EXPECT_EQ(Calls(),
            "M.call > wrap\nM.last > M.run\nM.run > M.call\nMixin.start > Mixin.stop\nMixin.static.make > wrap\n"
            "wrap > M.call");
}

// ---- Go

TEST_F(SourceLanguagesTest, ReadsGo) {
  Write("a.go",
        "package web\n"
        "\n"
        "type Params []Param\n"
        "type Param struct {\n"
        "  Value string\n"
        "}\n"
        "\n"
        "func (ps Params) ByName(\n"
        "  handle string,\n"
        "  rest ...Param) string {\n"
        "  root, handle := find(ps)\n"
        "  root.use(handle)\n"
        "  return ctx.Value(func(find int, w *Param) { w.run(find) })\n"
        "}\n"
        "\n"
        "func find(ps Params) (Param, string) { return Param{}, \"\" }\n"
        "func root() {}\n"
        "func handle() {}\n"
        "func (p *Param) use(s string) {}\n");
  EXPECT_EQ(Symbols(),
            "Namespace web 1-1\n"
            "Type web.Params 3-3\n"
            "Struct web.Param 4-6\n"
            "Field web.Param.Value 5-5\n"
            "Method web.Params.ByName 8-14\n"
            "Function web.find 16-16\n"
            "Function web.root 17-17\n"
            "Function web.handle 18-18\n"
            "Method web.Param.use 19-19");
  EXPECT_EQ(Calls(), "web.Params.ByName > web.Param.use\nweb.Params.ByName > web.find");
  EXPECT_EQ(Query("MATCH (:Method {name: 'ByName'})-[:REFERENCES]->(b:Function) RETURN b.name"),
            (std::vector<std::string>{}));
}

// ---- Rust

TEST_F(SourceLanguagesTest, ReadsRust) {
  Write("src/lib.rs", "mod parse;\npub struct Version {\n  pub major: u64,\n}\npub fn wildcard() {}\n");
  Write("src/error.rs", "pub struct Error;\n");
  Write("src/parse.rs",
        "use crate::{error::Error, Version};\n"
        "pub trait Parse {\n"
        "  type Err;\n"
        "  fn parse(text: &str) -> Result<Self, Self::Err>;\n"
        "}\n"
        "struct Reader;\n"
        "impl Parse for Reader {\n"
        "  type Err = Error;\n"
        "  fn parse(text: &str) -> Result<Self, Self::Err> {\n"
        "    let (major, wildcard) = split(text)?;\n"
        "    let read = |dot| major.max(dot);\n"
        "    for dot in 0..count(text) { read(dot); }\n"
        "    if wildcard { return Err(Error); }\n"
        "    Ok(make())\n"
        "  }\n"
        "}\n"
        "impl Version {\n"
        "  fn show(&self) -> Reader { todo!{} }\n"
        "}\n"
        "fn split(text: &str) {}\n"
        "fn count(text: &str) {}\n"
        "fn make() -> Reader { Reader }\n"
        "fn dot() {}\n");
  EXPECT_EQ(
      Query("MATCH (a)-[:CALLS]->(b) WHERE a.path = 'src/parse.rs' RETURN a.name + ' > ' + b.name AS e ORDER BY e"),
      (std::vector<std::string>{"parse > count", "parse > make", "parse > split"}));
  EXPECT_EQ(Related("EXTENDS"), "Reader > Parse");
  EXPECT_EQ(Query("MATCH (s:Struct)-[:CONTAINS]->(m:Method) RETURN s.name + '.' + m.name AS e ORDER BY e"),
            (std::vector<std::string>{"Reader.parse", "Version.show"}));
  EXPECT_EQ(Query("MATCH (a:Function)-[:REFERENCES]->(b:Struct) RETURN a.name + ' > ' + b.name AS e ORDER BY e"),
            (std::vector<std::string>{"make > Reader"}));
  EXPECT_EQ(Query("MATCH (:File {path: 'src/parse.rs'})-[:IMPORTS]->(b:File) RETURN b.path ORDER BY b.path"),
            (std::vector<std::string>{"src/error.rs", "src/lib.rs"}));
}

// ---- Java

TEST_F(SourceLanguagesTest, ReadsJava) {
  Write("Shape.java",
        "package app;\n"
        "public sealed interface Shape permits Circle {\n"
        "  double area();\n"
        "}\n"
        "record Circle(double radius, java.util.Map<String, Integer> names) implements Shape {\n"
        "  Circle {\n"
        "    check(radius);\n"
        "  }\n"
        "  public double area() { return square(radius); }\n"
        "  private static double square(double x) { return x * x; }\n"
        "  static void check(double r) {}\n"
        "}\n"
        "non-sealed class Box<T> extends Base<String, Circle> {\n"
        "  int size() {\n"
        "    run(() -> measure(1));\n"
        "    return super.size() + inherited();\n"
        "  }\n"
        "  static int measure(int x) { return x; }\n"
        "  void record(int x) {\n    record(x);\n  }\n"
        "}\n"
        "class Base<A, B> {\n"
        "  int size() { return 0; }\n"
        "  int inherited() { return 0; }\n"
        "  void run(Runnable task) {}\n"
        "}\n");
  EXPECT_EQ(Symbols(),
            "Namespace app 1-1\n"
            "Interface Shape 2-4\n"
            "Method Shape.area 3-3\n"
            "Class Circle 5-12\n"
            "Field Circle.names 5-5\n"
            "Field Circle.radius 5-5\n"
            "Method Circle.area 9-9\n"
            "Method Circle.square 10-10\n"
            "Method Circle.check 11-11\n"
            "Class Box 13-22\n"
            "Method Box.size 14-17\n"
            "Method Box.measure 18-18\n"
            "Method Box.record 19-21\n"
            "Class Base 23-27\n"
            "Method Base.size 24-24\n"
            "Method Base.inherited 25-25\n"
            "Method Base.run 26-26");
  EXPECT_EQ(Calls(),
            "Box.record > Box.record\nBox.size > Base.inherited\nBox.size > Base.run\nBox.size > Base.size\n"
            "Box.size > Box.measure\nCircle > Circle.check\nCircle.area > Circle.square");
  EXPECT_EQ(Related("EXTENDS"), "Box > Base\nCircle > Shape");
}

// ---- Python

TEST_F(SourceLanguagesTest, ReadsPython) {
  Write("a.py",
        "class Base(Generic[Key, Value], metaclass=Meta):\n"
        "  def load(self): pass\n"
        "class Repo(Base[int, str]):\n"
        "  def load(\n"
        "      self,\n"
        "      helper,\n"
        "      other: int = 1,\n"
        "  ) -> Base:\n"
        "    first, last = pair()\n"
        "    count: int = 0\n"
        "    if (n := measure()) > count:\n"
        "      last(helper, n, first)\n"
        "    print(f\"it's {describe(first)!r} {{no}}\", r'\\d')\n"
        "    return super().load()\n"
        "def helper(): pass\n"
        "def other(): pass\n"
        "def pair(): pass\n"
        "def last(): pass\n"
        "def count(): pass\n"
        "def first(): pass\n"
        "def measure(): pass\n"
        "def describe(x): pass\n"
        "class Key: pass\n"
        "class Meta: pass\n");
  EXPECT_EQ(Calls(), "Repo.load > Base.load\nRepo.load > describe\nRepo.load > measure\nRepo.load > pair");
  EXPECT_EQ(Related("EXTENDS"), "Repo > Base");
  EXPECT_EQ(Query("MATCH (:Method {name: 'load'})-[:REFERENCES]->(b) RETURN b.name"),
            (std::vector<std::string>{"Base"}));
}

// ---- C and C++

TEST_F(SourceLanguagesTest, NamesStructsOfCByTheirTypedef) {
  Write("a.c",
        "typedef struct {\n"
        "  int (*read)(int);\n"
        "  int part;\n"
        "} buffer;\n"
        "typedef enum { RED } color;\n"
        "int fill(buffer *to) { return to->read(1); }\n");
  EXPECT_EQ(Members(), "buffer > part\nbuffer > read\ncolor > RED");
  EXPECT_EQ(Query("MATCH (s:Struct) RETURN s.name, s.endLine"), (std::vector<std::string>{"buffer | 4"}));
  EXPECT_EQ(Calls(), "fill > buffer::read");
  EXPECT_EQ(Query("MATCH (t:Type) RETURN t.name"), (std::vector<std::string>{}));
}

TEST_F(SourceLanguagesTest, ReadsCpp) {
  Write("a.cc",
        "template <typename A, typename B>\n"
        "class Base {\n"
        " public:\n"
        "  void inherited() {\n"
        "  }\n"
        "};\n"
        "class Box : public Base<int, long> {\n"
        " public:\n"
        "  Box() {}\n"
        "  ~Box() override;\n"
        "  friend void swap(Box& a, Box& b);\n"
        "  void draw() {\n"
        "    auto work = [&](int x) { return helper(x); };\n"
        "    inherited();\n"
        "  }\n"
        "};\n"
        "int helper(int x) { return x; }\n"
        "void swap(Box& a, Box& b) {}\n"
        "const auto kWork = [](int x) { return helper(x); };\n");
  EXPECT_EQ(Calls(), "Box::draw > Base::inherited\nBox::draw > helper\nkWork > helper");
  EXPECT_EQ(Related("EXTENDS"), "Box > Base");
  EXPECT_EQ(Query("MATCH (s:Symbol) WHERE s.name STARTS WITH '__anon' RETURN s.name"), (std::vector<std::string>{}));
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
