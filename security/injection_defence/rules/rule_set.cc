#include "security/injection_defence/rules/rule_set.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "security/injection_defence/text/normaliser.h"
#include "security/injection_defence/text/utf8.h"

namespace toolgate::security::injection_defence::rules {
namespace {

constexpr uint32_t kDefaultWithin = 90;
constexpr uint32_t kDefaultUnlessWithin = 24;
// Shorter words are not misspelt on purpose, and their misspellings are other words.
constexpr size_t kMinMisspelt = 6;
// Longer words are mistakes in a rule file.
constexpr size_t kMaxLiteralBytes = 120;

std::string Reversed(std::string_view text) { return std::string(text.rbegin(), text.rend()); }

std::string Rot13(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (absl::ascii_islower(static_cast<unsigned char>(c))) c = static_cast<char>('a' + (c - 'a' + 13) % 26);
  }
  return out;
}

// Neighbouring keys of each letter.
constexpr std::array<std::string_view, 26> kNeighbours = {"qsz", "vn", "xv", "sf", "wr", "dg", "fh", "gj", "uo",
                                                          "hk",  "jl", "k",  "n",  "bm", "ip", "ol", "wa", "et",
                                                          "ad",  "ry", "yi", "cb", "qe", "zc", "tu", "x"};

// Variants with one inner letter omitted, doubled, swapped with the next, or replaced by a neighbouring key.
std::vector<std::string> Misspellings(const std::string& word) {
  std::vector<std::string> out;
  for (size_t i = 1; i + 1 < word.size(); ++i) {
    if (word[i] >= 'a' && word[i] <= 'z') {
      for (const char key : kNeighbours[static_cast<size_t>(word[i] - 'a')]) {
        out.push_back(word);
        out.back()[i] = key;
      }
    }
    out.push_back(absl::StrCat(word.substr(0, i), word.substr(i + 1)));
    out.push_back(absl::StrCat(word.substr(0, i + 1), word.substr(i)));
    if (i + 2 < word.size() && word[i] != word[i + 1]) {
      std::string exchanged = word;
      std::swap(exchanged[i], exchanged[i + 1]);
      out.push_back(std::move(exchanged));
    }
  }
  return out;
}

void AppendWords(const std::string& words, std::vector<std::string>& out) {
  for (const absl::string_view word : absl::StrSplit(words, ' ', absl::SkipEmpty())) out.emplace_back(word);
}

}  // namespace

class RuleSetParser {
 public:
  RuleSetParser() = default;
  RuleSetParser(const RuleSetParser&) = delete;
  RuleSetParser& operator=(const RuleSetParser&) = delete;

  absl::Status AddClasses(const EmbeddedFile& file, const Json& classes) {
    for (const auto& [name, languages] : classes.items()) {
      if (!languages.is_object()) return Bad(file, name, "a class maps languages to lists of words");
      const uint16_t id = ClassId(name);
      for (const auto& [language, words] : languages.items()) RETURN_IF_ERROR(AddWords(file, name, words, id));
    }
    return absl::OkStatus();
  }

  absl::Status AddRule(const EmbeddedFile& file, const Json& json) {
    Rule rule;
    rule.id = json.value("id", "");
    if (rule.id.empty()) return Bad(file, "rule", "a rule has an id");
    rule.family = json.value("family", "");
    rule.rationale = json.value("rationale", "");
    rule.weight = json.value("weight", 0.0);
    if (rule.family.empty() || rule.rationale.empty() || rule.weight <= 0 || rule.weight > 1) {
      return Bad(file, rule.id, "a rule has a family, a rationale and a weight above 0 and at most 1");
    }
    rule.ordered = json.value("ordered", false);
    rule.across_sentences = json.value("across_sentences", false);
    rule.within = json.value("within", kDefaultWithin);
    rule.unless_within = json.value("unless_within", kDefaultUnlessWithin);
    for (const Json& slot : json.value("all", Json::array())) {
      ASSIGN_OR_RETURN(Slot parsed, ParseSlot(file, rule.id, slot));
      rule.slots.push_back(std::move(parsed));
    }
    if (rule.slots.empty() || rule.slots.size() > 6) return Bad(file, rule.id, "\"all\" has 1 to 6 slots");
    rule.imperative = json.value("imperative", false);
    rule.plain_object = json.value("plain_object", false);
    rule.certain = json.value("certain", false);
    rule.verb = json.value("verb", uint16_t{0});
    rule.object = json.value("object", static_cast<uint16_t>(rule.slots.size() - 1));
    if (rule.verb >= rule.slots.size() || rule.object >= rule.slots.size()) {
      return Bad(file, rule.id, "\"verb\" and \"object\" are places in \"all\", counted from 0");
    }
    rule.phrase = json.value("phrase", std::vector<uint16_t>{});
    const bool two_slots = rule.phrase.size() == 2 && rule.phrase[0] != rule.phrase[1] &&
                           rule.phrase[0] < rule.slots.size() && rule.phrase[1] < rule.slots.size();
    if (!rule.phrase.empty() && (!two_slots || rule.ordered)) {
      return Bad(file, rule.id, "\"phrase\" is two places in \"all\" of a rule without order");
    }
    RETURN_IF_ERROR(ParseGuards(file, json, "unless", rule, rule.unless));
    RETURN_IF_ERROR(ParseGuards(file, json, "harmless_object", rule, rule.harmless_object));
    rule.must_match = json.value("match", std::vector<std::string>());
    rule.must_not_match = json.value("no_match", std::vector<std::string>());
    if (rule.must_match.empty()) return Bad(file, rule.id, "a rule has examples that it must match");
    set_.rules_.push_back(std::move(rule));
    return absl::OkStatus();
  }

  void AddVocabulary(const std::string& words) { AppendWords(words, set_.vocabulary_); }

  absl::StatusOr<RuleSet> Finish() {
    for (size_t i = 0; i < set_.class_names_.size(); ++i) {
      if (used_[i] && !defined_[i]) {
        return absl::InvalidArgumentError(absl::StrCat("injection rules: no class is called ", set_.class_names_[i]));
      }
    }
    const auto of_grammar = [&](uint16_t c) { return set_.class_names_[c].rfind("grammar.", 0) == 0; };
    for (Literal& literal : set_.literals_) {
      literal.grammar_only = std::all_of(literal.classes.begin(), literal.classes.end(), of_grammar);
    }
    return std::move(set_);
  }

 private:
  static absl::Status Bad(const EmbeddedFile& file, std::string_view where, std::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(ToAbsl(file.path), ": ", ToAbsl(where), ": ", ToAbsl(what)));
  }

  uint16_t ClassId(const std::string& name, bool defines = true) {
    const auto [place, is_new] = ids_.try_emplace(name, static_cast<uint16_t>(set_.class_names_.size()));
    if (is_new) {
      set_.class_names_.push_back(name);
      defined_.push_back(false);
      used_.push_back(false);
    }
    (defines ? defined_ : used_)[place->second] = true;
    return place->second;
  }

  absl::StatusOr<Slot> ParseSlot(const EmbeddedFile& file, std::string_view rule, const Json& json) {
    if (!json.is_string()) return Bad(file, rule, "a slot is a string");
    Slot slot;
    const std::string text = json.get<std::string>();
    for (const absl::string_view part : absl::StrSplit(text, " | ")) {
      const std::string word(part);
      if (word.size() > 1 && word[0] == '@') {
        slot.push_back(ClassId(word.substr(1), /*defines=*/false));
      } else {
        const uint16_t id = ClassId(absl::StrCat("\"", word, "\""));
        RETURN_IF_ERROR(AddWord(file, rule, word, id));
        slot.push_back(id);
      }
    }
    return slot;
  }

  absl::Status ParseGuards(const EmbeddedFile& file, const Json& json, const char* member, const Rule& rule,
                           std::vector<uint16_t>& out) {
    for (const Json& guard : json.value(member, Json::array())) {
      ASSIGN_OR_RETURN(Slot parsed, ParseSlot(file, rule.id, guard));
      out.insert(out.end(), parsed.begin(), parsed.end());
    }
    return absl::OkStatus();
  }

  // A list, or one string with words separated by "|".
  absl::Status AddWords(const EmbeddedFile& file, const std::string& name, const Json& words, uint16_t id) {
    if (words.is_string()) {
      for (const absl::string_view word : absl::StrSplit(words.get<std::string>(), '|')) {
        RETURN_IF_ERROR(AddWord(file, name, std::string(word), id));
      }
      return absl::OkStatus();
    }
    for (const Json& word : words) {
      if (!word.is_string()) return Bad(file, name, "a word is a string");
      RETURN_IF_ERROR(AddWord(file, name, word.get<std::string>(), id));
    }
    return absl::OkStatus();
  }

  // Marks before and after a word: see rules/README.md.
  absl::Status AddWord(const EmbeddedFile& file, std::string_view where, std::string word, uint16_t id) {
    if (word.size() > kMinMisspelt && word[0] == '?') {
      word.erase(0, 1);
      for (const std::string& misspelt : Misspellings(word)) RETURN_IF_ERROR(AddWord(file, where, misspelt, id));
    }
    Literal literal;
    bool open_left = false;
    bool open_right = false;
    if (word.size() > 1 && word[0] == '^') {
      literal.line_start = true;
      word.erase(0, 1);
    }
    if (word.size() > 1 && word[0] == '=') {
      literal.exact_case = true;
      word.erase(0, 1);
      literal.cased = word;
    }
    if (word.size() > 1 && word.front() == '~') {
      open_left = true;
      word.erase(0, 1);
    }
    if (word.size() > 1 && word.back() == '~') {
      open_right = true;
      word.pop_back();
    }
    literal.text = text::IsAscii(word) ? absl::AsciiStrToLower(word) : text::Normaliser::Fold(word);
    // A blank before a word adds nothing to its left boundary, and would be searched for at every blank.
    if (literal.text.empty() || literal.text[0] == ' ' || literal.text.size() > kMaxLiteralBytes) {
      return Bad(file, where, absl::StrCat("not a usable word: \"", word, "\""));
    }
    if (set_.class_names_[id] == "hint" && text::IsAscii(literal.text)) {
      AddHint(literal.text);
      return absl::OkStatus();
    }
    literal.left_boundary = !open_left && text::StartsWithWordCharacter(literal.text);
    literal.right_boundary = !open_right && text::EndsWithWordCharacter(literal.text);
    Add(std::move(literal), id);
    return absl::OkStatus();
  }

  void Add(Literal literal, uint16_t id) {
    set_.literals_.push_back(std::move(literal));
    const auto [place, is_new] = literal_places_.insert(set_.literals_.size() - 1);
    if (!is_new) set_.literals_.pop_back();
    std::vector<uint16_t>& classes = set_.literals_[*place].classes;
    if (std::find(classes.begin(), classes.end(), id) == classes.end()) classes.push_back(id);
  }

  // Words of the class "hint" are searched for only reversed and in rot13, as the classes "hint.reversed" and
  // "hint.rot13": finding one of those makes the reversed or the rot13 reading of a text worth trying.
  void AddHint(const std::string& word) {
    Literal literal;
    literal.left_boundary = literal.right_boundary = true;
    literal.text = Reversed(word);
    Add(literal, ClassId("hint.reversed"));
    literal.text = Rot13(word);
    Add(literal, ClassId("hint.rot13"));
    AddVocabulary(word);
  }

  // Literals by position; equal if they search for the same text, whatever classes they belong to.
  struct HashLiteral {
    size_t operator()(size_t at) const {
      const Literal& literal = (*literals)[at];
      return absl::HashOf(literal.text, literal.left_boundary, literal.right_boundary);
    }
    const std::vector<Literal>* literals;
  };
  struct SameLiteral {
    bool operator()(size_t at, size_t other) const {
      const Literal& a = (*literals)[at];
      const Literal& b = (*literals)[other];
      return a.text == b.text && a.left_boundary == b.left_boundary && a.right_boundary == b.right_boundary &&
             a.line_start == b.line_start && a.exact_case == b.exact_case && a.cased == b.cased;
    }
    const std::vector<Literal>* literals;
  };

  RuleSet set_;
  absl::flat_hash_map<std::string, uint16_t> ids_;
  absl::flat_hash_set<size_t, HashLiteral, SameLiteral> literal_places_{0, HashLiteral{&set_.literals_},
                                                                        SameLiteral{&set_.literals_}};
  std::vector<bool> defined_;
  std::vector<bool> used_;
};

absl::StatusOr<RuleSet> RuleSet::Parse(const std::vector<EmbeddedFile>& files) {
  RuleSetParser parser;
  for (const EmbeddedFile& file : files) {
    const Json json = Json::parse(file.text, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) return absl::InvalidArgumentError(absl::StrCat(ToAbsl(file.path), ": not a JSON object"));
    try {
      parser.AddVocabulary(json.value("vocabulary", ""));
      if (json.contains("classes")) RETURN_IF_ERROR(parser.AddClasses(file, json["classes"]));
      for (const Json& rule : json.value("rules", Json::array())) RETURN_IF_ERROR(parser.AddRule(file, rule));
    } catch (const Json::exception& e) {
      return absl::InvalidArgumentError(absl::StrCat(ToAbsl(file.path), ": ", e.what()));
    }
  }
  return parser.Finish();
}

std::vector<std::string> RuleSet::Vocabulary() const {
  std::vector<std::string> words = vocabulary_;
  for (const Literal& literal : literals_) {
    // The short words of ninety languages would cut the words of any other language into pieces.
    if (literal.grammar_only) continue;
    // Names in one case only, such as "=DAN", are not words of running text.
    if ((literal.left_boundary || literal.right_boundary) && !literal.exact_case) AppendWords(literal.text, words);
  }
  return words;
}

int RuleSet::FindClass(std::string_view name) const {
  const auto place = std::find(class_names_.begin(), class_names_.end(), name);
  return place == class_names_.end() ? -1 : static_cast<int>(place - class_names_.begin());
}

}  // namespace toolgate::security::injection_defence::rules
