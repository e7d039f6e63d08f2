#include "security/safe_errors/inspect_redact.h"

#include "gtest/gtest.h"

namespace toolgate::security::safe_errors {
namespace {

TEST(InspectRedactTest, AnswersTheMaskedTextAndWhatWasMasked) {
  EXPECT_EQ(*InspectRedact(Masker(), R"({"text":"ask jane@example.org"})"),
            R"({"text":"ask [masked:email]","masked":true,"kinds":["email"]})");
  EXPECT_EQ(*InspectRedact(Masker(), R"({"text":"ask Jane"})"), R"({"text":"ask Jane","masked":false,"kinds":[]})");
}

TEST(InspectRedactTest, RefusesWhatIsNoText) {
  EXPECT_EQ(InspectRedact(Masker(), "{\"text\":5}").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(InspectRedact(Masker(), "x").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace toolgate::security::safe_errors
