#include "cli/load/profile/template.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/load/profile/generators.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/status_macros.h"

namespace toolgate::cli::load::profile {
namespace {

constexpr int64_t kMostWords = 100'000;
constexpr int64_t kMostText = int64_t{1} << 20;
constexpr int64_t kMostDays = int64_t{366} * 1000;

absl::Status Invalid(std::string_view placeholder, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("placeholder {{", ToAbsl(placeholder), "}}: ", ToAbsl(what)));
}

// Splits a placeholder at blanks; a word in apostrophes may contain blanks.
absl::StatusOr<std::vector<std::string>> SplitWords(std::string_view text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    const bool quoted = text[at] == '\'';
    const size_t begin = quoted ? at + 1 : at;
    const size_t end = text.find(quoted ? '\'' : ' ', begin);
    if (quoted && end == std::string_view::npos) return Invalid(text, "an apostrophe without its other");
    words.emplace_back(text.substr(begin, end - begin));
    at = end == std::string_view::npos ? text.size() : end + 1;
  }
  return words;
}

// Reads `count` whole numbers from `min` to `max` behind the placeholder's name. A missing second one equals the first.
absl::StatusOr<std::pair<int64_t, int64_t>> Bounds(std::string_view text, const std::vector<std::string>& words,
                                                   int64_t min, int64_t max, bool one_is_enough) {
  int64_t low = 0;
  int64_t high = 0;
  const bool two = words.size() == 3;
  if (!two && !(one_is_enough && words.size() == 2)) {
    return Invalid(text, one_is_enough ? "needs one or two whole numbers" : "needs two whole numbers");
  }
  if (!absl::SimpleAtoi(words[1], &low) || !absl::SimpleAtoi(words[two ? 2 : 1], &high)) {
    return Invalid(text, "needs whole numbers");
  }
  if (low < min || high > max || low > high) {
    return Invalid(text, absl::StrCat("the numbers must be from ", min, " to ", max, ", the smaller one first"));
  }
  return std::pair(low, high);
}

int64_t Between(std::pair<int64_t, int64_t> bounds, schedule::Random& random) {
  const uint64_t span = static_cast<uint64_t>(bounds.second) - static_cast<uint64_t>(bounds.first) + 1;
  const uint64_t offset = span == 0 ? random.Next() : random.Below(span);
  return static_cast<int64_t>(static_cast<uint64_t>(bounds.first) + offset);
}

// `text` as it stands inside of a JSON string.
std::string Escaped(std::string_view text) {
  std::string quoted;
  AppendJsonString(text, quoted);
  return quoted.substr(1, quoted.size() - 2);
}

void AppendDate(absl::CivilDay day, std::string& out) {
  absl::StrAppendFormat(&out, "%04d-%02d-%02d", day.year(), day.month(), day.day());
}

std::optional<PoolDraw> DrawOf(const std::vector<std::string>& words) {
  if (words[0] == "take") return words.size() == 2 ? std::optional(PoolDraw::kTake) : std::nullopt;
  if (words.size() == 2) return PoolDraw::kAny;
  if (words.size() != 3) return std::nullopt;
  if (words[2] == "zipf") return PoolDraw::kZipf;
  if (words[2] == "last") return PoolDraw::kLast;
  return std::nullopt;
}

// Placeholders without parameters.
std::optional<Generator> PlainGenerator(std::string_view name) {
  if (name == "sequence") return [](const auto& in, auto& out) { return absl::StrAppend(&out, in.call), true; };
  if (name == "uuid") return [](const auto& in, auto& out) { return AppendUuid(in.random, out), true; };
  if (name == "run") return [](const auto& in, auto& out) { return out += in.run, true; };
  if (name == "workspace") return [](const auto& in, auto& out) { return out += in.workspace, true; };
  if (name == "user") return [](const auto& in, auto& out) { return out += in.user, true; };
  return std::nullopt;
}

// Placeholders with one or two numbers: their ranges, and the text for a number between the two.
struct NumberRow {
  std::string_view name;
  int64_t min;
  int64_t max;
  bool one_is_enough;
  void (*append)(int64_t number, const TemplateInput& in, std::string& out);
};

constexpr int64_t kMostInteger = std::numeric_limits<int64_t>::max();
constexpr std::array<NumberRow, 4> kNumberRows = {{
    {"integer", -kMostInteger, kMostInteger, false,
     [](int64_t number, const TemplateInput&, std::string& out) { absl::StrAppend(&out, number); }},
    {"date", -kMostDays, kMostDays, true,
     [](int64_t number, const TemplateInput& in, std::string& out) { AppendDate(in.today + number, out); }},
    {"words", 1, kMostWords, true,
     [](int64_t number, const TemplateInput& in, std::string& out) {
       AppendWords(static_cast<size_t>(number), in.random, out);
     }},
    {"text", 1, kMostText, true,
     [](int64_t number, const TemplateInput& in, std::string& out) {
       AppendText(static_cast<size_t>(number), in.random, out);
     }},
}};

absl::StatusOr<Generator> NumberGenerator(std::string_view text, const std::vector<std::string>& words,
                                          const NumberRow& row) {
  ASSIGN_OR_RETURN(const auto bounds, Bounds(text, words, row.min, row.max, row.one_is_enough));
  return Generator([bounds, append = row.append](const TemplateInput& in, std::string& out) {
    append(Between(bounds, in.random), in, out);
    return true;
  });
}

absl::StatusOr<Generator> ChoiceGenerator(std::string_view text, const std::vector<std::string>& words) {
  std::vector<std::string> choices;
  for (size_t i = 1; i < words.size(); ++i) choices.push_back(Escaped(words[i]));
  if (choices.empty()) return Invalid(text, "needs words to choose from");
  return Generator([choices, zipf = words[0] == "zipf"](const TemplateInput& in, std::string& out) {
    out += choices[zipf ? in.random.ZipfBelow(choices.size()) : in.random.Below(choices.size())];
    return true;
  });
}

absl::StatusOr<Generator> IdGenerator(std::string_view text, const std::vector<std::string>& words,
                                      const FindPool& find_pool) {
  const std::optional<PoolDraw> draw = words.size() < 2 ? std::nullopt : DrawOf(words);
  if (!draw.has_value()) return Invalid(text, "write {{id POOL}}, {{id POOL zipf}}, {{id POOL last}} or {{take POOL}}");
  ASSIGN_OR_RETURN(const size_t pool, find_pool(words[1]));
  return Generator([pool, how = *draw](const TemplateInput& in, std::string& out) {
    const std::optional<std::string> id = in.pools.Draw(pool, how, in.random);
    if (id.has_value()) out += Escaped(*id);
    return id.has_value();
  });
}

absl::StatusOr<Generator> MakeGenerator(std::string_view text, const FindPool& find_pool) {
  ASSIGN_OR_RETURN(const std::vector<std::string> words, SplitWords(text));
  const std::string name = words.empty() ? "" : words[0];
  if (std::optional<Generator> plain = PlainGenerator(name)) {
    if (words.size() > 1) return Invalid(text, "takes nothing");
    return *std::move(plain);
  }
  for (const NumberRow& row : kNumberRows) {
    if (row.name == name) return NumberGenerator(text, words, row);
  }
  if (name == "choice" || name == "zipf") return ChoiceGenerator(text, words);
  if (name == "id" || name == "take") return IdGenerator(text, words, find_pool);
  return Invalid(text,
                 "unknown; there are sequence, integer, choice, zipf, uuid, words, text, date, id, take, run, "
                 "workspace and user");
}

}  // namespace

absl::StatusOr<Template> Template::Parse(std::string_view text, const FindPool& find_pool) {
  Template made;
  for (size_t at = 0; at < text.size();) {
    const size_t open = text.find("{{", at);
    Part part;
    part.literal = text.substr(at, open == std::string_view::npos ? open : open - at);
    at = text.size();
    if (open != std::string_view::npos) {
      const size_t close = text.find("}}", open);
      if (close == std::string_view::npos) return absl::InvalidArgumentError("a placeholder \"{{\" without \"}}\"");
      ASSIGN_OR_RETURN(part.generator, MakeGenerator(text.substr(open + 2, close - open - 2), find_pool));
      at = close + 2;
    }
    made.parts_.push_back(std::move(part));
  }
  RETURN_IF_ERROR(made.Try());
  return made;
}

bool Template::Expand(const TemplateInput& input, std::string& out) const {
  for (const Part& part : parts_) {
    out += part.literal;
    if (part.generator && !part.generator(input, out)) return false;
  }
  return true;
}

bool Template::constant() const {
  return std::none_of(parts_.begin(), parts_.end(), [](const Part& part) { return bool{part.generator}; });
}

absl::Status Template::Try() const {
  constexpr int kTrials = 8;
  for (int trial = 0; trial < kTrials; ++trial) {
    schedule::Random random(1, static_cast<uint64_t>(trial));
    Pools pools(Pools::kMostPools);
    for (size_t pool = 0; pool < Pools::kMostPools; ++pool) {
      for (int i = 0; i < 8; ++i) pools.Add(pool, "01jq8zs2m4x7k9v3b5n6p8r0tw", random);
    }
    std::string text;
    Expand({random, pools, trial, "run", "workspace", "user", absl::CivilDay(2026, 3, 2)}, text);
    const absl::StatusOr<Json> json = ParseJson(text);
    if (!json.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("expands to text that is no JSON: ", json.status().message(),
                                                     "; it was: ", text.substr(0, 200)));
    }
    if (!json->is_object()) return absl::InvalidArgumentError("expands to JSON that is no object");
  }
  return absl::OkStatus();
}

}  // namespace toolgate::cli::load::profile
