// Checks any text as an artifact of the type that its first byte selects: every problem lies in the text, and a source
// that a local fix has changed is checked as well. The same text is taken for a model's answer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "executors/artifacts/answer_text.h"
#include "executors/artifacts/artifact_check.h"
#include "executors/artifacts/title.h"

namespace {

namespace artifacts = toolgate::executors::artifacts;
using artifacts::ArtifactType;

constexpr ArtifactType kTypes[] = {ArtifactType::kReact, ArtifactType::kHtml,    ArtifactType::kSvg,
                                   ArtifactType::kCode,  ArtifactType::kMermaid, ArtifactType::kMarkdown};

void Require(bool right, std::string_view what, std::string_view text) {
  if (right) return;
  std::cerr << what << ": " << text << "\n";
  std::abort();
}

void Check(std::string_view text, ArtifactType type, const artifacts::ArtifactPolicy& policy) {
  size_t lines = 1;
  for (const char c : text) lines += c == '\n' ? 1 : 0;
  for (const auto& problem : artifacts::ValidateCode(text, type, "c", policy)) {
    Require(problem.line >= 1 && static_cast<size_t>(problem.line) <= lines && problem.column >= 1, "a place outside",
            text);
    Require(!problem.rule.empty() && !problem.message.empty(), "an empty problem", text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  // In the corpus, a digit, so that people can read it.
  const ArtifactType type = kTypes[data[0] % 6];
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  artifacts::ArtifactPolicy policy;
  policy.html.hosts = {"cdn.example"};
  policy.react.modules = {"react"};
  Check(text, type, policy);
  const std::string fixed = artifacts::FixLocally(text, type);
  if (fixed != text) Check(fixed, type, policy);
  const artifacts::ExtractedSource source = artifacts::StripWrapping(text, type);
  Require(source.code.empty() || source.code.back() == '\n', "a source without its last line end", text);
  static_cast<void>(artifacts::IsRefusal(text, type));
  Require(artifacts::TitleOf({type, "prompt", "", ""}, text).size() <= artifacts::kMaxTitleBytes + 3, "a long title",
          text);
  return 0;
}
