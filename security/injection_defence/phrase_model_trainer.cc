// Trains the phrase model: reads labelled texts as JSON Lines, writes the weights that phrase_model.h reads.
//
//   phrase_model_trainer OUTPUT [--start MODEL] TRAIN… --calibrate FILE… [--test FILE…]
//
// With --start the weights of an earlier model are what is believed before: a weight moves only as far as the texts
// pull it, and what they do not speak of stays. So a model learns from new texts without the old ones.
//
// A line is {"text", "label": 1 for an attack, "weight"?: how much it counts, "category"?: for the report on tests}. Of
// an attack only its likeliest window is one, found anew in every round; of every other text all windows are harmless.
// The weights are those of a logistic regression by FTRL-Proximal (McMahan et al., "Ad Click Prediction", 2013), whose
// L1 term leaves most of them at zero. The centre is set so that of the harmless calibration texts only kFalseAlarms
// reach a weight of 0.7.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "security/injection_defence/injection_rules.h"
#include "security/injection_defence/matcher.h"
#include "security/injection_defence/normaliser.h"
#include "security/injection_defence/phrase_features.h"
#include "security/injection_defence/phrase_model.h"
#include "security/injection_defence/rule_evaluator.h"
#include "security/injection_defence/rule_set.h"

namespace toolgate::security::injection_defence {
namespace {

constexpr double kAlpha = 0.12;
constexpr double kBeta = 1;
constexpr double kL1 = 1.5;
constexpr double kL2 = 1.5;
constexpr int kRounds = 14;
// Smaller weights are dropped at the end.
constexpr double kLeastWeight = 0.19;
// Harmless calibration texts that may reach a weight of 0.7.
constexpr double kFalseAlarms = 0.001;
constexpr double kScale = 0.55;
constexpr uint32_t kLeastTexts = 2;  // In which a feature must occur.

struct Window {
  std::vector<uint32_t> features;
};

struct Text {
  bool attack = false;
  double weight = 1;
  std::string category;
  std::vector<Window> windows;
};

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

class Trainer {
 public:
  explicit Trainer(RuleSet rules)
      : rules_(std::move(rules)), matcher_(rules_), evaluator_(rules_), phrases_(NamesOf(rules_)) {
    for (size_t c = 0; c < phrases_.classes.size(); ++c) {
      if (phrases_.classes[c] != 0) parts_[phrases_.classes[c]] = absl::StrCat("@", rules_.class_names()[c]);
    }
    for (size_t r = 0; r < phrases_.rules.size(); ++r) {
      parts_[phrases_.rules[r]] = absl::StrCat("#", rules_.rules()[r].id);
      parts_[phrases_.excused_rules[r]] = absl::StrCat("#", rules_.rules()[r].id, "?");
    }
    parts_[HashOfWord("^")] = "^";
    parts_[HashOfWord("0")] = "0";
  }

  // `learn`: features that were never seen become known.
  std::vector<Text> Read(const std::string& path, bool learn) {
    std::vector<Text> texts;
    std::ifstream in(path);
    std::string line;
    while (std::getline(in, line)) {
      if (line.empty()) continue;
      const auto json = ParseJson(line);
      if (!json.ok()) continue;
      Text text;
      text.attack = json->value("label", 0) == 1;
      text.weight = json->value("weight", 1.0);
      text.category = json->value("category", path);
      AddWindows(json->value("text", ""), learn, text);
      if (!text.windows.empty()) texts.push_back(std::move(text));
    }
    return texts;
  }

  // Before everything else.
  void StartFrom(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    while (std::getline(in, line)) {
      const size_t tab = line.rfind('\t');
      if (tab == std::string::npos) continue;
      const std::string key = line.substr(0, tab);
      const double weight = std::stod(line.substr(tab + 1));
      if (key == "bias:") {
        priors_[0] = weight;
      } else if (key != "centre:" && key != "scale:") {
        start_[HashOfPhrase(ParsePhrase(key))] = {key, weight};
      }
    }
  }

  void Train(std::vector<Text>& texts) {
    const size_t size = names_.size();
    z_.assign(size, 0);
    n_.assign(size, 0);
    std::mt19937 random(20261122);
    std::vector<Text*> order;
    for (Text& text : texts) order.push_back(&text);
    for (int round = 0; round < kRounds; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      double loss = 0;
      for (Text* text : order) loss += Learn(*text, round == 0);
      std::cerr << "round " << round << " loss " << loss / static_cast<double>(order.size()) << "\n";
    }
  }

  // Ends the training: the weights are from now on as Write writes them.
  void Freeze() {
    std::vector<double> frozen(names_.size());
    for (uint32_t f = 0; f < names_.size(); ++f) {
      const double weight = Round(Weight(f));
      frozen[f] = std::abs(weight) >= kLeastWeight || f == 0 ? weight : 0;
    }
    frozen_ = std::move(frozen);
  }

  double Score(const Text& text) const {
    double best = -1e9;
    for (const Window& window : text.windows) best = std::max(best, Sum(window));
    return best;
  }

  void Write(const std::string& path, double centre) const {
    std::ofstream out(path);
    out << "# Weights of the phrase model, trained by phrase_model_trainer: a linear model over the features that\n"
           "# phrase_features.h describes.\n"
        << "bias:\t" << Round(Weight(0)) << "\ncentre:\t" << Round(centre) << "\nscale:\t" << kScale << "\n";
    std::map<std::string, double> sorted;
    for (const auto& [hash, feature] : start_) {
      if (!ids_.contains(hash)) sorted[feature.name] = feature.weight;
    }
    for (uint32_t f = 1; f < names_.size(); ++f) {
      if (Weight(f) != 0) sorted[names_[f]] = Weight(f);
    }
    for (const auto& [name, weight] : sorted) out << name << "\t" << weight << "\n";
    std::cerr << sorted.size() << " features, " << misread_ << " of all seen have names that are read otherwise\n";
  }

  // Drops features of fewer than kLeastTexts texts.
  void Prune(std::vector<Text>& texts) {
    for (Text& text : texts) {
      for (Window& window : text.windows) {
        auto& features = window.features;
        features.erase(
            std::remove_if(features.begin(), features.end(),
                           [&](uint32_t f) { return f != 0 && counts_[f] < kLeastTexts && priors_[f] == 0; }),
            features.end());
      }
    }
  }

 private:
  static double Round(double weight) { return std::round(weight * 100) / 100; }

  void AddWindows(const std::string& raw, bool learn, Text& text) {
    TextView view;
    if (IsAscii(raw)) {
      Normaliser::FoldBlanks(raw, view);
    } else {
      HiddenText hidden;
      TextView tags;
      TextView selectors;
      Normaliser::FoldUnicode(raw, view, hidden, tags, selectors);
    }
    std::vector<LiteralMatch> literals;
    std::vector<RuleMatch> matches;
    std::vector<ClassSighting> sightings;
    Hints hints;
    std::vector<Word> words;
    ReadWords(view.text, words);
    matcher_.Scan(view.text, words, literals);
    evaluator_.Evaluate({view.text, raw, &view}, literals, matches, hints, sightings);
    std::vector<PhraseToken> tokens;
    std::vector<PhraseWindow> windows;
    ReadPhraseTokens(view.text, words, tokens);
    FindPhraseWindows(tokens, windows);
    if (learn) {
      for (const PhraseToken& token : tokens) Remember(token, view.text);
    }
    std::vector<std::vector<uint32_t>> by_token(tokens.size());
    std::unordered_map<uint32_t, bool> seen;
    std::unordered_map<uint32_t, uint32_t> lasts;  // The token at which a feature was seen last.
    ForEachPhrase(
        tokens, {sightings, matches}, phrases_, [](uint64_t) { return phrase_role::kEvery; },
        [&](uint32_t token, PhraseKind kind, uint64_t first, uint64_t second, uint64_t third) {
          const uint32_t id = Id(kind, first, second, third, learn);
          if (id == 0) return;
          const auto [last, is_new] = lasts.try_emplace(id, token);
          const bool repeated = !is_new && token - last->second <= kRepeatWords &&
                                tokens[last->second].sentence == tokens[token].sentence;
          last->second = token;
          if (repeated) return;
          by_token[token].push_back(id);
          if (learn && !seen[id]) {
            seen[id] = true;
            ++counts_[id];
          }
        });
    for (const PhraseWindow& window : windows) {
      Window& out = text.windows.emplace_back();
      out.features.push_back(0);  // The bias.
      for (uint32_t t = window.begin; t < window.end; ++t) {
        out.features.insert(out.features.end(), by_token[t].begin(), by_token[t].end());
      }
    }
  }

  void Remember(const PhraseToken& token, std::string_view text) {
    std::string& name = parts_[token.hash];
    if (!name.empty()) return;
    for (const char c : text.substr(token.start, token.end - token.start)) {
      name += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    // Both apostrophes are one in the hash.
    absl::StrReplaceAll({{"\xE2\x80\x99", "'"}}, &name);
  }

  uint32_t Id(PhraseKind kind, uint64_t first, uint64_t second, uint64_t third, bool learn) {
    const uint64_t hash = HashOfPhrase(kind, first, second, third);
    const auto known = ids_.find(hash);
    if (known != ids_.end()) return known->second;
    if (!learn) return 0;
    const auto id = static_cast<uint32_t>(names_.size());
    ids_[hash] = id;
    std::string name = parts_[first];
    if (second != 0)
      absl::StrAppend(&name,
                      kind == PhraseKind::kGap   ? " * "
                      : kind == PhraseKind::kFar ? " .. "
                                                 : " ",
                      parts_[second]);
    if (third != 0) absl::StrAppend(&name, " ", parts_[third]);
    // A name that is read back as another feature would give its weight to that.
    if (HashOfPhrase(ParsePhrase(name)) != hash) ++misread_;
    const auto prior = start_.find(hash);
    priors_.push_back(prior == start_.end() ? 0 : prior->second.weight);
    names_.push_back(std::move(name));
    counts_.push_back(0);
    return id;
  }

  double Weight(uint32_t f) const {
    if (!frozen_.empty()) return frozen_[f];
    const double z = z_[f];
    const double l1 = f == 0 ? 0 : kL1;
    if (std::abs(z) <= l1) return priors_[f];
    return priors_[f] + Moved(f, z - (z < 0 ? -l1 : l1));
  }
  double Moved(uint32_t f, double z) const { return -z / ((kBeta + std::sqrt(n_[f])) / kAlpha + kL2); }

  double Sum(const Window& window) const {
    double sum = 0;
    for (const uint32_t f : window.features) sum += Weight(f);
    return sum;
  }

  double Learn(const Text& text, bool first_round) {
    if (text.attack) {
      // In the first round the longest window, which is the whole of a short text.
      const auto best =
          std::max_element(text.windows.begin(), text.windows.end(), [&](const Window& a, const Window& b) {
            return first_round ? a.features.size() < b.features.size() : Sum(a) < Sum(b);
          });
      return Update(*best, 1, text.weight);
    }
    double loss = 0;
    for (const Window& window : text.windows) loss += Update(window, 0, text.weight);
    return loss;
  }

  double Update(const Window& window, double label, double weight) {
    const double p = 1 / (1 + std::exp(-Sum(window)));
    const double gradient = (p - label) * weight;
    for (const uint32_t f : window.features) {
      const double sigma = (std::sqrt(n_[f] + gradient * gradient) - std::sqrt(n_[f])) / kAlpha;
      z_[f] += gradient - sigma * (Weight(f) - priors_[f]);
      n_[f] += gradient * gradient;
    }
    return -weight * std::log(std::max(1e-9, label == 1 ? p : 1 - p));
  }

  const RuleSet rules_;
  const Matcher matcher_;
  const RuleEvaluator evaluator_;
  const PhraseNames phrases_;
  std::unordered_map<uint64_t, std::string> parts_;
  std::unordered_map<uint64_t, uint32_t> ids_;
  std::vector<std::string> names_ = {"bias"};
  std::vector<uint32_t> counts_ = {0};
  struct Feature {
    std::string name;
    double weight;
  };
  std::unordered_map<uint64_t, Feature> start_;  // Of the earlier model.
  size_t misread_ = 0;
  std::vector<double> priors_ = {0};  // The same by feature.
  std::vector<double> frozen_;        // The final weights, once there are any.
  std::vector<double> z_;
  std::vector<double> n_;
};

double CentreFor(const Trainer& trainer, const std::vector<Text>& harmless) {
  std::vector<double> scores;
  for (const Text& text : harmless) scores.push_back(trainer.Score(text));
  std::sort(scores.begin(), scores.end(), std::greater<>());
  const double edge = scores[static_cast<size_t>(static_cast<double>(scores.size()) * kFalseAlarms)];
  return edge - std::log(0.7 / 0.3) / kScale;
}

void Report(const Trainer& trainer, const std::string& path, const std::vector<Text>& texts, double centre) {
  std::map<std::string, std::pair<int, int>> found;
  for (const Text& text : texts) {
    auto& [flagged, all] = found[text.category];
    ++all;
    if (1 / (1 + std::exp((centre - trainer.Score(text)) * kScale)) >= 0.7) ++flagged;
  }
  std::cout << path << "\n";
  for (const auto& [category, counts] : found) {
    std::cout << "  " << category << " " << counts.first << " of " << counts.second << "\n";
  }
}

int Main(const std::vector<std::string>& arguments) {
  auto rules = RuleSet::Parse(InjectionRuleFiles());
  if (!rules.ok() || arguments.size() < 4) {
    std::cerr << "usage: phrase_model_trainer OUTPUT [--start MODEL] TRAIN... --calibrate FILE... [--test FILE...]\n"
              << rules.status();
    return 2;
  }
  Trainer trainer(*std::move(rules));
  std::vector<Text> train;
  std::vector<std::string> calibrate;
  std::vector<std::string> test;
  std::vector<std::string>* later = nullptr;
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == "--start") {
      trainer.StartFrom(arguments[++i]);
    } else if (arguments[i] == "--calibrate") {
      later = &calibrate;
    } else if (arguments[i] == "--test") {
      later = &test;
    } else if (later != nullptr) {
      later->push_back(arguments[i]);
    } else {
      for (Text& text : trainer.Read(arguments[i], true)) train.push_back(std::move(text));
    }
  }
  trainer.Prune(train);
  trainer.Train(train);
  trainer.Freeze();
  std::vector<Text> harmless;
  for (const std::string& path : calibrate) {
    for (Text& text : trainer.Read(path, false)) harmless.push_back(std::move(text));
  }
  const double centre = CentreFor(trainer, harmless);
  for (const std::string& path : test) Report(trainer, path, trainer.Read(path, false), centre);
  trainer.Write(arguments[0], centre);
  return 0;
}

}  // namespace
}  // namespace toolgate::security::injection_defence

int main(int argc, char** argv) {
  return toolgate::security::injection_defence::Main(std::vector<std::string>(argv + 1, argv + argc));
}
