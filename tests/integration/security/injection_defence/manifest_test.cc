// The manifest of the released model describes it and the texts that it was made from.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/digest.h"
#include "common/json.h"
#include "gtest/gtest.h"
#include "security/injection_defence/wording/phrase_model.h"
#include "tests/support/source_dir.h"

namespace toolgate::security::injection_defence::models {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = SourceDir();
const fs::path kModels = kRoot / "security/injection_defence/models";
const fs::path kTexts = kRoot / "training/injection_defence/texts";

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}
std::string DigestOf(const fs::path& path) { return HexEncode(Sha256(ReadFile(path))); }

Json Manifest() { return Json::parse(ReadFile(kModels / "manifest.json")); }

TEST(ManifestTest, NamesTheModelByItsDigest) {
  const Json manifest = Manifest();
  for (const char* file : {"wording_model.tsv", "function_words.txt"}) {
    EXPECT_EQ(manifest["models"].value(file, ""), DigestOf(kModels / file)) << file;
  }
  EXPECT_EQ(manifest["models"].size(), 2U);
}

// The digest is that of the output of `sha256sum author_*.jsonl` in the C locale.
TEST(ManifestTest, NamesTheTextsThatTheModelWasTrainedOn) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kTexts)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::string lines;
  int64_t texts = 0;
  for (const fs::path& file : files) {
    const std::string bytes = ReadFile(file);
    lines += HexEncode(Sha256(bytes)) + "  " + file.filename().string() + "\n";
    texts += std::count(bytes.begin(), bytes.end(), '\n');
  }
  const Json corpus = Manifest()["corpus"];
  EXPECT_EQ(corpus["sha256"], HexEncode(Sha256(lines)));
  EXPECT_EQ(corpus["authors"], files.size());
  EXPECT_EQ(corpus["texts"], texts);
}

TEST(ManifestTest, RepeatsTheCalibrationOfTheModel) {
  const Json calibration = Manifest()["calibration"];
  const auto model = *wording::PhraseModel::Parse(ReadFile(kModels / "wording_model.tsv"));
  for (const auto& [setting, value] : calibration.items()) EXPECT_EQ(value, model.setting(setting)) << setting;
  for (const char* setting : {"bias", "scale", "centre.latin"}) EXPECT_TRUE(calibration.contains(setting)) << setting;
}

// They tell the language, and not what is said.
TEST(ManifestTest, FunctionWordsCarryNoWeight) {
  std::set<std::string> function_words = {"^", "0", "*", ".."};
  std::istringstream words(ReadFile(kModels / "function_words.txt"));
  for (std::string word; std::getline(words, word);) function_words.insert(word);
  ASSERT_GT(function_words.size(), 500U);
  std::istringstream model(ReadFile(kModels / "wording_model.tsv"));
  int features = 0;
  for (std::string line; std::getline(model, line);) {
    const std::string feature = line.substr(0, line.rfind('\t'));
    if (line.rfind("# ", 0) == 0 || feature.back() == ':') continue;
    std::istringstream parts(feature);
    bool says_something = false;
    for (std::string part; parts >> part;) says_something |= !function_words.contains(part);
    EXPECT_TRUE(says_something) << line;
    ++features;
  }
  EXPECT_GT(features, 10'000);
}

}  // namespace
}  // namespace toolgate::security::injection_defence::models
