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

// Keys that are not plain, and whose values are no place for passwords, but for users in URLs.
constexpr std::string_view kShownKeys[] = {"am.*",
                                           "apply.*",
                                           "blame.*",
                                           "branch.mergeoptions",
                                           "checkout.*",
                                           "clean.*",
                                           "commit.*",
                                           "core.attributesfile",
                                           "core.commentchar",
                                           "core.excludesfile",
                                           "core.hookspath",
                                           "core.preloadindex",
                                           "core.splitindex",
                                           "core.worktree",
                                           "diff.binary",
                                           "diff.colormoved",
                                           "diff.context",
                                           "diff.ignoresubmodules",
                                           "diff.noprefix",
                                           "diff.submodule",
                                           "diff.tool",
                                           "diff.xfuncname",
                                           "extensions.*",
                                           "feature.*",
                                           "filter.required",
                                           "format.pretty",
                                           "gc.*",
                                           "grep.*",
                                           "i18n.*",
                                           "include.path",
                                           "includeif.path",
                                           "init.*",
                                           "lfs.url",
                                           "maintenance.*",
                                           "merge.autostash",
                                           "merge.log",
                                           "merge.name",
                                           "merge.renames",
                                           "merge.tool",
                                           "notes.*",
                                           "pull.*",
                                           "push.*",
                                           "rebase.*",
                                           "receive.*",
                                           "show.*",
                                           "stash.*",
                                           "tag.*",
                                           "transfer.*",
                                           "url.insteadof",
                                           "url.pushinsteadof",
                                           "user.signingkey",
                                           "user.useconfigonly",
                                           "versionsort.*",
                                           "worktree.*"};
// Filters that are told no secrets by their command line.
constexpr std::string_view kShownFilters[] = {"git-lfs ", "git lfs ", "git-crypt "};
constexpr std::string_view kFilter = "filter.";

template <size_t n>
bool IsAmong(const std::string_view (&patterns)[n], std::string_view name) {
  return std::any_of(std::begin(patterns), std::end(patterns), [&](std::string_view pattern) {
    if (pattern.back() != '*') return pattern == name;
    pattern.remove_suffix(1);
    return name.substr(0, pattern.size()) == pattern;
  });
}

bool IsPlain(std::string_view name) { return IsAmong(kPlainKeys, name); }

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
    before_.clear();
    for (;;) {
      const std::string_view start = rest_;
      SkipBlanks(/*lines=*/true);
      before_ += start.substr(0, start.size() - rest_.size());
      if (rest_.empty()) return false;
      const std::string_view item = rest_;
      if (item.front() == '#' || item.front() == ';') {
        SkipLine();
      } else if (item.front() == '[') {
        if (!ReadSection()) return Fail();
        before_ += item.substr(0, item.size() - rest_.size());
      } else {
        if (!ReadKey()) return Fail();
        text_ = item.substr(0, item.size() - rest_.size() - comment_bytes_);
        return true;
      }
    }
  }
  bool failed() const { return failed_; }
  // Lower case, without the name of a subsection.
  std::string name() const { return section_ + "." + key_; }
  // Sections and blanks before the key, and the key with its value, as they are written. No comments.
  const std::string& before() const { return before_; }
  std::string_view text() const { return text_; }
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
    comment_bytes_ = 0;
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
        const size_t rest = rest_.size();
        SkipLine();
        comment_bytes_ = rest - rest_.size() + 1;
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
  std::string before_;
  std::string_view text_;
  size_t comment_bytes_ = 0;
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

// Whether commands may see the key that was read.
bool IsShown(const ConfigReader& reader) {
  const std::string name = reader.name();
  const std::string_view value = reader.value();
  // A URL that is written in pieces hides where its user ends.
  const bool is_plainly_written =
      value.find("://") == std::string_view::npos || reader.text().find('\\') == std::string_view::npos;
  if (IsPlain(name) || IsPlainValue(name, value) || IsAmong(kShownKeys, name)) return is_plainly_written;
  return name.substr(0, kFilter.size()) == kFilter &&
         std::any_of(std::begin(kShownFilters), std::end(kShownFilters),
                     [&](std::string_view known) { return value.substr(0, known.size()) == known; });
}

}  // namespace

std::string WithoutCredentials(std::string_view config) {
  std::string kept;
  ConfigReader reader(config);
  while (reader.Next()) {
    kept += WithoutUsers(reader.before());
    if (IsShown(reader)) {
      kept += WithoutUsers(reader.text());
      continue;
    }
    // Without its program a filter lets git fail, rather than store what it would have changed.
    if (reader.name().substr(0, kFilter.size()) == kFilter) kept += "required = true";
    kept.resize(kept.find_last_not_of(" \t") + 1);
    if (!kept.empty() && kept.back() != '\n') kept += '\n';
  }
  return kept + WithoutUsers(reader.before());
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
