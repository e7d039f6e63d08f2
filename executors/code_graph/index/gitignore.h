// The patterns of .gitignore files.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_GITIGNORE_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_GITIGNORE_H_

#include <string>
#include <string_view>
#include <vector>

namespace toolgate::executors::code_graph::index {

// One .gitignore file, with the meaning that gitignore(5) gives it: negation, anchors, "**", patterns for directories
// only, bracket expressions, escapes. Names are compared byte by byte. Matching takes time proportional to the
// pattern's length times the path's, whatever the pattern is. Immutable, so it may be shared by threads.
class Gitignore {
 public:
  enum class Verdict {
    kNone,      // No pattern matches: the files further up decide.
    kIgnored,   // Ignored, for a directory with all that is in it.
    kIncluded,  // A negated pattern matches last.
  };

  // Patterns of one file that count; the ones after them do not.
  static constexpr size_t kMaxPatterns = 10'000;

  static Gitignore Parse(std::string_view text);

  // The verdict of the last pattern that matches. `path` is relative to the folder of the .gitignore file, without a
  // slash at either end. That none of its parent folders is ignored is the caller's business.
  Verdict Match(std::string_view path, bool is_directory) const;

  bool empty() const { return patterns_.empty(); }

 private:
  struct Pattern {
    bool negated = false;
    bool directories_only = false;
    bool any_depth = false;             // Without a slash: compared with the last segment of a path alone.
    bool is_literal = false;            // Without a slash and without signs of a pattern.
    std::vector<std::string> segments;  // "**" stands for any number of segments.
  };

  static bool ParsePattern(std::string_view line, Pattern& pattern);
  // `name` is the path's last segment.
  static bool MatchPath(const Pattern& pattern, std::string_view path, std::string_view name);

  std::vector<Pattern> patterns_;
};

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_GITIGNORE_H_
