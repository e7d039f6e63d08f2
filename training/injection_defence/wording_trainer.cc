// Trains the model of wording/wording.h from labelled texts, and writes FOLDER/wording_model.tsv and
// FOLDER/function_words.txt.
//
//   wording_trainer FOLDER --authors FILE… --others FILE… --calibrate FILE…
//
// A line of a file is {"text", "label": 1 for an attack, "lang"?: its language, "weight"?: how much it counts}.
//
// Of an attack only its likeliest passage is one, found anew in every round; of every other text all passages are
// harmless. The weights are those of a logistic regression by FTRL-Proximal (McMahan et al., "Ad Click Prediction",
// 2013), whose L1 term leaves most of them at zero.
//
// Function words, which kFunctionShare of a language's ordinary texts contain, are no feature, nor are sequences of
// nothing else: they tell the language, and not what is said.
//
// The centre of each script is the highest that any of its languages needs for only kFalseAlarms of the language's
// calibration texts, all harmless, to have a rule's match where the weight reaches kFlagged.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "security/injection_defence/rules/injection_rules.h"
#include "security/injection_defence/rules/matcher.h"
#include "security/injection_defence/rules/rule_evaluator.h"
#include "security/injection_defence/rules/rule_set.h"
#include "security/injection_defence/text/normaliser.h"
#include "security/injection_defence/text/utf8.h"
#include "security/injection_defence/wording/phrase_features.h"
#include "security/injection_defence/wording/phrase_model.h"
#include "security/injection_defence/wording/wording.h"

namespace toolgate::training::injection_defence {
namespace {

namespace rules = security::injection_defence::rules;
namespace text = security::injection_defence::text;
namespace wording = security::injection_defence::wording;

// Share of the calibration texts of a language that may reach kFlagged next to a rule's match.
constexpr double kFalseAlarms = 0.002;
constexpr double kFlagged = 0.7;
constexpr double kScale = 0.55;
// The centre is this much lower than such a place, since most of the rules there are too weak to be flagged. A script
// that needs none above 0, where the model itself is undecided, gets none: it shares the highest of the others.
constexpr double kBelow = 2;
// A language needs this many calibration texts to count.
constexpr size_t kLeastTexts = 200;
// Share of a language's ordinary texts that a function word occurs in.
constexpr double kFunctionShare = 0.12;

constexpr double kAlpha = 0.12;
constexpr double kL1 = 0.3;
constexpr double kL2 = 1;
constexpr int kRounds = 14;
constexpr double kLeastWeight = 0.05;         // Smaller weights are dropped at the end.
constexpr uint32_t kLeastTextsOfFeature = 2;  // In which a feature must occur.

double Round(double weight) { return std::round(weight * 100) / 100; }

// A text, and how it is read as it stands there.
struct Text {
  bool attack = false;
  double weight = 1;
  std::string lang;
  std::string raw;
  text::TextView view;
  std::vector<text::Word> words;
  std::vector<rules::ClassSighting> sightings;
  std::vector<rules::RuleMatch> matches;

  wording::PhraseEvidence evidence() const { return {sightings, matches}; }
};

class Reader {
 public:
  explicit Reader(const rules::RuleSet& rules) : matcher_(rules), evaluator_(rules) {}

  std::vector<Text> Read(const std::vector<std::string>& paths) const {
    std::vector<Text> texts;
    for (const std::string& path : paths) {
      std::ifstream in(path);
      if (!in) std::cerr << "cannot read " << path << "\n";
      std::string line;
      while (std::getline(in, line)) {
        const auto json = ParseJson(line);
        if (!json.ok()) continue;
        Text& text = texts.emplace_back();
        text.attack = json->value("label", 0) == 1;
        text.weight = json->value("weight", 1.0);
        text.lang = json->value("lang", "");
        text.raw = json->value("text", "");
        Look(text);
      }
    }
    return texts;
  }

 private:
  void Look(Text& text) const {
    if (text::IsAscii(text.raw)) {
      text::Normaliser::FoldBlanks(text.raw, text.view);
    } else {
      text::HiddenText hidden;
      text::TextView tags;
      text::TextView selectors;
      text::Normaliser::FoldUnicode(text.raw, text.view, hidden, tags, selectors);
    }
    std::vector<rules::LiteralMatch> literals;
    rules::Hints hints;
    text::ReadWords(text.view.text, text.words);
    matcher_.Scan(text.view.text, text.words, literals);
    evaluator_.Evaluate({text.view.text, text.raw, &text.view}, literals, text.matches, hints, text.sightings);
  }

  const rules::Matcher matcher_;
  const rules::RuleEvaluator evaluator_;
};

// A feature as it is written, and its weight.
using Weights = std::map<std::string, double>;
constexpr char kBias[] = "bias:";

class Trainer {
 public:
  Trainer(const rules::RuleSet& rules, const std::set<std::string>& function_words)
      : phrases_(wording::NamesOf(rules)) {
    for (const std::string& word : function_words) function_words_.insert(text::HashOfWord(word));
    for (const char* part : {"^", "0"}) function_words_.insert(text::HashOfWord(part));
    for (size_t c = 0; c < phrases_.classes.size(); ++c) {
      if (phrases_.classes[c] != 0) parts_[phrases_.classes[c]] = absl::StrCat("@", rules.class_names()[c]);
    }
    for (size_t r = 0; r < phrases_.rules.size(); ++r) {
      parts_[phrases_.rules[r]] = absl::StrCat("#", rules.rules()[r].id);
      parts_[phrases_.excused_rules[r]] = absl::StrCat("#", rules.rules()[r].id, "?");
    }
    for (const char* part : {"^", "0"}) parts_[text::HashOfWord(part)] = part;
  }

  void Add(const Text& text, double weight) {
    Example example = {text.attack, weight, {}};
    AddWindows(text, example);
    if (!example.windows.empty()) examples_.push_back(std::move(example));
  }

  Weights Train() {
    Prune();
    z_.assign(names_.size(), 0);
    n_.assign(names_.size(), 0);
    std::mt19937 random(20261122);
    std::vector<Example*> order;
    for (Example& example : examples_) order.push_back(&example);
    double loss = 0;
    for (int round = 0; round < kRounds; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      loss = 0;
      for (Example* example : order) loss += Learn(*example, round == 0);
    }
    std::cerr << order.size() << " texts, " << names_.size() << " features, loss "
              << loss / static_cast<double>(order.size()) << "; " << misread_ << " names are read otherwise\n";
    return Result();
  }

 private:
  using Window = std::vector<uint32_t>;  // Its features.
  struct Example {
    bool attack;
    double weight;
    std::vector<Window> windows;
  };
  Weights Result() const {
    Weights weights;
    weights[kBias] = Weight(0);
    for (uint32_t f = 1; f < names_.size(); ++f) {
      if (std::abs(Weight(f)) >= kLeastWeight) weights[names_[f]] = Weight(f);
    }
    return weights;
  }

  // Drops features of few texts.
  void Prune() {
    for (Example& example : examples_) {
      for (Window& window : example.windows) {
        std::erase_if(window, [&](uint32_t f) { return f != 0 && counts_[f] < kLeastTextsOfFeature; });
      }
    }
  }

  void AddWindows(const Text& text, Example& example) {
    std::vector<wording::PhraseToken> tokens;
    std::vector<wording::TextWindow> windows;
    wording::ReadPhraseTokens(text.view.text, text.words, tokens);
    wording::ReadPhraseStems(text.view.text, tokens);
    wording::FindPassageWindows(tokens, windows);
    for (const wording::PhraseToken& token : tokens) Remember(token, text.view.text);
    std::vector<Window> by_token(tokens.size());
    std::unordered_map<uint32_t, uint32_t> lasts;  // The token at which a feature was seen last.
    const auto see = [&](uint32_t token, wording::PhraseKind kind, uint64_t first, uint64_t second, uint64_t third) {
      if (SaysNothing(first) && SaysNothing(second) && SaysNothing(third)) return;
      const uint32_t id = Id({kind, {first, second, third}});
      const auto [last, is_new] = lasts.try_emplace(id, token);
      if (is_new) ++counts_[id];
      const bool repeated = !is_new && token - last->second <= wording::kRepeatWords &&
                            tokens[last->second].sentence == tokens[token].sentence;
      last->second = token;
      if (!repeated) by_token[token].push_back(id);
    };
    wording::ForEachPhrase(
        tokens, text.evidence(), phrases_, [](uint64_t) { return wording::phrase_role::kEvery; }, see);
    for (const wording::TextWindow& window : windows) {
      Window& features = example.windows.emplace_back();
      features.push_back(0);  // The bias.
      for (uint32_t t = window.begin; t < window.end; ++t) {
        features.insert(features.end(), by_token[t].begin(), by_token[t].end());
      }
    }
  }

  void Remember(const wording::PhraseToken& token, std::string_view text) {
    std::string word;
    for (const char c : text.substr(token.start, token.end - token.start)) {
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    if (token.stem != 0) {
      size_t end = 0;
      for (uint32_t i = 0; i < wording::kStemCharacters; ++i) end += text::DecodeUtf8(word, end).length;
      parts_[token.stem] = absl::StrCat(word.substr(0, end), "~");
    }
    // Both apostrophes are one in the hash.
    absl::StrReplaceAll({{"\xE2\x80\x99", "'"}}, &word);
    parts_.try_emplace(token.hash, word);
  }

  bool SaysNothing(uint64_t part) const { return part == 0 || function_words_.contains(part); }

  uint32_t Id(const wording::Phrase& phrase) {
    const uint64_t hash = wording::HashOfPhrase(phrase);
    const auto [known, is_new] = ids_.try_emplace(hash, static_cast<uint32_t>(names_.size()));
    if (!is_new) return known->second;
    std::string name = parts_[phrase.parts[0]];
    const char* const between = phrase.kind == wording::PhraseKind::kGap   ? " * "
                                : phrase.kind == wording::PhraseKind::kFar ? " .. "
                                                                           : " ";
    if (phrase.parts[1] != 0) absl::StrAppend(&name, between, parts_[phrase.parts[1]]);
    if (phrase.parts[2] != 0) absl::StrAppend(&name, " ", parts_[phrase.parts[2]]);
    // A name that is read back as another feature would give its weight to that.
    if (wording::HashOfPhrase(wording::ParsePhrase(name)) != hash) ++misread_;
    names_.push_back(std::move(name));
    counts_.push_back(0);
    return known->second;
  }

  double Weight(uint32_t f) const {
    const double z = z_[f];
    const double l1 = f == 0 ? 0 : kL1;
    if (std::abs(z) <= l1) return 0;
    const double moved = z - (z < 0 ? -l1 : l1);
    return -moved / ((1 + std::sqrt(n_[f])) / kAlpha + kL2);
  }

  double Sum(const Window& window) const {
    double sum = 0;
    for (const uint32_t f : window) sum += Weight(f);
    return sum;
  }

  double Learn(const Example& example, bool first_round) {
    if (example.attack) {
      // In the first round the longest window, which is the whole of a short text.
      const auto best = std::max_element(
          example.windows.begin(), example.windows.end(),
          [&](const Window& a, const Window& b) { return first_round ? a.size() < b.size() : Sum(a) < Sum(b); });
      return Update(*best, 1, example.weight);
    }
    double loss = 0;
    for (const Window& window : example.windows) loss += Update(window, 0, example.weight);
    return loss;
  }

  double Update(const Window& window, double label, double weight) {
    const double p = 1 / (1 + std::exp(-Sum(window)));
    const double gradient = (p - label) * weight;
    for (const uint32_t f : window) {
      const double sigma = (std::sqrt(n_[f] + gradient * gradient) - std::sqrt(n_[f])) / kAlpha;
      z_[f] += gradient - sigma * Weight(f);
      n_[f] += gradient * gradient;
    }
    return -weight * std::log(std::max(1e-9, label == 1 ? p : 1 - p));
  }

  const wording::PhraseNames phrases_;
  std::unordered_set<uint64_t> function_words_;
  std::vector<Example> examples_;
  std::unordered_map<uint64_t, std::string> parts_;
  std::unordered_map<uint64_t, uint32_t> ids_;
  std::vector<std::string> names_ = {kBias};
  std::vector<uint32_t> counts_ = {0};
  size_t misread_ = 0;
  std::vector<double> z_;
  std::vector<double> n_;
};

std::string FileOf(const Weights& weights) {
  std::string file =
      "# Weights of a linear model over the features that phrase_features.h describes, made by wording_trainer: what\n"
      "# speaks for and against an attack in a passage.\n";
  for (const auto& [name, weight] : weights) {
    if (Round(weight) != 0) absl::StrAppend(&file, name, "\t", Round(weight), "\n");
  }
  return file;
}

std::string LowerCase(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

std::set<std::string> FunctionWords(const std::vector<Text>& texts) {
  std::map<std::string, size_t> texts_of;
  std::map<std::string, std::map<std::string, size_t>> counts;
  for (const Text& text : texts) {
    ++texts_of[text.lang];
    std::vector<wording::PhraseToken> tokens;
    wording::ReadPhraseTokens(text.view.text, text.words, tokens);
    std::set<std::string> seen;
    for (const wording::PhraseToken& token : tokens) {
      seen.insert(LowerCase(std::string_view(text.view.text).substr(token.start, token.end - token.start)));
    }
    for (const std::string& word : seen) ++counts[text.lang][word];
  }
  std::set<std::string> words;
  for (const auto& [lang, of_lang] : counts) {
    const size_t all = texts_of[lang];
    if (all < kLeastTexts) continue;
    for (const auto& [word, count] : of_lang) {
      if (static_cast<double>(count) >= kFunctionShare * static_cast<double>(all)) words.insert(word);
    }
  }
  return words;
}

// The highest sum of a place with a rule's match, by script.
using Sums = std::map<size_t, double>;

Sums HighestSums(const Text& text, const wording::Wording& wording) {
  Sums highest;
  wording.ForEachPlace(text.view.text, text.words, text.evidence(), [&](uint32_t start, uint32_t end, double sum) {
    const bool matched = std::any_of(text.matches.begin(), text.matches.end(), [&](const rules::RuleMatch& match) {
      return match.start < end && match.end > start;
    });
    if (!matched) return;
    const auto scripts = wording::ScriptsOf(std::string_view(text.view.text).substr(start, end - start));
    for (size_t s = 0; s < scripts.size(); ++s) {
      if (!scripts[s]) continue;
      const auto known = highest.try_emplace(s, sum).first;
      known->second = std::max(known->second, sum);
    }
  });
  return highest;
}

// Sets the centre of each script.
void Calibrate(const std::vector<Text>& texts, const wording::Wording& wording, Weights& weights) {
  std::map<std::string, size_t> texts_of;
  std::map<std::pair<size_t, std::string>, std::vector<double>> sums;  // By script and language.
  for (const Text& text : texts) {
    ++texts_of[text.lang];
    for (const auto& [script, sum] : HighestSums(text, wording)) sums[{script, text.lang}].push_back(sum);
  }
  for (auto& [key, of_language] : sums) {
    const size_t all = texts_of[key.second];
    const auto allowed = static_cast<size_t>(static_cast<double>(all) * kFalseAlarms);
    if (all < kLeastTexts || of_language.size() <= allowed) continue;
    std::sort(of_language.begin(), of_language.end(), std::greater<>());
    const double place = of_language[allowed] - kBelow - std::log(kFlagged / (1 - kFlagged)) / kScale;
    const double centre = Round(place);
    if (centre <= 0) continue;
    const std::string name = absl::StrCat("centre.", ToAbsl(wording::kScriptNames[key.first]), ":");
    const auto known = weights.try_emplace(name, centre).first;
    known->second = std::max(known->second, centre);
    std::cerr << key.second << " in " << wording::kScriptNames[key.first] << ": " << centre << " by " << all
              << " texts\n";
  }
}

int Main(const std::vector<std::string>& arguments) {
  const auto rules = rules::RuleSet::Parse(rules::InjectionRuleFiles());
  std::map<std::string, std::vector<std::string>> files;
  std::string option;
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i].rfind("--", 0) == 0) {
      option = arguments[i];
    } else {
      files[option].push_back(arguments[i]);
    }
  }
  if (!rules.ok() || arguments.empty() || files["--authors"].empty() || files["--calibrate"].empty()) {
    std::cerr << "usage: wording_trainer FOLDER --authors FILE… --others FILE… --calibrate FILE…\n"
              << rules.status() << "\n";
    return 2;
  }
  const Reader reader(*rules);
  const std::vector<Text> others = reader.Read(files["--others"]);
  const std::set<std::string> function_words = FunctionWords(others);
  Trainer trainer(*rules, function_words);
  for (const Text& text : reader.Read(files["--authors"])) trainer.Add(text, text.weight);
  for (const Text& text : others) trainer.Add(text, text.weight);
  Weights weights = trainer.Train();
  weights["scale:"] = kScale;
  Calibrate(reader.Read(files["--calibrate"]), *wording::Wording::Parse(FileOf(weights), *rules), weights);
  std::ofstream(absl::StrCat(arguments[0], "/wording_model.tsv")) << FileOf(weights);
  std::ofstream words(absl::StrCat(arguments[0], "/function_words.txt"));
  for (const std::string& word : function_words) words << word << "\n";
  return 0;
}

}  // namespace
}  // namespace toolgate::training::injection_defence

int main(int argc, char** argv) {
  return toolgate::training::injection_defence::Main(std::vector<std::string>(argv + 1, argv + argc));
}
