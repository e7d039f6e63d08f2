#include "executors/artifacts/checks/react/react_check.h"

#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/artifact_rules.h"

namespace toolgate::executors::artifacts::checks::react {
namespace {

using testing::RuleCase;
using testing::RulesIn;

const ReactPolicy kPolicy = {{"react", "lucide-react"}};

// A component with `body` before its return, and `element` returned.
std::string App(const std::string& element, const std::string& body = "") {
  return "import { useState } from \"react\";\n\nexport default function App() {\n  " + body + "\n  return (\n    " +
         element + "\n  );\n}\n";
}

class ReactTest : public ::testing::TestWithParam<RuleCase> {};

// Most of the grammar, and all that a module does, is never checked.
TEST_P(ReactTest, BreaksTheseRules) {
  std::set<std::string> rules = GetParam().rules;
  rules.insert("unchecked not-checked");
  EXPECT_EQ(RulesIn(CheckReact(GetParam().source, kPolicy)), rules);
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, ReactTest,
    ::testing::Values(
        RuleCase{"WrongGrammar", App("<p/>", "const = 5; else if;")},
        RuleCase{"Plain", App("<div className=\"a\">Hi, it's {1 + 2}<br /></div>")},
        RuleCase{"Fragment", App("<><A.B x-y=\"1\" {...p} /><a:b/></>")},
        RuleCase{"Nested", App("<ul>{items.map((i) => <li key={i}>{i > 1 ? <b>{i}</b> : null}</li>)}</ul>")},
        RuleCase{"ElementAsValue", App("<A icon={<B/>} other=<C/> />")},
        RuleCase{"Comments", App("<div /* a > */ >{/* </div> */}\n{// x }\n}</div>", "/* ` */ // '")},
        RuleCase{"Template", App("<p>{`a ${b ? `c ${\"}\"}` : '`'} d`}</p>")},
        RuleCase{"Regex", App("<p/>", "const r = /[/\"'`{]+\\/(/g; if (x) /\"/.test(y); const d = a / b / c;")},
        RuleCase{"DivisionAfterCall", App("<p/>", "const a = f(x) / 2, b = y[0] / 2, c = 4 / 2; const s = \"/\";")},
        RuleCase{"DivisionAfterIncrement", App("<p/>", "let a = i++ / 2 / 3;")},
        RuleCase{"Comparison", App("<p/>", "for (let i = 0; i < n; i++) { if (a < b && c > d) f(); }")},
        RuleCase{"TypeScript", App("<p/>",
                                   "const [x, set] = useState<Array<{ a: string }>>([]); const f = <T,>(t: T) => t; "
                                   "const g = <T extends object>(t: T) => t!; const y = x as unknown as Foo<Bar>;")},
        RuleCase{"TypedTag", App("<Select<string> value=\"a\" />")},
        RuleCase{"ObjectThenDivision", App("<p/>", "const a = {b: 1}.b / 2; const q = /'/;")},
        RuleCase{"Arrow", "const App = () => <p>x</p>;\nexport default App;\n"},
        RuleCase{"Class",
                 "import React from 'react';\nexport default class App extends React.Component<Props> { render() { "
                 "return <p/>; } }\n"},
        RuleCase{"ExportAs", "const App = () => null;\nexport { App as default };\n"},
        RuleCase{"Memo", "import { memo } from 'react';\nexport default memo(function App() { return <p/>; });\n"},
        RuleCase{"TextWithSigns", App("<p>a & b; don't; 5 / 2; \"</p>")},
        RuleCase{"Mismatched", App("<div><p>x</div></p>"), {"error mismatched-tag"}},
        RuleCase{"UnclosedElement", "export default function App() { return <div><p>x</p>", {"error unclosed-element"}},
        RuleCase{
            "UnclosedTag", "export default function App() { return <div className=\"x\"", {"error unclosed-element"}},
        RuleCase{"UnclosedBrace", "export default function App() { return null;", {"error unclosed-bracket"}},
        RuleCase{"WrongBracket", App("<p/>", "const a = (1];"), {"error unexpected-bracket"}},
        RuleCase{"StrayBrace", "export default function App() { return null; } }", {"error unexpected-bracket"}},
        RuleCase{"String", App("<p/>", "const a = \"x;"), {"error unterminated-string"}},
        RuleCase{"TemplateOpen", App("<p/>", "const a = `x ${1};"), {"error unterminated-template"}},
        RuleCase{"TemplateToEnd", "export default () => `x", {"error unterminated-template"}},
        RuleCase{"Comment", "export default () => 1; /* x", {"error unterminated-comment"}},
        RuleCase{"RegexOpen", App("<p/>", "const a = /x;"), {"error unterminated-regex"}},
        RuleCase{"VoidElement", App("<p>a<br>b</p>"), {"error void-element"}},
        RuleCase{"BareSign", App("<p>a > b</p>"), {"error bare-sign"}},
        RuleCase{"HtmlComment", App("<p><!-- x --></p>"), {"error html-comment"}},
        RuleCase{"ClassAttribute", App("<p class=\"x\">y</p>"), {"warning html-attribute"}},
        RuleCase{"TooDeep", "export default " + std::string(2000, '('), {"error too-deep"}}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Rules, ReactTest,
    ::testing::Values(
        RuleCase{"Submodule", "import x from 'react/jsx-runtime';\nexport default function App() { return null; }\n"},
        RuleCase{"OtherModule",
                 "import x from 'left-pad';\nexport default function App() { return null; }\n",
                 {"error import-not-allowed"}},
        RuleCase{"LookAlikeModule",
                 "import x from 'react-evil';\nexport default function App() { return null; }\n",
                 {"error import-not-allowed"}},
        RuleCase{"SideEffect",
                 "import './app.css';\nexport default function App() { return null; }\n",
                 {"error missing-file"}},
        RuleCase{"ReExport",
                 "export * from 'left-pad';\nexport default function App() { return null; }\n",
                 {"error import-not-allowed"}},
        RuleCase{"Dynamic", App("<p/>", "import('react');"), {"error dynamic-import"}},
        RuleCase{"Require", App("<p/>", "const x = require('react');"), {"error require"}},
        RuleCase{"NoDefault", "export function App() { return <p/>; }\n", {"error no-default-export"}},
        RuleCase{"TwoDefaults",
                 "export default function App() { return null; }\nexport default function B() { return null; }\n",
                 {"error two-default-exports"}},
        RuleCase{"SmallName", "export default function app() { return null; }\n"},
        RuleCase{"SmallValue", "const app = () => null;\nexport default app;\n", {"warning component-name"}},
        RuleCase{"Eval", App("<p/>", "eval('1');"), {"error code-from-text"}},
        RuleCase{"WindowEval", App("<p/>", "window.eval('1');"), {"error code-from-text"}},
        RuleCase{"NewFunction", App("<p/>", "new Function('x');"), {"error code-from-text"}},
        RuleCase{"Storage", App("<p/>", "localStorage.setItem('a', 1);"), {"error storage"}},
        RuleCase{"WindowStorage", App("<p/>", "window.sessionStorage.a;"), {"error storage"}},
        RuleCase{"Cookie", App("<p/>", "document.cookie = 'a';"), {"error storage"}},
        RuleCase{"RawMarkup", App("<p dangerouslySetInnerHTML={{ __html: x }} />"), {"error raw-markup"}},
        RuleCase{"InnerHtml", App("<p/>", "ref.current.innerHTML = x;"), {"error raw-markup"}},
        RuleCase{"Network", App("<p/>", "fetch('/x'); new WebSocket(u);"), {"warning network"}},
        RuleCase{"OuterWindow", App("<p/>", "window.parent.postMessage(1);"), {"error outer-window"}},
        RuleCase{"ScriptElement", App("<script>x</script>"), {"error script-element"}},
        RuleCase{"ScriptUrl", App("<a href=\"java\tscript:x\">y</a>"), {"error script-url"}},
        RuleCase{"ScriptUrlInBraces", App("<a href={`javascript:x`}>y</a>"), {"error script-url"}},
        RuleCase{"PageElement", App("<body></body>"), {"error page-element"}},
        RuleCase{"LookAlikes",
                 App("<p title=\"localStorage eval(\">eval() and document.cookie, see fetch</p>",
                     "const o = { localStorage: 1, eval: 2 }; o.localStorage; math.eval('x'); props.fetch(); "
                     "// eval(\n const s = 'new Function()'; if (el.innerHTML === '') f(); const parent = 1; "
                     "node.parent;")}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ReactCheckTest, TellsThePlace) {
  const std::vector<Problem> problems = CheckReact(App("<div>\n      <span>x</div>"), kPolicy);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[1].line, 7);
  EXPECT_EQ(problems[1].column, 14);
  EXPECT_EQ(problems[1].message, "found </div> where </span> was needed");
}

TEST(ReactFixTest, WritesReactsForms) {
  EXPECT_EQ(FixReact(App("<label class=\"a\" for=\"b\">x<br>y<input type=\"text\"></label>")),
            App("<label className=\"a\" htmlFor=\"b\">x<br />y<input type=\"text\" /></label>"));
}

TEST(ReactFixTest, LeavesComponentsAndTextAlone) {
  const std::string source = App("<Box class=\"a\"><my-tag class=\"b\">class=\"c\" {\"<br>\"}</my-tag></Box>");
  EXPECT_EQ(FixReact(source), source);
}

TEST(ComponentNameTest, IsThatOfTheDefaultExport) {
  EXPECT_EQ(ComponentName("export default function TodoList() { return null; }"), "TodoList");
  EXPECT_EQ(ComponentName("const A = () => null; export { A as default }"), "A");
  EXPECT_EQ(ComponentName("export default () => null"), "");
}

}  // namespace
}  // namespace toolgate::executors::artifacts::checks::react
