// Files of a workspace's directory that no tool may read or change: the service's own, version control's internals,
// and secrets by the shape of their names.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_DENY_LIST_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_DENY_LIST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"

namespace toolgate::executors::directory {

// Globs over canonical paths: "*" and "?" stay within a name, "**" stands for any number of folders. A pattern matches
// at any depth unless it begins with "/", and covers everything below a folder that it matches. Letters match in
// either case, also where the file system tells them apart: on one that does not, ".GIT" is ".git". Immutable, hence
// thread-safe.
//
// The built-in pattern ".env.*" leaves out what settings are copied from: ".env.example", ".env.test.sample" and the
// like. A pattern of the operator's has no such exception.
//
// All patterns together are one automaton over the names of a path. A walk keeps the automaton's state in each folder
// and steps from it to what is in the folder, so that a name costs the same at any depth.
class DenyList {
 public:
  // The components that the names of a path have matched so far. Belongs to the list that made it.
  class State {
   public:
    // Whether a pattern covers the path, or a folder above it.
    bool is_denied() const { return denied_by_ != kNone; }

   private:
    friend class DenyList;
    static constexpr uint32_t kNone = UINT32_MAX;

    uint32_t denied_by_ = kNone;  // Of the patterns.
    // Components that the next name may match, besides `starts_`; sorted.
    absl::InlinedVector<uint32_t, 4> open_;
  };

  // The built-in patterns and `extra`. INVALID_ARGUMENT names a pattern that is empty, too long or no path.
  static absl::StatusOr<DenyList> Create(const std::vector<std::string>& extra);

  // The state of the directory itself.
  const State& top() const { return top_; }
  // The state of a name in a folder.
  State Step(const State& folder, std::string_view name) const;
  // The state of a canonical path: that of its last component, or of the topmost folder that is denied.
  State StateOf(std::string_view path) const;

  // The pattern that denies the path of the state, the first of several; nothing: it is allowed.
  std::optional<std::string_view> PatternOf(const State& state) const;
  // The same for a path.
  std::optional<std::string_view> Find(std::string_view path) const { return PatternOf(StateOf(path)); }

  // As Find, for what may change version control: its folders ".git" are allowed, with all below them.
  std::optional<std::string_view> FindBesideGit(std::string_view path) const;

  static const std::vector<std::string_view>& BuiltIn();

 private:
  // One component of a pattern. Those of a pattern follow each other.
  struct Component {
    std::string glob;  // Folded.
    uint32_t pattern = 0;
    bool is_last = false;
    bool spares_templates = false;  // ".env.example" is covered by ".env.*", but holds no secret.
  };

  void Add(std::string_view written, bool anchored, std::string_view path);
  // The next name may match the component.
  void Open(uint32_t component, State& state) const;
  // A name has matched the component, or it matches none.
  void Pass(uint32_t component, State& state) const;
  void Match(uint32_t component, std::string_view folded, State& next) const;

  std::vector<std::string> patterns_;
  std::vector<Component> components_;
  std::vector<uint32_t> starts_;  // Components that any name may match, of patterns that begin at any depth.
  State top_;
};

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_DENY_LIST_H_
