#include "security/safe_errors/scrubber.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <deque>
#include <string>

namespace toolgate::security::safe_errors {
namespace {

struct Row {
  const char* pattern;
  const char* replacement;
};

// Applied in this order: rules that remove most come first.
constexpr Row kRows[] = {
    // Python, Java, JavaScript, Go, C++ traces: from their first line to the end.
    {R"re((?s)Traceback \(most recent call last\):.*)re", "[stack removed]"},
    {R"re((?s)\bgoroutine \d+ \[.*)re", "[stack removed]"},
    {R"re((?s)(^|[^\w&])#\d+:? +(0x[0-9a-fA-F]+|[\w:~<>]+ ?\([^\n]*\) (at|from) |[^\s(]+\(\d+\): ).*)re",
     "\\1[stack removed]"},
    {R"re((?s)(^|\W)at [\w$.<>:\[\] ]+ ?\([^()\n]*:\d+(:\d+)?\).*)re", "\\1[stack removed]"},
    {R"re((?s)(^|\W)at [\w$.<>:`\[\],]+\([^()\n]*\) in [^\n]*:line \d+.*)re", "\\1[stack removed]"},
    {R"re((?s)(^|\W)at (async )?(file|node|https?):[^\s]+:\d+:\d+.*)re", "\\1[stack removed]"},
    {R"re((?s)[\w/.-]+\.rb:\d+:in [`'].*)re", "[stack removed]"},
    {R"re(\bCaused by: ([a-z]\w*\.)+[A-Z][\w$]*[^\n]*)re", "[stack removed]"},
    {R"re(File "[^"]*", line \d+(, in \S+)?)re", "[source]"},
    // SQL: a statement up to the end of its line.
    {R"re(\b(SELECT|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+(OR\s+\w+\s+)?["\w.]+\s+SET|DELETE\s+FROM|REPLACE\s+INTO|CREATE\s+(UNIQUE\s+|TEMP\s+|TEMPORARY\s+|VIRTUAL\s+)*(TABLE|INDEX|VIEW|TRIGGER)|DROP\s+(TABLE|INDEX|VIEW|TRIGGER)|ALTER\s+TABLE|MERGE\s+INTO|TRUNCATE\s+TABLE|WITH\s+(RECURSIVE\s+)?\w+\s+AS\s*\(|PRAGMA)\s[^\n]*)re",
     "[sql]"},
    {R"re((?i)\b(select\s[^\n]{1,400}\sfrom\s[^\n]{1,400}\s(where|join|group by|order by|limit)\s|insert\s+into\s+["\w.]+\s*\(|delete\s+from\s+["\w.]+\s+where\s|update\s+["\w.]+\s+set\s+["\w.]+\s*=|merge\s+into\s+["\w.]+\s+(as\s+\w+\s+)?using\s|insert\s+into\s+["\w.]+\s+values\s*\(|create\s+(temp\s+|temporary\s+)?table\s+(if\s+not\s+exists\s+["\w.]+|["\w.]+\s*\(\s*["\w]+\s+(integer|int|bigint|serial|real|numeric|text|varchar|char|blob|json|jsonb|uuid|boolean|date|timestamp)\b)|alter\s+table\s+["\w.]+\s+(add|drop|rename)\s)[^\n]*)re",
     "[sql]"},
    // Without a condition it is recognised by its columns: all of them, some separated only by commas, or such as end
    // with the table.
    {R"re((?i)\bselect\s+(distinct\s+)?(\*|["`\w.]+(,["`\w.]+)+)\s+from\s+["`\w.]+[^\n]*)re", "[sql]"},
    {R"re((?i)\bselect\s+(distinct\s+)?["`\w.]+(,\s*["`\w.]+)+\s+from\s+["`\w.]+\s*($|[;)\]}"'\n]))re", "[sql]\\3"},
    // Files.
    {R"re(\bfile://[^\s"'<>]+)re", "[path]"},
    {R"re((^|[^\w/.~\\-])\\?/(home|root|usr|var|etc|tmp|opt|proc|sys|dev|mnt|srv|lib|lib64|bin|sbin|boot|build|workspace|Users|private|Library|Applications|nix|snap|work|run/|app/)[^\s"'`,;:)\]<>]*)re",
     "\\1[path]"},
    {R"re((^|[^\w/.~-])~([a-z_][\w-]*)?/[\w.@+-][^\s"'`,;:)\]<>]*)re", "\\1[path]"},
    {R"re((^|[^\w/.~-])[/~][\w.@+-]*(/[\w.@+-]+)*\.(cc|cpp|cxx|c|h|hpp|py|jsx?|mjs|cjs|tsx?|go|rs|java|kt|cs|rb|php|pl|swift|scala|lua|ex|so|so\.\d+|db|sqlite|sqlite3|db-wal|db-shm|sock|pem|key|crt|ya?ml|conf|cfg|log|env|sql|toml)\b(:\d+)*)re",
     "\\1[path]"},
    {R"re(\b[A-Za-z]:[\\/]{1,2}[\w.$~ -]*\\[^\s"'<>|]+|\b[A-Za-z]:\\[^\s"'<>|]+)re", "[path]"},
    {R"re(\\{2,4}[\w.-]+\\{1,2}[\w$][^\s"'<>|]*)re", "[path]"},
    {R"re(\b[\w/.-]+\.(cc|cpp|cxx|c|h|hpp|py|jsx?|mjs|cjs|tsx?|go|rs|java|kt|cs|rb|php|pl|swift|scala|lua|ex):\d+(:\d+)?)re",
     "[source]"},
    {R"re(\b[\w/.-]+\.(cc|cpp|cxx|c|h|hpp|py|jsx?|mjs|cjs|tsx?|go|rs|java|kt|cs|rb|php|pl|swift|scala|lua|ex)["']?,? (on |at )?line \d+)re",
     "[source]"},
    {R"re(\b[\w/.-]+\.(cc|cpp|cxx|c|h|hpp|py|jsx?|mjs|cjs|tsx?|go|rs|java|kt|cs|rb|php|pl|swift|scala|lua|ex)\(\d+(,\d+)?\)(: [\w\\]+(->|::)\w+\([^()\n]*\))?)re",
     "[source]"},
    {R"re(\b[A-Za-z_]\w*(::~?[A-Za-z_]\w*){2,}(\([^()\n]*\))?)re", "[source]"},
    // Memory and hosts.
    {R"re(\b0x[0-9a-fA-F]{6,16}\b)re", "[address]"},
    {R"re((?i)\b([a-z0-9-]+\.)+(internal|local|localdomain|lan|corp|intranet|svc|cluster)(\.[a-z0-9.-]+)?(:\d+)?\b)re",
     "[host]"},
    {R"re((?i)\b(localhost|([a-z0-9-]+\.)+[a-z]{2,12}|[a-z][a-z0-9-]*-\d+|postgres|postgresql|redis|database|db):\d{2,5}\b)re",
     "[host]"},
};

}  // namespace

struct Scrubber::Rules {
  struct Rule {
    explicit Rule(const Row& row) : pattern(row.pattern), replacement(row.replacement) {}
    re2::RE2 pattern;
    std::string replacement;
  };

  // Whether some rule may match: nearly always none does, and one pass over the text shows it. A pass that ran out of
  // memory shows nothing.
  bool MayMatch(std::string_view text) const {
    re2::RE2::Set::ErrorInfo error{};
    return any.Match(text, nullptr, &error) || error.kind != re2::RE2::Set::kNoError;
  }

  std::deque<Rule> rules;  // RE2 objects cannot move.
  re2::RE2::Set any{re2::RE2::Options(), re2::RE2::UNANCHORED};
};

Scrubber::Scrubber() {
  auto rules = std::make_unique<Rules>();
  for (const Row& row : kRows) {
    rules->rules.emplace_back(row);
    rules->any.Add(row.pattern, nullptr);
  }
  rules->any.Compile();
  rules_ = std::move(rules);
}

Scrubber::~Scrubber() = default;

std::string Scrubber::Scrub(std::string_view text) const {
  std::string out(text);
  if (!rules_->MayMatch(text)) return out;
  for (const Rules::Rule& rule : rules_->rules) re2::RE2::GlobalReplace(&out, rule.pattern, rule.replacement);
  return out;
}

}  // namespace toolgate::security::safe_errors
