// One pass of the detector over one window of a text.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_DETECTION_RUN_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_DETECTION_RUN_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "security/injection_defence/detection.h"
#include "security/injection_defence/disguise.h"
#include "security/injection_defence/models/detection_model.h"
#include "security/injection_defence/readings.h"
#include "security/injection_defence/rules/rule_evaluator.h"
#include "security/injection_defence/text/readability.h"
#include "security/injection_defence/text/text_view.h"
#include "security/injection_defence/text/words.h"
#include "security/injection_defence/wording/wording.h"
#include "security/injection_defence/work_budget.h"

namespace toolgate::security::injection_defence {

// Rule and offset.
using KnownFindings = absl::flat_hash_set<std::pair<const char*, int64_t>>;

// Applies the readings of readings.h to the window, and to every text decoded from it, as far as the window's own
// WorkBudget reaches: what is found in a window does not depend on the text around it. Binary data is read as it
// stands, and in all ways only where it has runs of text. Borrows; used once, by one thread.
class DetectionRun {
 public:
  // Adds to `detection` and `known`, which are shared by the windows of one text; the window begins at byte `base` of
  // it. `max_decoded_bytes` and `max_decode_depth` are those of DetectorOptions.
  DetectionRun(const models::DetectionModel& model, size_t max_decoded_bytes, int max_decode_depth, uint32_t base,
               KnownFindings& known, Detection& detection);

  void Run(std::string_view window, Effort effort = Effort::kAllReadings);

  // Texts that were read in all ways.
  size_t readings() const { return readings_; }

 private:
  // Origin of a text that is read in all ways.
  struct Place {
    const text::TextView* way = nullptr;  // Mapping from the text to the window; null: the text is the window.
    int depth = 0;                        // Number of decodings.
    std::string_view reading = {};        // The row that made it from the window; empty: it is the window.
    bool free = false;                    // It is the window, or a part: reading it is not charged to the budget.
  };
  // A long text that waits to be read.
  struct Waiting {
    text::TextView view;
    Place place;  // Without `way`.
    bool in_torn_words;
  };
  // A reading to examine. Borrows.
  struct Look {
    const rules::Scanned& scanned;
    const Place& place;
    const DisguiseRow& disguise;
    std::string_view reading;
  };

  void ReadAll(std::string_view raw, const Place& place);
  void ReadAsWritten(std::string_view window);
  void ReadRuns(std::string_view window, const std::vector<text::Stretch>& runs);
  void ReadStage(Stage stage, SourceText& source, const Place& place);
  void ReadWaiting();
  // The same for a text of `place` that was made by decoding; shorter ones are read at once.
  void Queue(text::TextView view, const Place& place);
  void Take(const Reading& reading, SourceText& source, const Place& place);
  // `view` may be moved from; null: the unchanged source.
  void Scan(const Reading& reading, text::TextView* view, SourceText& source, const Place& place);
  void ReadAgain(const Reading& reading, text::TextView& view, const Place& place);

  // Looks for rules and wording in a reading whose words are in `words_`.
  void LookAt(const Look& look, rules::Hints& hints);
  // Queries the wording models; false if they were not queried or have learnt nothing.
  bool Judge(const Look& look, const wording::PhraseEvidence& evidence,
             std::vector<wording::WordingScore>& scores) const;
  void AddRules(const Look& look, const std::vector<rules::RuleMatch>& matches,
                const std::vector<wording::WordingScore>& scores, bool judged);
  bool IsBeyondDoubt(const rules::RuleMatch& match, const std::vector<rules::RuleMatch>& matches) const;
  void AddWording(const Look& look, const std::vector<wording::WordingScore>& scores,
                  const std::vector<rules::RuleMatch>& matches);
  void AddHidden(const text::HiddenText& hidden, const Look& look);

  // True if the rule was seen in an earlier reading. Examines only the first findings, which is enough.
  bool Knows(const rules::Rule& rule) const;
  uint32_t Offset(uint32_t raw, const Place& place) const {
    return base_ + (place.way == nullptr ? raw : place.way->origin[raw]);
  }
  void AddEvidence(const Evidence& evidence, uint32_t offset, const Look& look);
  // Notes once in a text why the window is not read in every way.
  void AddUnreadable(const Evidence& evidence);
  // False if the rule was already found in this place, in another reading.
  bool Add(const DetectedRule& finding);

  const models::DetectionModel& model_;
  const int max_decode_depth_;
  const uint32_t base_;
  KnownFindings& known_;
  Detection& detection_;
  std::vector<text::Word>& words_;  // Of the last reading that was examined.
  size_t budget_;                   // Bytes that may still be decoded.
  WorkBudget work_{0};
  std::deque<Waiting> waiting_;
  size_t waiting_bytes_ = 0;
  size_t readings_ = 0;
  bool in_torn_words_ = false;  // The current text had tags in its words.
  double plain_wording_ = 0;    // The highest weight of the undisguised wording.
};

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_DETECTION_RUN_H_
