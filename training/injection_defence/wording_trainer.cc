// Trains the two models of wording/wording.h from labelled texts, and writes FOLDER/sentence_model.tsv and
// FOLDER/passage_model.tsv.
//
//   wording_trainer FOLDER [--start SENTENCE_MODEL] --authors FILE… --others FILE… --calibrate FILE…
//
// A line of a file is {"text", "label": 1 for an attack, "weight"?: how much it counts}. The authors' texts count more
// than the others for the model of sentences. With --start its weights of an earlier training are what is believed
// before: a weight moves only as far as the texts pull it, and what they do not speak of stays. So it learns from new
// texts without the old ones.
//
// Of an attack only its likeliest window is one, found anew in every round; of every other text all windows are
// harmless. The weights are those of a logistic regression by FTRL-Proximal (McMahan et al., "Ad Click Prediction",
// 2013), whose L1 term leaves most of them at zero. The model of passages is the sum of three: one that sees the rules
// and word classes and hence leans on them, one that has to do with the words alone, and one with their stems.
//
// The centre is set so that of the calibration texts, all harmless, only kFalseAlarms reach a weight of 0.7, and the
// gate so that only kPassing pass it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
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

// Weights of the authors' attacks and other texts in the model of sentences.
constexpr double kAttackWeight = 2;
constexpr double kHarmlessWeight = 3;
// Shares of the calibration texts that may reach a weight of 0.7, and that may pass the gate.
constexpr double kFalseAlarms = 0.0015;
constexpr double kPassing = 0.03;
constexpr double kScale = 0.3;
// Smaller weights of the model of passages are dropped at the end.
constexpr double kLeastPassageWeight = 0.2;
constexpr double kFlagged = 0.7;

// The features that a model sees.
enum class View {
  kSentences,   // Words, word classes and rules.
  kEverything,  // The stems of long words as well.
  kWords,       // Words and stems only.
  kStems,       // Stems only, in the place of long words.
};

struct Settings {
  void (*find_windows)(const std::vector<wording::PhraseToken>&, std::vector<wording::TextWindow>&);
  View view;
  double alpha;
  double l1;
  double l2;
  int rounds;
  double least_weight;   // Smaller ones are dropped at the end.
  uint32_t least_texts;  // In which a feature must occur.
};
constexpr Settings kSentences = {wording::FindSentenceWindows, View::kSentences, 0.12, 1.5, 1.5, 14, 0.19, 2};
constexpr Settings kPassages = {wording::FindPassageWindows, View::kEverything, 0.12, 0.3, 1, 14, 0.02, 2};
constexpr Settings kPassagesByWords = {wording::FindPassageWindows, View::kWords, 0.12, 0.3, 1, 14, 0.02, 2};
constexpr Settings kPassagesByStems = {wording::FindPassageWindows, View::kStems, 0.12, 0.3, 1, 14, 0.02, 2};

double Round(double weight) { return std::round(weight * 100) / 100; }

// A text, and how it is read as it stands there.
struct Text {
  bool attack = false;
  double weight = 1;
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
  Trainer(const rules::RuleSet& rules, const Settings& settings)
      : settings_(settings), phrases_(wording::NamesOf(rules)) {
    for (size_t c = 0; c < phrases_.classes.size(); ++c) {
      if (phrases_.classes[c] != 0) parts_[phrases_.classes[c]] = absl::StrCat("@", rules.class_names()[c]);
    }
    for (size_t r = 0; r < phrases_.rules.size(); ++r) {
      parts_[phrases_.rules[r]] = absl::StrCat("#", rules.rules()[r].id);
      parts_[phrases_.excused_rules[r]] = absl::StrCat("#", rules.rules()[r].id, "?");
    }
    for (const char* part : {"^", "0"}) parts_[text::HashOfWord(part)] = part;
  }

  // Before all texts.
  void StartFrom(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    while (std::getline(in, line)) {
      const size_t tab = line.rfind('\t');
      if (tab == std::string::npos) continue;
      const std::string key = line.substr(0, tab);
      const double weight = std::stod(line.substr(tab + 1));
      if (key == kBias) {
        priors_[0] = weight;
      } else if (key.back() != ':') {
        start_[wording::HashOfPhrase(wording::ParsePhrase(key))] = {key, weight};
      }
    }
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
    for (int round = 0; round < settings_.rounds; ++round) {
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
  struct Feature {
    std::string name;
    double weight;
  };

  Weights Result() const {
    Weights weights;
    for (const auto& [hash, feature] : start_) {
      if (!ids_.contains(hash)) weights[feature.name] = feature.weight;
    }
    weights[kBias] = Weight(0);
    for (uint32_t f = 1; f < names_.size(); ++f) {
      if (std::abs(Weight(f)) >= settings_.least_weight) weights[names_[f]] = Weight(f);
    }
    return weights;
  }

  // Drops features of few texts.
  void Prune() {
    for (Example& example : examples_) {
      for (Window& window : example.windows) {
        std::erase_if(window,
                      [&](uint32_t f) { return f != 0 && counts_[f] < settings_.least_texts && priors_[f] == 0; });
      }
    }
  }

  void AddWindows(const Text& text, Example& example) {
    const wording::PhraseEvidence nothing = {{}, {}};
    const bool sees_rules = settings_.view == View::kSentences || settings_.view == View::kEverything;
    std::vector<wording::PhraseToken> tokens;
    std::vector<wording::TextWindow> windows;
    wording::ReadPhraseTokens(text.view.text, text.words, tokens);
    settings_.find_windows(tokens, windows);
    if (settings_.view != View::kSentences) wording::ReadPhraseStems(text.view.text, tokens);
    for (const wording::PhraseToken& token : tokens) Remember(token, text.view.text);
    if (settings_.view == View::kStems) {
      for (wording::PhraseToken& token : tokens)
        token.hash = token.stem != 0 ? std::exchange(token.stem, 0) : token.hash;
    }
    std::vector<Window> by_token(tokens.size());
    std::unordered_map<uint32_t, uint32_t> lasts;  // The token at which a feature was seen last.
    const auto see = [&](uint32_t token, wording::PhraseKind kind, uint64_t first, uint64_t second, uint64_t third) {
      const uint32_t id = Id({kind, {first, second, third}});
      const auto [last, is_new] = lasts.try_emplace(id, token);
      if (is_new) ++counts_[id];
      const bool repeated = !is_new && token - last->second <= wording::kRepeatWords &&
                            tokens[last->second].sentence == tokens[token].sentence;
      last->second = token;
      if (!repeated) by_token[token].push_back(id);
    };
    wording::ForEachPhrase(
        tokens, sees_rules ? text.evidence() : nothing, phrases_, [](uint64_t) { return wording::phrase_role::kEvery; },
        see);
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
    const auto prior = start_.find(hash);
    priors_.push_back(prior == start_.end() ? 0 : prior->second.weight);
    names_.push_back(std::move(name));
    counts_.push_back(0);
    return known->second;
  }

  double Weight(uint32_t f) const {
    const double z = z_[f];
    const double l1 = f == 0 ? 0 : settings_.l1;
    if (std::abs(z) <= l1) return priors_[f];
    const double moved = z - (z < 0 ? -l1 : l1);
    return priors_[f] - moved / ((1 + std::sqrt(n_[f])) / settings_.alpha + settings_.l2);
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
      const double sigma = (std::sqrt(n_[f] + gradient * gradient) - std::sqrt(n_[f])) / settings_.alpha;
      z_[f] += gradient - sigma * (Weight(f) - priors_[f]);
      n_[f] += gradient * gradient;
    }
    return -weight * std::log(std::max(1e-9, label == 1 ? p : 1 - p));
  }

  const Settings settings_;
  const wording::PhraseNames phrases_;
  std::vector<Example> examples_;
  std::unordered_map<uint64_t, std::string> parts_;
  std::unordered_map<uint64_t, uint32_t> ids_;
  std::vector<std::string> names_ = {kBias};
  std::vector<uint32_t> counts_ = {0};
  std::unordered_map<uint64_t, Feature> start_;  // Of the earlier model.
  std::vector<double> priors_ = {0};             // The same by feature.
  size_t misread_ = 0;
  std::vector<double> z_;
  std::vector<double> n_;
};

std::string FileOf(const Weights& weights, std::string_view about, double least) {
  std::string file =
      absl::StrCat("# Weights of a linear model over the features that phrase_features.h describes, made ",
                   "by wording_trainer:\n# ", ToAbsl(about), ".\n");
  for (const auto& [name, weight] : weights) {
    if (Round(weight) != 0 && (std::abs(weight) >= least || name.back() == ':')) {
      absl::StrAppend(&file, name, "\t", Round(weight), "\n");
    }
  }
  return file;
}

// The sum that `share` of the texts exceed.
double Quantile(const std::vector<Text>& texts, double share, const wording::Wording& wording) {
  std::vector<double> sums;
  sums.reserve(texts.size());
  for (const Text& text : texts) sums.push_back(wording.HighestSum(text.view.text, text.words, text.evidence()));
  std::sort(sums.begin(), sums.end(), std::greater<>());
  return sums[static_cast<size_t>(static_cast<double>(sums.size()) * share)];
}

// A gate that every place of a text passes.
constexpr double kNoGate = -1e6;

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
    std::cerr << "usage: wording_trainer FOLDER [--start SENTENCE_MODEL] --authors FILE… --others FILE… --calibrate "
                 "FILE…\n"
              << rules.status() << "\n";
    return 2;
  }
  const Reader reader(*rules);
  Trainer sentences(*rules, kSentences);
  Trainer passages(*rules, kPassages);
  Trainer passages_by_words(*rules, kPassagesByWords);
  Trainer passages_by_stems(*rules, kPassagesByStems);
  for (const std::string& path : files["--start"]) sentences.StartFrom(path);
  for (const Text& text : reader.Read(files["--authors"])) {
    sentences.Add(text, text.attack ? kAttackWeight : kHarmlessWeight);
    passages.Add(text, 1);
    passages_by_words.Add(text, 1);
    passages_by_stems.Add(text, 1);
  }
  for (const Text& text : reader.Read(files["--others"])) {
    sentences.Add(text, text.weight);
    passages.Add(text, text.weight);
    passages_by_words.Add(text, text.weight);
    passages_by_stems.Add(text, text.weight);
  }

  Weights of_sentences = sentences.Train();
  Weights of_passages = passages.Train();
  for (const auto& [name, weight] : passages_by_words.Train()) of_passages[name] += weight;
  for (const auto& [name, weight] : passages_by_stems.Train()) of_passages[name] += weight;
  const std::string passage_file =
      FileOf(of_passages, "what speaks for and against an attack in the passage around a place", kLeastPassageWeight);
  const auto sentence_file = [&] {
    return FileOf(of_sentences, "what speaks for and against an attack in a sentence or three", 0);
  };
  of_sentences["scale:"] = kScale;

  const std::vector<Text> ordinary = reader.Read(files["--calibrate"]);
  of_sentences["gate:"] = kNoGate;
  of_sentences["gate:"] = Quantile(ordinary, kPassing, *wording::Wording::Parse(sentence_file(), "", *rules));
  of_sentences["centre:"] =
      Quantile(ordinary, kFalseAlarms, *wording::Wording::Parse(sentence_file(), passage_file, *rules)) -
      std::log(kFlagged / (1 - kFlagged)) / kScale;
  std::ofstream(absl::StrCat(arguments[0], "/sentence_model.tsv")) << sentence_file();
  std::ofstream(absl::StrCat(arguments[0], "/passage_model.tsv")) << passage_file;
  return 0;
}

}  // namespace
}  // namespace toolgate::training::injection_defence

int main(int argc, char** argv) {
  return toolgate::training::injection_defence::Main(std::vector<std::string>(argv + 1, argv + argc));
}
