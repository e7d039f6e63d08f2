#include "security/injection_defence/detector.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/brief_section.h"
#include "common/status_macros.h"
#include "security/injection_defence/detection_run.h"
#include "security/injection_defence/text/shape.h"

namespace toolgate::security::injection_defence {
namespace {

// Longer texts are read in windows that overlap enough for every attack to lie within one of them.
constexpr size_t kWindowBytes = size_t{1} << 16;
constexpr size_t kOverlapBytes = size_t{1} << 11;

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

}  // namespace

Detector::Detector(const DetectorOptions& options, std::shared_ptr<const models::DetectionModel> model)
    : options_(options), model_(std::move(model)) {}

absl::StatusOr<std::unique_ptr<Detector>> Detector::Create(const DetectorOptions& options) {
  if (!(options.threshold > 0 && options.threshold <= 1)) {
    return absl::InvalidArgumentError("the detector's threshold must be above 0 and at most 1");
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const models::DetectionModel> model, models::DetectionModel::Embedded());
  return std::unique_ptr<Detector>(new Detector(options, std::move(model)));
}

absl::StatusOr<std::unique_ptr<Detector>> Detector::CreateWithRules(const DetectorOptions& options,
                                                                    rules::RuleSet rules) {
  return std::unique_ptr<Detector>(
      new Detector(options, std::make_shared<const models::DetectionModel>(std::move(rules), wording::Wording())));
}

Detection Detector::Detect(std::string_view text, Effort effort) const {
  BriefSection::Note("a scan for injections");
  Detection detection;
  KnownFindings known;
  if (text::IsPlainToken(text)) return detection;
  for (size_t start = 0; start < text.size();) {
    size_t end = std::min(text.size(), start + kWindowBytes);
    while (end < text.size() && end > start + 1 && IsContinuation(text[end])) --end;
    DetectionRun run(*model_, options_.max_decoded_bytes, options_.max_decode_depth, static_cast<uint32_t>(start),
                     known, detection);
    run.Run(text.substr(start, end - start), effort);
    if (end == text.size()) break;
    start = end - kOverlapBytes;
    while (IsContinuation(text[start]) && start > end - kOverlapBytes - 4) --start;
  }
  Score(detection, options_.threshold);
  return detection;
}

}  // namespace toolgate::security::injection_defence
