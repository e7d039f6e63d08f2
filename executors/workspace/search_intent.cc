#include "executors/workspace/search_intent.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/text/words.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/date_filter.h"
#include "executors/workspace/tasks.h"

namespace toolgate::executors::workspace {
namespace {

using storage::Field;
using storage::Filter;

constexpr size_t kMaxDateWords = 5;  // "tomorrow at 5 pm", "end of next week".
constexpr size_t kMaxWordsToTaskWord = 12;

struct Word {
  std::string original;  // Without surrounding punctuation.
  std::string lower;
  bool used = false;
};

std::vector<Word> SplitQuery(std::string_view query) {
  constexpr std::string_view kBlanks = " \t\r\n";
  constexpr std::string_view kPunctuation = "?!.,;:\"'()[]";
  std::vector<Word> words;
  while (true) {
    const size_t start = query.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) return words;
    query.remove_prefix(start);
    std::string_view word = query.substr(0, query.find_first_of(kBlanks));
    query.remove_prefix(word.size());
    const size_t first = word.find_first_not_of(kPunctuation);
    if (first == std::string_view::npos) continue;
    word = word.substr(first, word.find_last_not_of(kPunctuation) - first + 1);
    words.push_back({std::string(word), absl::AsciiStrToLower(ToAbsl(word))});
  }
}

Filter HasStatus(std::string_view status) {
  return Filter::Compare(Field::Data({"status"}), Filter::Op::kEquals, std::string(status));
}

class IntentParser {
 public:
  IntentParser(std::string_view query, const SearchPerspective& perspective)
      : words_(SplitQuery(query)), perspective_(perspective), due_({"dueDate"}, perspective.zone) {}

  SearchIntent Parse(std::string_view query) {
    FindTaskWords();
    bool either = false;  // Only an "or" and filler words separate this word from the previous intent.
    for (size_t i = 0; i < words_.size(); ++i) {
      if (const size_t count = Match(i); count > 0) {
        if (either) JoinLastTwo();
        either = false;
        for (size_t k = i; k < i + count; ++k) words_[k].used = true;
        i += count - 1;
      } else {
        either = (either || (At(i) == "or" && !filters_.empty())) && !IsSearched(words_[i]);
      }
    }
    SearchIntent intent{RemainingText(), types_.empty() ? TaskTypes() : types_, std::nullopt};
    if (!IsAboutTasks(intent.text)) return {std::string(query), {}, std::nullopt};
    if (!filters_.empty()) intent.filter = Filter::And(std::move(filters_));
    return intent;
  }

 private:
  std::string_view At(size_t i) const { return i < words_.size() ? std::string_view(words_[i].lower) : ""; }

  void JoinLastTwo() {
    Filter last = std::move(filters_.back());
    filters_.pop_back();
    filters_.back() = Filter::Or({std::move(filters_.back()), std::move(last)});
  }

  void FindTaskWords() {
    for (Word& word : words_) {
      const bool todo = text::IsOneOf(word.lower, {"todo", "todos", "to-do", "to-dos"});
      const bool card = text::IsOneOf(word.lower, {"card", "cards"});
      if (!todo && !card && !text::IsOneOf(word.lower, {"task", "tasks", "ticket", "tickets"})) continue;
      has_task_word_ = true;
      if (todo) types_.emplace_back(blocks::kTodo);
      if (card) types_.emplace_back(blocks::kCard);
    }
  }

  // Among other words, a task word and an intent need each other: "overdue invoices" may well be a title.
  bool IsAboutTasks(std::string_view remaining_text) const {
    const bool has_intent = !filters_.empty();
    return remaining_text.empty() ? has_task_word_ || has_intent : has_task_word_ && has_intent;
  }

  static bool IsTaskWord(std::string_view word) {
    return text::IsOneOf(word,
                         {"task", "tasks", "ticket", "tickets", "todo", "todos", "to-do", "to-dos", "card", "cards"});
  }

  static bool IsFiller(std::string_view word) {
    return text::IsOneOf(word,
                         {"a",     "about", "all",  "an",   "and",    "any",       "are",    "every", "find",  "for",
                          "from",  "get",   "give", "have", "in",     "is",        "it",     "list",  "me",    "my",
                          "of",    "on",    "or",   "our",  "please", "show",      "that",   "the",   "there", "what",
                          "which", "with",  "i",    "do",   "search", "currently", "marked", "status"});
  }

  static bool IsNegation(std::string_view word) {
    return text::IsOneOf(word, {"not", "without"}) || absl::EndsWith(ToAbsl(word), "n't") ||
           absl::EndsWith(ToAbsl(word), "n’t");
  }

  // Number of words at `i` that form an intent, whose filter is then the last one; 0 if none.
  size_t Match(size_t i) { return IsNegation(At(i)) ? MatchNegated(i) : MatchPlain(i); }

  // Words may separate a negation from the negated word: "not marked done".
  size_t MatchNegated(size_t i) {
    size_t next = i + 1;
    size_t count = MatchPlain(next);
    while (count == 0 && IsFiller(At(next))) count = MatchPlain(++next);
    if (count == 0) return 0;
    filters_.back() = Filter::Not(std::move(filters_.back()));
    return next - i + count;
  }

  size_t MatchPlain(size_t i) {
    if (const size_t count = MatchDue(i); count > 0) return count;
    if (const size_t count = MatchPriority(i); count > 0) return count;
    if (const size_t count = MatchAssignee(i); count > 0) return count;
    return has_task_word_ ? MatchStatus(i) : 0;
  }

  size_t Add(Filter filter, size_t count) {
    filters_.push_back(std::move(filter));
    return count;
  }

  size_t MatchDue(size_t i) {
    if (At(i) == "overdue") return Add(OverdueTasks(perspective_.now, perspective_.zone), 1);
    if (At(i) == "past" && At(i + 1) == "due") return Add(OverdueTasks(perspective_.now, perspective_.zone), 2);
    if (At(i) != "due") return 0;
    size_t count = MatchDueWhen(i + 1);
    while (count > 0 && At(i + 1 + count) == "or") {
      const size_t alternative = MatchDueWhen(i + 2 + count);
      if (alternative == 0) break;
      JoinLastTwo();
      count += 1 + alternative;
    }
    return count > 0 ? 1 + count : 0;
  }

  // Parses the words after "due".
  size_t MatchDueWhen(size_t i) {
    if (const size_t count = MatchPeriod(i); count > 0) return count;
    const std::string_view preposition = At(i);
    const size_t first = i + (text::IsOneOf(preposition, {"on", "by", "before", "until", "after"}) ? 1 : 0);
    for (size_t count = std::min(kMaxDateWords, words_.size() - std::min(first, words_.size())); count > 0; --count) {
      std::string text;
      for (size_t k = first; k < first + count; ++k) absl::StrAppend(&text, text.empty() ? "" : " ", words_[k].lower);
      const absl::StatusOr<DateOrTime> date = ParseDate(text, perspective_.now, perspective_.zone);
      if (date.ok()) return Add(DueFilter(preposition, *date), first + count - i);
    }
    return 0;
  }

  Filter DueFilter(std::string_view preposition, const DateOrTime& date) const {
    if (preposition == "before") return due_.Before(date);
    if (preposition == "after") return due_.After(date);
    if (text::IsOneOf(preposition, {"by", "until"})) return Filter::Or({due_.Before(date), due_.Equals(date)});
    return due_.Equals(date);
  }

  size_t MatchPeriod(size_t i) {
    const bool next = At(i) == "next";
    if (!next && At(i) != "this") return 0;
    const absl::CivilDay today = absl::ToCivilDay(perspective_.now, perspective_.zone);
    if (At(i + 1) == "week") {
      const absl::CivilDay monday = absl::PrevWeekday(today + 1, absl::Weekday::monday) + (next ? 7 : 0);
      return Add(due_.Within(monday, monday + 6), 2);
    }
    if (At(i + 1) == "month") {
      const absl::CivilMonth month = absl::CivilMonth(today) + (next ? 1 : 0);
      return Add(due_.Within(absl::CivilDay(month), absl::CivilDay(month + 1) - 1), 2);
    }
    return 0;
  }

  static bool IsLevel(std::string_view word) { return text::IsOneOf(word, {"low", "medium", "high", "critical"}); }

  Filter HasPriority(std::string_view level) const {
    return Filter::Compare(Field::Data({"priority"}), Filter::Op::kEquals, std::string(level));
  }

  size_t MatchPriority(size_t i) {
    const std::string_view word = At(i);
    constexpr std::string_view kSuffix = "-priority";
    if (IsLevel(word) && At(i + 1) == "priority") return Add(HasPriority(word), 2);
    if (word.size() > kSuffix.size() && word.substr(word.size() - kSuffix.size()) == kSuffix &&
        IsLevel(word.substr(0, word.size() - kSuffix.size()))) {
      return Add(HasPriority(word.substr(0, word.size() - kSuffix.size())), 1);
    }
    if (word == "priority" && IsLevel(At(i + 1))) return Add(HasPriority(At(i + 1)), 2);
    if (word == "urgent" && has_task_word_) return Add(Filter::Or({HasPriority("critical"), HasPriority("high")}), 1);
    return 0;
  }

  Filter IsAssignedTo(std::string_view user) const {
    return Filter::Compare(Field::Data({"assignedTo"}), Filter::Op::kEquals, std::string(user));
  }

  size_t MatchAssignee(size_t i) {
    if (At(i) == "assigned" && At(i + 1) == "to" && i + 2 < words_.size()) {
      if (text::IsOneOf(At(i + 2), {"anyone", "anybody", "someone", "somebody"})) {
        return Add(Filter::Compare(Field::Data({"assignedTo"}), Filter::Op::kIsNotEmpty), 3);
      }
      const bool me = text::IsOneOf(At(i + 2), {"me", "myself"});
      return Add(IsAssignedTo(me ? perspective_.user_id : std::string_view(words_[i + 2].original)), 3);
    }
    if (At(i) == "my" && !looking_ahead_ && LeadsToTaskWord(i + 1)) return Add(IsAssignedTo(perspective_.user_id), 1);
    if (At(i) == "unassigned" && has_task_word_) {
      return Add(Filter::Compare(Field::Data({"assignedTo"}), Filter::Op::kIsEmpty), 1);
    }
    return 0;
  }

  // True if only intents separate word `i` from a task word: "my overdue high priority tasks".
  bool LeadsToTaskWord(size_t i) {
    const size_t end = std::min(words_.size(), i + kMaxWordsToTaskWord);
    looking_ahead_ = true;
    for (size_t count = 1; i < end && count > 0 && !IsTaskWord(At(i)); i += count) {
      const size_t known = filters_.size();
      count = Match(i);
      filters_.erase(filters_.begin() + static_cast<std::ptrdiff_t>(known), filters_.end());
      if (count == 0 && IsFiller(At(i))) count = 1;
    }
    looking_ahead_ = false;
    return i < end && IsTaskWord(At(i));
  }

  size_t MatchStatus(size_t i) {
    const std::string_view word = At(i);
    if (text::IsOneOf(word, {"done", "completed", "finished"})) return Add(HasStatus("done"), 1);
    if (text::IsOneOf(word, {"open", "incomplete", "unfinished", "pending"})) {
      return Add(Filter::Not(HasStatus("done")), 1);
    }
    if (word == "in" && At(i + 1) == "progress") return Add(HasStatus("in_progress"), 2);
    if (text::IsOneOf(word, {"in-progress", "in_progress"})) return Add(HasStatus("in_progress"), 1);
    if (word == "to" && At(i + 1) == "do") return Add(HasStatus("todo"), 2);
    return 0;
  }

  static bool IsSearched(const Word& word) { return !word.used && !IsTaskWord(word.lower) && !IsFiller(word.lower); }

  std::string RemainingText() const {
    std::string text;
    for (const Word& word : words_) {
      if (!IsSearched(word)) continue;
      absl::StrAppend(&text, text.empty() ? "" : " ", word.original);
    }
    return text;
  }

  std::vector<Word> words_;
  const SearchPerspective& perspective_;
  blocks::DateFilter due_;
  std::vector<Filter> filters_;
  std::vector<std::string> types_;
  bool has_task_word_ = false;
  bool looking_ahead_ = false;  // Another "my" is then a filler word.
};

}  // namespace

SearchIntent ParseSearchIntent(std::string_view query, const SearchPerspective& perspective) {
  return IntentParser(query, perspective).Parse(query);
}

}  // namespace toolgate::executors::workspace
