// Problems that a check finds in generated source.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_PROBLEM_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_PROBLEM_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate::executors::artifacts::checks {

enum class Severity {
  kWarning,    // It works nevertheless.
  kUnchecked,  // Whether it will be shown could not be told.
  kError,      // It will not be shown, or not as it is meant.
  kUnsafe,     // It reaches beyond the frame that shows it; such source is never handed out.
};

struct Problem {
  int line = 0;         // From 1.
  int column = 0;       // From 1, in characters.
  std::string rule;     // Stable name: "unclosed-element".
  std::string message;  // For the model that mends it, and for people. Quotes at most kMaxQuoted bytes of the source.
  Severity severity = Severity::kError;
};

inline constexpr size_t kMaxQuoted = 60;

// `piece` of a source for a message: on one line, without control characters, cut, in quotes.
std::string Quoted(std::string_view piece);

// Collects the problems of one source, up to kMaxProblems of each severity. Used by one thread.
class Problems {
 public:
  static constexpr size_t kMaxProblems = 30;

  // Borrows `source`. Offsets are bytes in it.
  explicit Problems(std::string_view source) : source_(source) {}

  void Add(Severity severity, size_t offset, std::string_view rule, std::string message);
  void Warn(size_t offset, std::string_view rule, std::string message) {
    Add(Severity::kWarning, offset, rule, std::move(message));
  }
  void Unchecked(size_t offset, std::string_view rule, std::string message) {
    Add(Severity::kUnchecked, offset, rule, std::move(message));
  }
  void Error(size_t offset, std::string_view rule, std::string message) {
    Add(Severity::kError, offset, rule, std::move(message));
  }
  void Unsafe(size_t offset, std::string_view rule, std::string message) {
    Add(Severity::kUnsafe, offset, rule, std::move(message));
  }

  // In the order of the source. The collection is empty afterwards.
  std::vector<Problem> Take();

 private:
  struct Found {
    size_t offset;
    Problem problem;
  };
  std::string_view source_;
  size_t counts_[4] = {};
  std::vector<Found> found_;
};

// The worst severity is kError or kUnsafe, or kUnsafe.
bool HasErrors(const std::vector<Problem>& problems);
bool HasUnsafe(const std::vector<Problem>& problems);
// Whether the check left out a part of the source.
bool HasUnchecked(const std::vector<Problem>& problems);
// Beside an error, what else may be wrong is of no use.
void DropUncheckedBesideErrors(std::vector<Problem>& problems);

}  // namespace toolgate::executors::artifacts::checks

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_PROBLEM_H_
