#include "security/identity/service_directory.h"

#include <string>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::security::identity {
namespace {

ServiceDirectory Directory() {
  config::v1::Identity config;
  auto& services = *config.mutable_services();
  services["planner"].add_certificate_names("spiffe://example.org/planner");
  services["planner"].add_certificate_names("planner.internal");
  services["batch"].add_certificate_names("cn:batch");
  services["batch"].add_workspaces("acme");
  return *ServiceDirectory::Create(config);
}

std::string Found(const PeerCertificate& certificate) {
  const ServiceDirectory directory = Directory();
  const auto service = directory.Find(certificate);
  if (service.ok()) return (*service)->name;
  EXPECT_EQ(GetToolError(service.status())->code, ErrorCode::kUnauthorized);
  return "";
}

TEST(ServiceDirectoryTest, FindsByEachKindOfName) {
  EXPECT_EQ(Found({.uris = {"spiffe://example.org/planner"}}), "planner");
  EXPECT_EQ(Found({.dns_names = {"planner.internal"}}), "planner");
  EXPECT_EQ(Found({.dns_names = {"x.internal", "PLANNER.internal"}}), "planner");
  EXPECT_EQ(Found({.uris = {"spiffe://example.org/planner"}, .dns_names = {"planner.internal"}}), "planner");
  EXPECT_EQ(Found({.common_name = "batch"}), "batch");
}

TEST(ServiceDirectoryTest, TakesNoNameForAnotherKindOfName) {
  const PeerCertificate strangers[] = {
      {},
      {.uris = {"spiffe://example.org/planner/"}},
      {.uris = {"spiffe://example.org/Planner"}},
      {.uris = {"planner.internal"}},
      {.uris = {"cn:batch"}},
      {.dns_names = {"spiffe://example.org/planner"}},
      {.dns_names = {"*.internal"}},
      {.dns_names = {"batch"}},
      {.common_name = "planner.internal"},
      {.common_name = "spiffe://example.org/planner"},
      {.common_name = "BATCH"},
      {.common_name = "cn:batch"},
  };
  for (const PeerCertificate& certificate : strangers) EXPECT_EQ(Found(certificate), "");
}

TEST(ServiceDirectoryTest, ACommonNameCountsOnlyAlone) {
  EXPECT_EQ(Found({.dns_names = {"elsewhere.internal"}, .common_name = "batch"}), "");
  EXPECT_EQ(Found({.uris = {"https://elsewhere"}, .common_name = "batch"}), "");
}

TEST(ServiceDirectoryTest, RefusesACertificateOfTwoServices) {
  config::v1::Identity config;
  (*config.mutable_services())["a"].add_certificate_names("a.internal");
  (*config.mutable_services())["b"].add_certificate_names("b.internal");
  const auto directory = ServiceDirectory::Create(config);
  EXPECT_FALSE(directory->Find({.dns_names = {"a.internal", "b.internal"}}).ok());
}

TEST(ServiceDirectoryTest, RefusesANameThatStandsForTwo) {
  config::v1::Identity config;
  (*config.mutable_services())["a"].add_certificate_names("a.internal");
  (*config.mutable_services())["b"].add_certificate_names("A.internal");
  EXPECT_EQ(ServiceDirectory::Create(config).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace toolgate::security::identity
