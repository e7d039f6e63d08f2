#include "services/app/configured_secrets.h"

#include <google/protobuf/descriptor.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "executors/artifacts/settings.pb.h"
#include "executors/registration/registration.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "security/safe_errors/masker.h"
#include "services/config/config.h"
#include "tests/support/temp_dir.h"

namespace toolgate::services::app {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using security::safe_errors::KnownSecrets;
using security::safe_errors::Masker;
using security::safe_errors::MaskLevel;
using ::testing::UnorderedElementsAre;

class ConfiguredSecretsTest : public ::testing::Test {
 protected:
  std::string Put(const std::string& name, const std::string& content) const {
    const std::string path = dir_.path() + "/" + name;
    std::ofstream(path, std::ios::trunc) << content;
    EXPECT_EQ(chmod(path.c_str(), 0600), 0);
    return path;
  }
  std::string Masked(const std::string& text) const { return Masker(MaskLevel::kKnown, &known_).Mask(text); }

  const testing::TempDir dir_;
  toolgate::config::v1::Config config_ = config::Load({}).value();
  KnownSecrets known_;
  ConfiguredSecrets secrets_{known_};
};

// Names of all settings that may name a secret's place: who adds one decides what it is.
TEST_F(ConfiguredSecretsTest, KnowsEverySettingThatNamesASecret) {
  std::set<std::string> names;
  std::set<const Descriptor*> seen;
  const std::function<void(const Descriptor*)> visit = [&](const Descriptor* message) {
    if (!seen.insert(message).second) return;
    std::vector<const FieldDescriptor*> fields;
    message->file()->pool()->FindAllExtensions(message, &fields);
    for (int i = 0; i < message->field_count(); ++i) fields.push_back(message->field(i));
    for (const FieldDescriptor* field : fields) {
      const std::string& name = field->name();
      if (name.ends_with("_env") || name.ends_with("_file")) names.insert(name);
      if (field->message_type() != nullptr) visit(field->message_type());
    }
  };
  visit(toolgate::config::v1::Config::descriptor());
  EXPECT_THAT(names,
              UnorderedElementsAre("access_key_env", "access_key_file", "api_key_env", "api_key_file", "ca_file",
                                   "certificate_file", "client_ca_file", "client_certificate_file", "client_key_file",
                                   "jwks_ca_file", "jwks_file", "password_file", "private_key_file",
                                   "root_certificate_file", "secret_file", "secret_key_env", "secret_key_file"));
}

TEST_F(ConfiguredSecretsTest, ReadsVariablesFilesAndHeaders) {
  setenv("TOOLGATE_TEST_KEY_OF_A_PROVIDER", "  key-of-a-provider-1 \n", 1);
  config_.mutable_families()
      ->MutableExtension(executors::artifacts::ArtifactSettings::artifacts)
      ->mutable_provider()
      ->set_api_key_env("TOOLGATE_TEST_KEY_OF_A_PROVIDER");
  (*config_.mutable_traces()->mutable_headers())["authorization"] = "Bearer token-of-the-traces";
  auto& issuer = *config_.mutable_identity()->mutable_jwt()->add_issuers();
  issuer.set_secret_file(Put("shared", "shared with an issuer of tokens\n"));
  secrets_.Read(config_);
  EXPECT_EQ(Masked("key-of-a-provider-1"), "[masked:secret]");
  EXPECT_EQ(Masked("token-of-the-traces"), "[masked:secret]");
  EXPECT_EQ(Masked("shared with an issuer of tokens"), "[masked:secret]");
}

TEST_F(ConfiguredSecretsTest, SeesThatAFileHasChanged) {
  auto& issuer = *config_.mutable_identity()->mutable_jwt()->add_issuers();
  issuer.set_secret_file(Put("key", "the-key-of-yesterday"));
  secrets_.Read(config_);
  Put("key", "the-key-of-today-is-longer");
  EXPECT_EQ(Masked("the-key-of-today-is-longer"), "the-key-of-today-is-longer");
  secrets_.Refresh();
  EXPECT_EQ(Masked("the-key-of-today-is-longer"), "[masked:secret]");
  EXPECT_EQ(Masked("the-key-of-yesterday"), "[masked:secret]");
}

TEST_F(ConfiguredSecretsTest, WhatIsNotThereIsNoSecret) {
  auto& issuer = *config_.mutable_identity()->mutable_jwt()->add_issuers();
  issuer.set_secret_file(dir_.path() + "/none");
  secrets_.Read(config_);
  EXPECT_EQ(known_.matcher(), nullptr);
}

}  // namespace
}  // namespace toolgate::services::app
