#include "executors/code_graph/index/declaration_scan.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_join.h"
#include "executors/code_graph/index/import_scan.h"
#include "executors/code_graph/index/mention_scan.h"
#include "gtest/gtest.h"
#include "tests/support/code_graph_fixture.h"

namespace toolgate::executors::code_graph::index {
namespace {

class DeclarationScanTest : public testing::CodeGraphFixture {
 protected:
  // "Label qualified.name first-last", a line each.
  std::string Symbols() {
    return absl::StrJoin(Query("MATCH (s:Symbol) RETURN coalesce(labels(s)[1], s.kind) + ' ' + s.qualifiedName + ' ' + "
                               "toString(s.line) + '-' + toString(s.endLine) ORDER BY s.path, s.line, s.qualifiedName"),
                         "\n");
  }
  // "caller > callee"; the file's path where no symbol calls.
  std::string Related(std::string_view type) {
    return absl::StrJoin(
        Query("MATCH (a)-[:" + std::string(type) +
              "]->(b) RETURN coalesce(a.qualifiedName, a.path) + ' > ' + b.qualifiedName AS edge ORDER BY edge"),
        "\n");
  }
  std::string Calls() { return Related("CALLS"); }
};

TEST_F(DeclarationScanTest, FindsSymbolsInFilesOfEveryExtension) {
  for (const char* const name : {"a.ts", "b.tsx", "c.mts", "d.cts", "e.js", "f.jsx", "g.mjs", "h.cjs"}) {
    Write(name, "export function f() {}\n");
  }
  for (const char* const name : {"a.py", "b.pyi", "c.pyw", "SConstruct"}) Write(name, "def f(): ...\n");
  for (const char* const name : {"a.kt", "b.kts"}) Write(name, "fun f() {}\n");
  for (const char* const name : {"a.cc", "b.hh", "c.hxx", "d.cxx", "e.ipp", "f.inl", "g.tpp", "h.ixx", "i.hpp"}) {
    Write(name, "inline int f() { return 1; }\n");
  }
  for (const char* const name : {"a.rb", "b.rake", "c.gemspec", "Rakefile", "config.ru"}) Write(name, "def f\nend\n");
  for (const char* const name : {"a.php", "b.phtml", "c.phpt"}) Write(name, "<?php function f() {}\n");
  for (const char* const name : {"a.cs", "b.csx"}) Write(name, "void f() {}\n");
  for (const char* const name : {"a.cu", "b.cuh"}) Write(name, "void f() {}\n");
  for (const char* const name : {"a.pl", "b.psgi", "c.t"}) Write(name, "sub f { 1 }\n");
  for (const char* const name : {"a.sh", "b.bats", ".bashrc"}) Write(name, "f() {\n  true\n}\n");
  for (const char* const name : {"a.lua", "b.luau"}) Write(name, "function f() end\n");
  for (const char* const name : {"UP.PY", "UP.CS"}) Write(name, name[3] == 'P' ? "def f(): ...\n" : "void f() {}\n");
  EXPECT_EQ(Query("MATCH (f:File) WHERE NOT EXISTS { MATCH (f)-[:DEFINES]->(:Function {name: 'f'}) } RETURN f.path"),
            (std::vector<std::string>{}));
}

TEST_F(DeclarationScanTest, FindsFunctionsOfTypeScript) {
  Write("a.ts",
        "export const arrow = async (a: number): Promise<void> => {\n"
        "};\n"
        "const expression = function named() {};\n"
        "export const api = {\n"
        "  get: async (url: string) => url,\n"
        "  post(url) {},\n"
        "  limit: 1,\n"
        "};\n"
        "class A extends B implements C {\n"
        "  private readonly service = inject(Service);\n"
        "  handler = async () => {};\n"
        "  constructor(private x: number) { super(); }\n"
        "  get v() { return 1; }\n"
        "  @Input() name: string;\n"
        "  m(): void;\n"
        "  m(a?: { b: string }): void {\n"
        "  }\n"
        "}\n"
        "interface I<T> { a: () => void; b(x: number): T }\n"
        "type T = { a: number } | (() => void);\n"
        "enum E { One, Two = 2 }\n"
        "namespace N { export function h() {} }\n"
        "export const Button = React.forwardRef<HTMLElement, Props>(\n"
        "  (props, ref) => null\n"
        ");\n"
        "for (const i of []) {}\n"
        "export default () => arrow(1);\n");
  EXPECT_EQ(Symbols(),
            "Function arrow 1-2\n"
            "Function expression 3-3\n"
            "Constant api 4-8\n"
            "Function api.get 5-5\n"
            "Function api.post 6-6\n"
            "Class A 9-18\n"
            "Field A.service 10-10\n"
            "Function A.handler 11-11\n"
            "Method A.constructor 12-12\n"
            "Field A.x 12-12\n"
            "Method A.v 13-13\n"
            "Field A.name 14-14\n"
            "Method A.m 16-17\n"
            "Interface I 19-19\n"
            "Field I.a 19-19\n"
            "Method I.b 19-19\n"
            "Type T 20-20\n"
            "Enum E 21-21\n"
            "EnumMember E.One 21-21\n"
            "EnumMember E.Two 21-21\n"
            "Namespace N 22-22\n"
            "Function N.h 22-22\n"
            "Function Button 23-25\n"
            "Function default 27-27");
}

TEST_F(DeclarationScanTest, GivesCallsToTheFunctionThatMakesThem) {
  Write("f.ts", "export function f() {}\nexport const g = () => 1;\n");
  Write("a.ts",
        "import { f, g } from './f';\n"
        "export function outer(list: number[]) {\n"
        "  const x = f();\n"
        "  const total = list.map((i) => g());\n"
        "  const inner = () => { f(); };\n"
        "  inner();\n"
        "  return `${g()} and ${`${f()}`}`;\n"
        "}\n"
        "class A { field = f(); arrow = () => g(); m() { const y = f(); this.arrow(); } n() { g(); } }\n"
        "const top = f();\n"
        "const wrapped = create((set) => ({ inc: () => g() }));\n");
  EXPECT_EQ(Calls(),
            "A > f\n"
            "A.arrow > g\n"
            "A.m > A.arrow\n"
            "A.m > f\n"
            "A.n > g\n"
            "a.ts > f\n"
            "outer > f\n"
            "outer > g\n"
            "outer > outer.inner\n"
            "outer.inner > f\n"
            "wrapped.inc > g");
}

TEST_F(DeclarationScanTest, ReadsJsx) {
  Write("comp.jsx", "export const Comp = ({ label }) => <b>don't {label}</b>;\nexport const f = () => 1;\n");
  Write("page.tsx",
        "import { Comp, f } from './comp';\n"
        "export default function Page<T extends object>({ a, b }: Props<T>) {\n"
        "  const x = f();\n"
        "  if (a < b && b > a) f();\n"
        "  return (\n"
        "    <main className=\"it's\">\n"
        "      it's <Comp onClick={() => f()} {...b}>text {/* none */ a && <i>{helper(x)}</i>}</Comp>\n"
        "    </main>\n"
        "  );\n"
        "}\n"
        "const helper = <T,>(t: T) => t;\n");
  EXPECT_EQ(Calls(), "Page > f\nPage > helper");
  EXPECT_EQ(Query("MATCH (:Function {name: 'Page'})-[r:CALLS]->(f {name: 'f'}) RETURN r.count, r.line"),
            (std::vector<std::string>{"3 | 3"}));
  EXPECT_EQ(Query("MATCH (a:Function)-[r:REFERENCES]->(:Function {name: 'Comp'}) RETURN a.name, r.line"),
            (std::vector<std::string>{"Page | 7"}));
}

TEST_F(DeclarationScanTest, FollowsPathsThroughConstants) {
  Write("a.js",
        "const load = async () => { const r = await read(); return r; };\n"
        "function read() { const raw = open(); return raw; }\n"
        "var open = function () {};\n"
        "module.exports = { start() { const l = load(); } };\n");
  EXPECT_EQ(Query("MATCH p = (:Function {name: 'start'})-[:CALLS*1..5]->(:Function {name: 'open'}) RETURN length(p)"),
            (std::vector<std::string>{"3"}));
}

TEST_F(DeclarationScanTest, ReadsKotlin) {
  Write("a.kt",
        "package app\n"
        "import app.other.x\n"
        "const val LIMIT = 10\n"
        "fun f(): Int = 1\n"
        "suspend fun <T> List<T>.ext(block: () -> Unit): Int {\n"
        "  val x = f()\n"
        "  val (a, b) = pair { f() }\n"
        "  return x\n"
        "}\n"
        "class A(private val repo: Repo, x: Int) : Base(x), Iface by repo {\n"
        "  private val lazily by lazy { f() }\n"
        "  override fun m() = list.ext { f() }\n"
        "  companion object {\n"
        "    fun create() = A()\n"
        "  }\n"
        "  val prop: Int\n"
        "    get() = f()\n"
        "}\n"
        "interface Iface { fun m() }\n"
        "enum class E(val v: Int) { ONE(1), TWO(2); fun e() = f() }\n"
        "typealias Names = List<String>\n"
        "fun pair(block: () -> Unit) = \"${f()} {\"\n"
        "fun `name with spaces`() { f() }\n");
  EXPECT_EQ(Symbols(),
            "Namespace app 1-1\n"
            "Constant LIMIT 3-3\n"
            "Function f 4-4\n"
            "Function ext 5-9\n"
            "Class A 10-18\n"
            "Field A.repo 10-10\n"
            "Field A.lazily 11-11\n"
            "Method A.m 12-12\n"
            "Class A.Companion 13-15\n"
            "Method A.Companion.create 14-14\n"
            "Field A.prop 16-17\n"
            "Interface Iface 19-19\n"
            "Method Iface.m 19-19\n"
            "Enum E 20-20\n"
            "EnumMember E.ONE 20-20\n"
            "EnumMember E.TWO 20-20\n"
            "Method E.e 20-20\n"
            "Field E.v 20-20\n"
            "Type Names 21-21\n"
            "Function pair 22-22\n"
            "Function name with spaces 23-23");
  EXPECT_EQ(Calls(),
            "A.Companion.create > A\n"
            "A.lazily > f\n"
            "A.m > ext\n"
            "A.m > f\n"
            "A.prop > f\n"
            "E.e > f\n"
            "ext > f\n"
            "ext > pair\n"
            "name with spaces > f\n"
            "pair > f");
}

TEST_F(DeclarationScanTest, ReadsCSharp) {
  Write("a.cs",
        "using System;\n"
        "namespace App.Core;\n"
        "#region Don't\n"
        "public class A : Base, IFoo {\n"
        "  private readonly Repo _repo = new Repo();\n"
        "  public A(Repo repo) : base(repo) { _repo = repo; }\n"
        "  public async Task<int> Run() {\n"
        "    await F();\n"
        "    var x = await F();\n"
        "    foreach (var i in G<int>(x)) yield return H(i);\n"
        "    return await F().ConfigureAwait(false);\n"
        "  }\n"
        "  public Task F() => Task.CompletedTask;\n"
        "  public int Prop { get; set; } = 1;\n"
        "  public int Computed => H(@\"C:\\\");\n"
        "  T G<T>(T t) where T : new() { return $\"{H(t)}\"; }\n"
        "  int H(int x) { return x; }\n"
        "  public event EventHandler Changed;\n"
        "}\n"
        "public record Person(string Name);\n"
        "public enum E { One, Two }\n");
  EXPECT_EQ(Symbols(),
            "Namespace App.Core 2-21\n"
            "Class App.Core.A 4-19\n"
            "Field App.Core.A._repo 5-5\n"
            "Method App.Core.A.A 6-6\n"
            "Method App.Core.A.Run 7-12\n"
            "Method App.Core.A.F 13-13\n"
            "Field App.Core.A.Prop 14-14\n"
            "Field App.Core.A.Computed 15-15\n"
            "Method App.Core.A.G 16-16\n"
            "Method App.Core.A.H 17-17\n"
            "Field App.Core.A.Changed 18-18\n"
            "Class App.Core.Person 20-20\n"
            "Enum App.Core.E 21-21\n"
            "EnumMember App.Core.E.One 21-21\n"
            "EnumMember App.Core.E.Two 21-21");
  EXPECT_EQ(Query("MATCH (a)-[r:CALLS]->(b) RETURN a.name + ' > ' + b.name, r.count ORDER BY a.line, b.line"),
            (std::vector<std::string>{"Run > F | 3", "Run > G | 1", "Run > H | 1", "Computed > H | 1", "G > H | 1"}));
}

TEST_F(DeclarationScanTest, ReadsProgramsOfCSharpWithoutAClass) {
  Write("p.cs", "await Run(1);\nstatic async Task Run(int x) { Helper(); }\nstatic void Helper() {}\n");
  EXPECT_EQ(Calls(), "Run > Helper\np.cs > Run");
}

TEST_F(DeclarationScanTest, FindsCallsOfRuby) {
  Write("lib/a.rb",
        "def top(a)\n"
        "  x = helper\n"
        "  helper a\n"
        "  \"#{other?}\"\n"
        "end\n"
        "\n"
        "def helper(a = nil)\n"
        "  %w[it's top]\n"
        "end\n"
        "\n"
        "def other?\n"
        "  text = <<~TEXT\n"
        "    don't call top\n"
        "  TEXT\n"
        "  text =~ /don't/\n"
        "end\n");
  Write("lib/b.rb",
        "class B\n"
        "  before_action :check!\n"
        "  def run\n"
        "    check! if ready?\n"
        "    items.each { |helper| use helper }\n"
        "    top 1\n"
        "  end\n"
        "  def check!; end\n"
        "  def ready?; end\n"
        "end\n");
  EXPECT_EQ(Calls(), "B.run > B.check!\nB.run > B.ready?\nB.run > top\ntop > helper\ntop > other?");
  EXPECT_EQ(Query("MATCH (a)-[:REFERENCES]->(:Method {name: 'check!'}) RETURN a.name"),
            (std::vector<std::string>{"B"}));
  EXPECT_EQ(Query("MATCH (f:Function) RETURN f.name ORDER BY f.line"),
            (std::vector<std::string>{"top", "helper", "other?"}));
}

// Deep or open nesting, in time and memory that grow with the text.
TEST_F(DeclarationScanTest, TakesTextsThatMakeNoSense) {
  for (const std::string_view piece : {"a=>",
                                       "(",
                                       "{",
                                       "[",
                                       "class A{",
                                       "const a=",
                                       "`${",
                                       "<A>",
                                       "<a b={",
                                       "():",
                                       "function f(",
                                       "a?(b):",
                                       "f<",
                                       "fun f()=",
                                       "val x get()=",
                                       "namespace A{",
                                       "\"${",
                                       "object:",
                                       "export default ",
                                       "=({a(){",
                                       "def a;",
                                       "x=>a ",
                                       "a,",
                                       "class A<",
                                       "A=Struct.new(:a){",
                                       "if x do ",
                                       "local a={b=function()",
                                       "$a=\n",
                                       "class A{function f(",
                                       "use a\n",
                                       "function a() "}) {
    std::string text;
    while (text.size() < 100'000) text += piece;
    for (const char* const name : {"TypeScript", "JavaScript", "Kotlin", "C#", "Ruby", "PHP", "Lua"}) {
      const Language language = FindLanguage(name);
      const std::vector<Token> tokens = Tokenise(text, *LexRulesOf(language, "a.tsx"));
      for (const Tag& tag : ScanDeclarations(tokens, language)) ASSERT_LE(tag.end_token, tokens.size());
      ScanMentions(tokens, language, {});
      ScanImports(tokens, language);
    }
  }
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
