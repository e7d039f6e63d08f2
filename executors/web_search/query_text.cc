#include "executors/web_search/query_text.h"

#include <array>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/text/utf8.h"

namespace toolgate::executors::web_search {
namespace {

// Longer phrases stand before those that they begin with.
constexpr std::array<std::string_view, 9> kGreetings = {
    "good morning", "good evening", "hello there", "hi there", "hello", "hey", "hi", "ok", "okay"};
constexpr std::array<std::string_view, 14> kRequests = {"i would like you to",
                                                        "i would like to",
                                                        "i'd like you to",
                                                        "i'd like to",
                                                        "i want you to",
                                                        "i need you to",
                                                        "can you please",
                                                        "could you please",
                                                        "would you please",
                                                        "can you",
                                                        "could you",
                                                        "would you",
                                                        "will you",
                                                        "please"};
// Nobody searches for these words themselves.
constexpr std::array<std::string_view, 16> kCommands = {"do a web search for",  "do a search for",
                                                        "run a web search for", "search the internet for",
                                                        "search the web for",   "search the net for",
                                                        "search online for",    "search google for",
                                                        "look on the web for",  "look on the internet for",
                                                        "look up on the web",   "look online for",
                                                        "find out on the web",  "google for",
                                                        "web search for",       "look up"};
// Might begin a title, so they are dropped only behind a request.
constexpr std::array<std::string_view, 10> kWeakCommands = {"search for",    "find out about", "find out", "find me",
                                                            "tell me about", "show me",        "look for", "google",
                                                            "find",          "search"};
constexpr std::array<std::string_view, 8> kThanks = {
    "thank you very much", "thanks in advance", "thanks a lot", "thank you", "thanks", "please", "for me", "cheers"};

constexpr std::string_view kSeparators = ",.!?;: ";

bool IsSeparator(char c) { return kSeparators.find(c) != std::string_view::npos; }

std::string FoldBlanks(std::string_view text) {
  return absl::StrJoin(absl::StrSplit(ToAbsl(text), absl::ByAnyChar(" \t\r\n\f\v"), absl::SkipEmpty()), " ");
}

std::string_view DropSeparators(std::string_view text) {
  while (!text.empty() && IsSeparator(text.front())) text.remove_prefix(1);
  return text;
}

// The text after the first of `phrases` that it begins with, as whole words and whatever the case.
template <size_t kCount>
std::optional<std::string_view> After(std::string_view text, const std::array<std::string_view, kCount>& phrases) {
  for (const std::string_view phrase : phrases) {
    if (!absl::StartsWithIgnoreCase(ToAbsl(text), ToAbsl(phrase))) continue;
    const std::string_view rest = text.substr(phrase.size());
    if (rest.empty() || IsSeparator(rest.front())) return DropSeparators(rest);
  }
  return std::nullopt;
}

// A greeting counts only with a comma or the like behind it: "Hi-fi" and "Hello world program" are about something.
std::string_view DropGreeting(std::string_view text) {
  const std::optional<std::string_view> rest = After(text, kGreetings);
  if (!rest.has_value() || rest->empty()) return text;
  const std::string_view greeting = text.substr(0, text.size() - rest->size());
  return absl::StrContains(ToAbsl(greeting), ",") || absl::StrContains(ToAbsl(greeting), "!") ? *rest : text;
}

// Rest of a request to search; nothing when the text is none.
std::optional<std::string_view> AfterCommand(std::string_view text) {
  const std::optional<std::string_view> requested = After(text, kRequests);
  const std::string_view order = requested.value_or(text);
  std::optional<std::string_view> rest = After(order, kCommands);
  if (!rest.has_value() && requested.has_value()) rest = After(order, kWeakCommands);
  return rest;
}

// The text without its last phrase of thanks, which a comma or the end of a sentence sets off.
std::string_view DropOneThanks(std::string_view text) {
  const auto trimmed = [](std::string_view part) {
    while (!part.empty() && IsSeparator(part.back())) part.remove_suffix(1);
    return part;
  };
  const std::string_view end = trimmed(text);
  for (const std::string_view phrase : kThanks) {
    if (!absl::EndsWithIgnoreCase(ToAbsl(end), ToAbsl(phrase))) continue;
    const std::string_view rest = end.substr(0, end.size() - phrase.size());
    const std::string_view before = trimmed(rest);
    const std::string_view gap = rest.substr(before.size());
    if (before.empty() || gap.find_first_of(",.!?;") == std::string_view::npos) continue;
    return before;
  }
  return text;
}

std::string_view DropThanks(std::string_view text) {
  while (true) {
    const std::string_view rest = DropOneThanks(text);
    if (rest.size() == text.size()) return text;
    text = rest;
  }
}

}  // namespace

std::string TidyQuery(std::string_view query) {
  const std::string folded = FoldBlanks(query);
  const std::string_view greeted = DropGreeting(folded);
  const std::optional<std::string_view> wanted = AfterCommand(greeted);
  std::string_view text = wanted.value_or(greeted);
  // A single word before the thanks is more likely a title: "Yes, please".
  const std::string_view thanked = DropThanks(text);
  const bool is_chat = wanted.has_value() || greeted.size() < folded.size();
  if (is_chat || absl::StrContains(ToAbsl(thanked), " ")) text = thanked;
  if (is_chat) {
    while (!text.empty() && IsSeparator(text.back())) text.remove_suffix(1);
  }
  return text.empty() ? folded : std::string(text);
}

std::string ShortenQuery(std::string_view query, size_t max_characters) {
  const std::string_view head = text::PrefixOfCharacters(query, max_characters);
  if (head.size() == query.size()) return std::string(query);
  const size_t blank = head.rfind(' ');
  const bool cuts_word = query[head.size()] != ' ';
  return std::string(cuts_word && blank != std::string_view::npos && blank > 0 ? head.substr(0, blank) : head);
}

}  // namespace toolgate::executors::web_search
