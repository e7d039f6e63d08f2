#include "executors/shell/git_config.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"

namespace toolgate::executors::shell {
namespace {

constexpr std::string_view kSecretKeys[] = {"extraheader", "password", "passwd", "token", "secret", "pass", "cookie"};

// Keys without the name of a remote, branch or submodule.
constexpr std::string_view kPlainKeys[] = {"advice.*",
                                           "branch.autosetupmerge",
                                           "branch.autosetuprebase",
                                           "branch.description",
                                           "branch.merge",
                                           "branch.pushremote",
                                           "branch.rebase",
                                           "branch.remote",
                                           "branch.sort",
                                           "color.*",
                                           "column.*",
                                           "core.abbrev",
                                           "core.autocrlf",
                                           "core.bare",
                                           "core.bigfilethreshold",
                                           "core.checkstat",
                                           "core.commitgraph",
                                           "core.compression",
                                           "core.eol",
                                           "core.filemode",
                                           "core.hidedotfiles",
                                           "core.ignorecase",
                                           "core.logallrefupdates",
                                           "core.multipackindex",
                                           "core.precomposeunicode",
                                           "core.protecthfs",
                                           "core.protectntfs",
                                           "core.quotepath",
                                           "core.repositoryformatversion",
                                           "core.safecrlf",
                                           "core.sharedrepository",
                                           "core.sparsecheckout",
                                           "core.sparsecheckoutcone",
                                           "core.symlinks",
                                           "core.trustctime",
                                           "core.untrackedcache",
                                           "core.whitespace",
                                           "diff.algorithm",
                                           "diff.mnemonicprefix",
                                           "diff.renamelimit",
                                           "diff.renames",
                                           "extensions.objectformat",
                                           "extensions.partialclone",
                                           "extensions.worktreeconfig",
                                           "fetch.*",
                                           "gc.auto",
                                           "gc.autodetach",
                                           "index.*",
                                           "init.defaultbranch",
                                           "lfs.repositoryformatversion",
                                           "log.*",
                                           "merge.conflictstyle",
                                           "merge.ff",
                                           "merge.renamelimit",
                                           "pack.*",
                                           "pull.ff",
                                           "pull.rebase",
                                           "push.autosetupremote",
                                           "push.default",
                                           "push.followtags",
                                           "rebase.autosquash",
                                           "rebase.autostash",
                                           "remote.fetch",
                                           "remote.mirror",
                                           "remote.partialclonefilter",
                                           "remote.promisor",
                                           "remote.prune",
                                           "remote.pushurl",
                                           "remote.skipdefaultupdate",
                                           "remote.tagopt",
                                           "remote.url",
                                           "rerere.*",
                                           "status.*",
                                           "submodule.active",
                                           "submodule.branch",
                                           "submodule.fetchrecursesubmodules",
                                           "submodule.ignore",
                                           "submodule.recurse",
                                           "submodule.url",
                                           "tag.sort",
                                           "user.email",
                                           "user.name"};

bool IsPlain(std::string_view name) {
  return std::any_of(std::begin(kPlainKeys), std::end(kPlainKeys), [&](std::string_view plain) {
    if (plain.back() != '*') return plain == name;
    plain.remove_suffix(1);
    return name.substr(0, plain.size()) == plain;
  });
}

// Whether a value is harmless, of a key that is not always so.
bool IsPlainValue(std::string_view name, std::string_view value) {
  if (name == "submodule.update") {
    return value == "checkout" || value == "rebase" || value == "merge" || value == "none";
  }
  return false;
}

// Reads keys and values, as git does.
class ConfigReader {
 public:
  explicit ConfigReader(std::string_view text) : rest_(text) {}

  // False at the end, and at an error.
  bool Next() {
    for (;;) {
      SkipBlanks(/*lines=*/true);
      if (rest_.empty()) return false;
      const char next = rest_.front();
      if (next == '#' || next == ';') {
        SkipLine();
      } else if (next == '[') {
        if (!ReadSection()) return Fail();
      } else {
        return ReadKey() || Fail();
      }
    }
  }
  bool failed() const { return failed_; }
  // Lower case, without the name of a subsection.
  std::string name() const { return section_ + "." + key_; }
  bool has_subsection() const { return has_subsection_; }
  const std::string& value() const { return value_; }

 private:
  bool Fail() {
    failed_ = true;
    return false;
  }
  char Take() {
    const char next = rest_.front();
    rest_.remove_prefix(1);
    return next;
  }
  void SkipBlanks(bool lines) {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\r' ||
                              (lines && rest_.front() == '\n'))) {
      rest_.remove_prefix(1);
    }
  }
  void SkipLine() { rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size())); }

  std::string TakeName(std::string_view also) {
    std::string name;
    while (!rest_.empty() && (absl::ascii_isalnum(static_cast<unsigned char>(rest_.front())) ||
                              also.find(rest_.front()) != std::string_view::npos)) {
      name += absl::ascii_tolower(static_cast<unsigned char>(Take()));
    }
    return name;
  }

  bool ReadSection() {
    Take();
    section_ = TakeName("-.");
    has_subsection_ = section_.find('.') != std::string::npos;
    section_.resize(std::min(section_.find('.'), section_.size()));
    SkipBlanks(false);
    if (!rest_.empty() && rest_.front() == '"') {
      has_subsection_ = true;
      Take();
      while (!rest_.empty() && rest_.front() != '"' && rest_.front() != '\n') {
        if (Take() == '\\' && !rest_.empty()) Take();
      }
      if (rest_.empty() || Take() != '"') return false;
    }
    return !section_.empty() && !rest_.empty() && Take() == ']';
  }

  bool ReadKey() {
    key_ = TakeName("-");
    value_.clear();
    if (key_.empty() || section_.empty()) return false;
    SkipBlanks(false);
    if (rest_.empty() || rest_.front() == '\n') return true;
    return Take() == '=' && ReadValue();
  }

  bool ReadValue() {
    bool quoted = false;
    // Blanks behind it are none of the value's.
    size_t kept = 0;
    SkipBlanks(false);
    while (!rest_.empty()) {
      const char next = Take();
      if (next == '\n') break;
      if (next == '"') {
        quoted = !quoted;
        kept = value_.size();
      } else if (next == '\\') {
        if (!ReadEscaped()) return false;
        kept = value_.size();
      } else if (!quoted && (next == '#' || next == ';')) {
        SkipLine();
        break;
      } else {
        value_ += next;
        if (quoted || !absl::ascii_isspace(static_cast<unsigned char>(next))) kept = value_.size();
      }
    }
    value_.resize(kept);
    return !quoted;
  }

  bool ReadEscaped() {
    if (rest_.empty()) return false;
    switch (const char escaped = Take()) {
      case '\n':
        return true;
      case 'n':
        value_ += '\n';
        return true;
      case 't':
        value_ += '\t';
        return true;
      case 'b':
        value_ += '\b';
        return true;
      default:
        value_ += escaped;
        return escaped == '"' || escaped == '\\';
    }
  }

  std::string_view rest_;
  std::string section_;
  std::string key_;
  std::string value_;
  bool has_subsection_ = false;
  bool failed_ = false;
};

bool IsOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// Without the users of URLs.
std::string WithoutUsers(std::string_view line) {
  constexpr std::string_view kScheme = "://";
  std::string kept;
  for (size_t at = line.find(kScheme); at != std::string_view::npos; at = line.find(kScheme)) {
    kept += line.substr(0, at + kScheme.size());
    const std::string_view before = line.substr(0, at);
    line.remove_prefix(at + kScheme.size());
    const std::string_view authority = line.substr(0, line.find_first_of("/?#\"' \t\r\n"));
    const size_t end = authority.rfind('@');
    if (end == std::string_view::npos) continue;
    const bool is_ssh = absl::EndsWithIgnoreCase(ToAbsl(before), "ssh");
    if (is_ssh) kept += std::string(authority.substr(0, std::min(authority.find(':'), end))) + "@";
    line.remove_prefix(end + 1);
  }
  return kept += line;
}

// Whether the line sets a key that holds a secret; the key may follow the section in its line.
bool SetsSecret(std::string_view line) {
  std::string_view key = line.substr(0, line.find('='));
  if (const size_t section = key.rfind(']'); section != std::string_view::npos) key.remove_prefix(section + 1);
  const std::string lower = absl::AsciiStrToLower(ToAbsl(key));
  return std::any_of(std::begin(kSecretKeys), std::end(kSecretKeys),
                     [&](std::string_view secret) { return lower.find(secret) != std::string::npos; });
}

// A line with those that continue it.
std::string_view TakeLine(std::string_view& text) {
  size_t end = text.find('\n');
  while (end != std::string_view::npos && end > 0 && text[end - 1] == '\\') end = text.find('\n', end + 1);
  const std::string_view line = text.substr(0, end == std::string_view::npos ? text.size() : end + 1);
  text.remove_prefix(line.size());
  return line;
}

}  // namespace

std::string WithoutCredentials(std::string_view config) {
  std::string kept;
  while (!config.empty()) {
    const std::string_view line = TakeLine(config);
    if (!SetsSecret(line)) {
      kept += WithoutUsers(line);
    } else if (const size_t section = line.substr(0, line.find('=')).rfind(']'); section != std::string_view::npos) {
      kept += WithoutUsers(line.substr(0, section + 1)) + "\n";
    }
  }
  return kept;
}

std::optional<std::string> RiskyKeyOf(std::string_view config,
                                      const std::function<bool(std::string_view value)>& is_worktree) {
  ConfigReader reader(config);
  while (reader.Next()) {
    const std::string name = reader.name();
    const bool is_allowed_worktree = name == "core.worktree" && is_worktree != nullptr && is_worktree(reader.value());
    if (!IsPlain(name) && !is_allowed_worktree && !IsPlainValue(name, reader.value())) return name;
  }
  if (reader.failed()) return "its text";
  return std::nullopt;
}

std::optional<std::string> ValueOf(std::string_view config, std::string_view key) {
  std::optional<std::string> value;
  ConfigReader reader(config);
  while (reader.Next()) {
    if (!reader.has_subsection() && reader.name() == key) value = reader.value();
  }
  return value;
}

std::string MoveRoot(std::string_view text, std::string_view from, std::string_view to) {
  std::string moved;
  size_t done = 0;
  for (size_t at = text.find(from); at != std::string_view::npos; at = text.find(from, at + 1)) {
    const size_t end = at + from.size();
    const bool after_scheme = at >= 3 && text.substr(at - 3, 3) == "://";
    const bool starts = at == 0 || IsOneOf(text[at - 1], " \t\"=\n") || after_scheme;
    const bool ends = end == text.size() || IsOneOf(text[end], "/ \t\r\n\"");
    if (!starts || !ends || at < done) continue;
    moved += std::string(text.substr(done, at - done)) + std::string(to);
    done = end;
  }
  return moved + std::string(text.substr(done));
}

}  // namespace toolgate::executors::shell
