#include "security/injection_defence/detection.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "security/injection_defence/finding_families.h"

namespace toolgate::security::injection_defence {
namespace {

// Range in bytes over which findings add up, and the share of a finding's weight that counts in it: a sentence or two,
// a paragraph, the whole.
struct Span {
  uint32_t bytes;
  double factor;
};
constexpr std::array<Span, 3> kSpans = {{{400, 1.0}, {2000, 0.85}, {0xFFFFFFFFu, 0.6}}};

// Evidence at which the wording counts in full; below it, in proportion.
constexpr double kFullEvidence = 0.3;

// Findings within `span` bytes from the first of `findings`: the noisy-or of rules and disguises, strengthened by the
// wording in the same sentences. Without either the wording counts for nothing. Signals count
// only as evidence for the wording. Each rule counts once; of a family's excused and doubted ones, which are mostly the
// same words seen by several rules, only the first counts.
double ScoreFrom(const DetectedRule* first, const DetectedRule* end, const Span& span) {
  constexpr size_t kMostRules = 24;
  constexpr ptrdiff_t kMostFindings = 256;
  std::array<const char*, kMostRules> seen;
  std::array<std::string_view, kMostRules> excused;
  size_t count = 0;
  size_t excused_count = 0;
  double clean = 1;
  double no_signal = 1;
  double wording = 0;
  for (const DetectedRule* f = first; f != end && count < kMostRules && f - first < kMostFindings; ++f) {
    const uint64_t distance = static_cast<uint64_t>(f->offset - first->offset);
    if (distance > span.bytes) break;
    if (f->family == kWordingFamily) {
      if (distance <= kSpans[0].bytes) wording = std::max(wording, f->weight);
      continue;
    }
    if (std::find(seen.begin(), seen.begin() + count, f->rule_id.data()) != seen.begin() + count) continue;
    seen[count++] = f->rule_id.data();
    if (f->family == kSignalFamily) {
      if (distance <= kSpans[0].bytes) no_signal *= 1 - f->weight;
      continue;
    }
    if (f->excused || f->doubted) {
      if (std::find(excused.begin(), excused.begin() + excused_count, f->family) != excused.begin() + excused_count) {
        continue;
      }
      excused[excused_count++] = f->family;
    }
    clean *= 1 - f->weight * (f == first ? 1.0 : span.factor);
  }
  const double evidence = 1 - clean * no_signal;
  return 1 - clean * (1 - wording * std::min(1.0, evidence / kFullEvidence));
}

}  // namespace

void Score(Detection& detection, double threshold) {
  auto& findings = detection.findings;
  std::stable_sort(findings.begin(), findings.end(), [](const DetectedRule& a, const DetectedRule& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.weight > b.weight;
  });
  const DetectedRule* const end = findings.data() + findings.size();
  for (const Span& span : kSpans) {
    for (const DetectedRule* f = findings.data(); f != end; ++f) {
      detection.score = std::max(detection.score, ScoreFrom(f, end, span));
    }
  }
  detection.flagged = detection.score >= threshold;
}

}  // namespace toolgate::security::injection_defence
