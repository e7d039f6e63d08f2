#include "observability/finding_counter.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::observability {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class FindingCounterTest : public ::testing::Test {
 protected:
  // Values by labels, "action source tool family", of one of the two metrics.
  std::map<std::string, double> Read(size_t metric) const {
    std::map<std::string, double> values;
    const std::vector<prometheus::MetricFamily> families = counter_.Collect();
    for (const auto& series : families.at(metric).metric) {
      std::string labels;
      for (const auto& label : series.label) labels += (labels.empty() ? "" : " ") + label.value;
      values[labels] = series.counter.value;
    }
    return values;
  }
  std::map<std::string, double> Findings() const { return Read(0); }
  std::map<std::string, double> Calls() const { return Read(1); }

  FindingCounter counter_{{"save_memory", "notes_create", "unknown"}, {"role_spoofing", "wording"}};
};

TEST_F(FindingCounterTest, CallsAreExportedBeforeTheFirstFindingAndFindingsWhenCounted) {
  EXPECT_THAT(Calls(), UnorderedElementsAre(Pair("record arguments", 0), Pair("ask arguments", 0),
                                            Pair("refuse arguments", 0), Pair("record outside", 0)));
  EXPECT_TRUE(Findings().empty());
}

TEST_F(FindingCounterTest, CountsEachFindingAndEachCallOnce) {
  const std::vector<CallFinding> findings = {{"wording", FindingAction::kRecord, FindingSource::kArguments},
                                             {"wording", FindingAction::kRecord, FindingSource::kArguments},
                                             {"role_spoofing", FindingAction::kRefuse, FindingSource::kArguments},
                                             {"wording", FindingAction::kRecord, FindingSource::kOutside}};
  counter_.Count(1, findings);
  EXPECT_THAT(Findings(), UnorderedElementsAre(Pair("record arguments notes_create wording", 2),
                                               Pair("refuse arguments notes_create role_spoofing", 1),
                                               Pair("record outside notes_create wording", 1)));
  EXPECT_THAT(Calls(), UnorderedElementsAre(Pair("record arguments", 1), Pair("ask arguments", 0),
                                            Pair("refuse arguments", 1), Pair("record outside", 1)));
}

TEST_F(FindingCounterTest, UnknownFamiliesAreOneRowWhateverTheirNames) {
  for (const std::string family : {"made up", "another"}) {
    const CallFinding finding{family, FindingAction::kAsk, FindingSource::kArguments};
    counter_.Count(0, {&finding, 1});
  }
  EXPECT_THAT(Findings(), ElementsAre(Pair("ask arguments save_memory other", 2)));
}

}  // namespace
}  // namespace toolgate::observability
