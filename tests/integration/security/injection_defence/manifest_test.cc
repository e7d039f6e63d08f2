// The manifest of the released models describes them and the texts that they were made from.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
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

TEST(ManifestTest, NamesTheModelsByTheirDigests) {
  const Json manifest = Manifest();
  for (const char* file : {"sentence_model.tsv", "passage_model.tsv"}) {
    EXPECT_EQ(manifest["models"].value(file, ""), DigestOf(kModels / file)) << file;
  }
  EXPECT_EQ(manifest["models"].size(), 2U);
}

// The digest is that of the output of `sha256sum author_*.jsonl` in the C locale.
TEST(ManifestTest, NamesTheTextsThatTheModelsWereTrainedOn) {
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

TEST(ManifestTest, RepeatsTheCalibrationOfTheModels) {
  const Json calibration = Manifest()["calibration"];
  const auto sentences = *wording::PhraseModel::Parse(ReadFile(kModels / "sentence_model.tsv"));
  const auto passages = *wording::PhraseModel::Parse(ReadFile(kModels / "passage_model.tsv"));
  for (const char* setting : {"gate", "centre", "scale"}) {
    EXPECT_EQ(calibration[setting], sentences.setting(setting)) << setting;
  }
  EXPECT_EQ(calibration["sentence_bias"], sentences.setting("bias"));
  EXPECT_EQ(calibration["passage_bias"], passages.setting("bias"));
}

}  // namespace
}  // namespace toolgate::security::injection_defence::models
