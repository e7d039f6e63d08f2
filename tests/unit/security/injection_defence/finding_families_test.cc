#include "security/injection_defence/finding_families.h"

#include <set>
#include <string_view>

#include "gtest/gtest.h"
#include "security/injection_defence/disguise.h"
#include "security/injection_defence/models/detection_model.h"

namespace toolgate::security::injection_defence {
namespace {

TEST(FindingFamiliesTest, AreThoseOfTheRulesTheDisguisesAndTheWording) {
  const auto model = models::DetectionModel::Embedded().value();
  std::set<std::string_view> families = {"wording", kDisguised.family, kEncoded.family, kBinary.family,
                                         kTooMuchWork.family};
  for (const rules::Rule& rule : model->rules().rules()) families.insert(rule.family);
  EXPECT_EQ(families, std::set<std::string_view>(kFindingFamilies.begin(), kFindingFamilies.end()));
}

}  // namespace
}  // namespace toolgate::security::injection_defence
