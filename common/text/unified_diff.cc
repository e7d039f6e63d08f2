#include "common/text/unified_diff.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace toolgate::text {
namespace {

constexpr std::string_view kNoNewline = "\\ No newline at end of file\n";

// Lines with their line ends.
std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

// Marks the lines that are removed from the one text and added in the other.
class LineMatcher {
 public:
  LineMatcher(const std::vector<std::string_view>& before, const std::vector<std::string_view>& after, size_t max_work)
      : work_left_(static_cast<int64_t>(max_work)), removed(before.size(), false), added(after.size(), false) {
    std::unordered_map<std::string_view, int> numbers;
    const auto number = [&](std::string_view line) {
      return numbers.emplace(line, static_cast<int>(numbers.size())).first->second;
    };
    for (const std::string_view line : before) a_.push_back(number(line));
    for (const std::string_view line : after) b_.push_back(number(line));
    Compare({0, static_cast<int>(a_.size()), 0, static_cast<int>(b_.size())});
  }

 private:
  // A part of each text.
  struct Box {
    int a_from, a_to, b_from, b_to;
    int width() const { return a_to - a_from; }
    int height() const { return b_to - b_from; }
  };
  // Equal lines in the middle of a shortest edit of a box, possibly none: from (x, y) to (u, v).
  struct Snake {
    int x, y, u, v;
    bool found;
  };

  void Compare(Box all) {
    std::vector<Box> boxes = {all};
    while (!boxes.empty()) {
      Box box = boxes.back();
      boxes.pop_back();
      while (box.width() > 0 && box.height() > 0 && a_[box.a_from] == b_[box.b_from]) ++box.a_from, ++box.b_from;
      while (box.width() > 0 && box.height() > 0 && a_[box.a_to - 1] == b_[box.b_to - 1]) --box.a_to, --box.b_to;
      if (box.width() == 0 || box.height() == 0) {
        Replace(box);
        continue;
      }
      const Snake snake = MiddleSnake(box);
      if (!snake.found) {
        Replace(box);
        continue;
      }
      boxes.push_back({snake.u, box.a_to, snake.v, box.b_to});
      boxes.push_back({box.a_from, snake.x, box.b_from, snake.y});
    }
  }

  void Replace(const Box& box) {
    std::fill(removed.begin() + box.a_from, removed.begin() + box.a_to, true);
    std::fill(added.begin() + box.b_from, added.begin() + box.b_to, true);
  }

  // Furthest points of the edits of one length, from one corner of a box: the x of each diagonal x - y, or kNone.
  class Front {
   public:
    Front(int n, int m) : n_(n), m_(m), x_(static_cast<size_t>(n + m + 3), kNone) {}
    int at(int k) const { return x_[static_cast<size_t>(int64_t{k} + m_ + 1)]; }
    void Set(int k, int x) { x_[static_cast<size_t>(int64_t{k} + m_ + 1)] = x; }
    // The furthest start on diagonal `k`, by one more insertion or removal; kNone when both would leave the box.
    int Step(int k, int d) const {
      if (d == 0) return 0;
      const int right = at(k - 1) == kNone || at(k - 1) >= n_ ? kNone : at(k - 1) + 1;
      const int down = at(k + 1) == kNone || at(k + 1) - k > m_ ? kNone : at(k + 1);
      return std::max(right, down);
    }
    static constexpr int kNone = -1;

   private:
    const int n_;
    const int m_;
    std::vector<int> x_;
  };

  // Searches from both corners at once (E. W. Myers, "An O(ND) difference algorithm and its variations", section 4b).
  Snake MiddleSnake(const Box& box) {
    const int n = box.width();
    const int m = box.height();
    const int delta = n - m;
    Front forward(n, m);
    Front backward(n, m);
    // Diagonals that the box has.
    const auto lowest = [&](int d) { return std::max(-d, (m + d) % 2 - m); };
    const auto highest = [&](int d) { return std::min(d, n - (n + d) % 2); };
    for (int d = 0; d <= (n + m + 1) / 2 && work_left_ > 0; ++d) {
      for (int k = lowest(d); k <= highest(d); k += 2) {
        const int start = forward.Step(k, d);
        forward.Set(k, start);
        if (start == Front::kNone) continue;
        int x = start;
        while (x < n && x - k < m && a_[box.a_from + x] == b_[box.b_from + x - k]) ++x;
        work_left_ -= 1 + x - start;
        forward.Set(k, x);
        const int other = delta - k;
        if (delta % 2 == 0 || std::abs(other) > d - 1 || other < -m || other > n || backward.at(other) == Front::kNone)
          continue;
        if (x + backward.at(other) >= n) return At(box, start, start - k, x, x - k);
      }
      for (int k = lowest(d); k <= highest(d); k += 2) {
        const int start = backward.Step(k, d);
        backward.Set(k, start);
        if (start == Front::kNone) continue;
        int x = start;
        while (x < n && x - k < m && a_[box.a_to - 1 - x] == b_[box.b_to - 1 - (x - k)]) ++x;
        work_left_ -= 1 + x - start;
        backward.Set(k, x);
        const int other = delta - k;
        if (delta % 2 != 0 || std::abs(other) > d || other < -m || other > n) continue;
        if (forward.at(other) == Front::kNone || x + forward.at(other) < n) continue;
        return At(box, n - x, m - (x - k), n - start, m - (start - k));
      }
    }
    return {0, 0, 0, 0, false};
  }

  static Snake At(const Box& box, int x, int y, int u, int v) {
    return {box.a_from + x, box.b_from + y, box.a_from + u, box.b_from + v, true};
  }

  std::vector<int> a_;
  std::vector<int> b_;
  int64_t work_left_;

 public:
  std::vector<bool> removed;
  std::vector<bool> added;
};

// One run of removed and added lines.
struct Edit {
  size_t a, a_end, b, b_end;
};

std::vector<Edit> EditsOf(const LineMatcher& match) {
  std::vector<Edit> edits;
  size_t a = 0;
  size_t b = 0;
  const size_t n = match.removed.size();
  const size_t m = match.added.size();
  while (a < n || b < m) {
    Edit edit{a, a, b, b};
    while (edit.a_end < n && match.removed[edit.a_end]) ++edit.a_end;
    while (edit.b_end < m && match.added[edit.b_end]) ++edit.b_end;
    if (edit.a_end > a || edit.b_end > b) edits.push_back(edit);
    a = edit.a_end;
    b = edit.b_end;
    if (a < n && b < m) ++a, ++b;
  }
  return edits;
}

class Writer {
 public:
  Writer(const std::vector<std::string_view>& before, const std::vector<std::string_view>& after,
         const DiffOptions& options)
      : before_(before), after_(after), options_(options) {}

  void Hunk(const Edit* first, const Edit* last) {
    const size_t lead = std::min(first->a, options_.context);
    const size_t tail = std::min(before_.size() - last->a_end, options_.context);
    const size_t a = first->a - lead;
    const size_t b = first->b - lead;
    Put(absl::StrCat("@@ -", Range(a, last->a_end + tail - a), " +", Range(b, last->b_end + tail - b), " @@\n"));
    size_t at = a;
    for (const Edit* edit = first; edit <= last; ++edit) {
      for (; at < edit->a; ++at) Line(' ', before_[at]);
      for (; at < edit->a_end; ++at) Line('-', before_[at]);
      for (size_t i = edit->b; i < edit->b_end; ++i) Line('+', after_[i]);
    }
    for (; at < last->a_end + tail; ++at) Line(' ', before_[at]);
  }

  void Put(std::string_view text) {
    if (cut_ || out_.size() + text.size() > options_.max_bytes) {
      cut_ = true;
    } else {
      out_.append(text);
    }
  }
  bool cut() const { return cut_; }
  std::string Take() { return std::move(out_); }

 private:
  static std::string Range(size_t from, size_t count) {
    if (count == 1) return absl::StrCat(from + 1);
    return absl::StrCat(count == 0 ? from : from + 1, ",", count);
  }
  void Line(char mark, std::string_view line) {
    std::string text(1, mark);
    text.append(line);
    if (line.empty() || line.back() != '\n') text.append("\n").append(kNoNewline);
    Put(text);
  }

  const std::vector<std::string_view>& before_;
  const std::vector<std::string_view>& after_;
  const DiffOptions& options_;
  std::string out_;
  bool cut_ = false;
};

}  // namespace

Diff UnifiedDiff(std::string_view before, std::string_view after, const DiffOptions& options) {
  Diff diff;
  if (before == after) return diff;
  const std::vector<std::string_view> a = LinesOf(before);
  const std::vector<std::string_view> b = LinesOf(after);
  const std::vector<Edit> edits = EditsOf(LineMatcher(a, b, options.max_work));
  Writer writer(a, b, options);
  std::string names = "--- ";
  names.append(options.old_name).append("\n+++ ").append(options.new_name).append("\n");
  writer.Put(names);
  for (size_t i = 0; i < edits.size();) {
    size_t last = i;
    while (last + 1 < edits.size() && edits[last + 1].a - edits[last].a_end <= 2 * options.context) ++last;
    writer.Hunk(&edits[i], &edits[last]);
    i = last + 1;
  }
  for (const Edit& edit : edits) {
    diff.removed += edit.a_end - edit.a;
    diff.added += edit.b_end - edit.b;
  }
  diff.cut = writer.cut();
  diff.text = writer.Take();
  if (diff.cut)
    absl::StrAppend(&diff.text, "… cut: ", diff.added, " lines added and ", diff.removed, " removed in all\n");
  return diff;
}

}  // namespace toolgate::text
