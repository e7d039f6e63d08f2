#include "services/app/configured_secrets.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "security/identity/key_files.h"

namespace toolgate::services::app {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Private keys of certificates.
bool IsPrivateKeyFile(const std::string& name) { return name == "private_key_file" || name == "client_key_file"; }

bool NamesVariable(const std::string& name) { return absl::EndsWith(name, "_key_env"); }
bool NamesFile(const std::string& name) {
  return (absl::EndsWith(name, "_key_file") && !IsPrivateKeyFile(name)) || absl::EndsWith(name, "secret_file") ||
         absl::EndsWith(name, "password_file");
}

void Find(const Message& message, const std::string& path, std::vector<SecretSource>& sources) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const std::string here = absl::StrCat(path, path.empty() ? "" : ".", field->name());
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (!field->is_repeated()) {
        Find(reflection.GetMessage(message, field), here, sources);
        continue;
      }
      for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
        Find(reflection.GetRepeatedMessage(message, field, i), absl::StrCat(here, "[", i, "]"), sources);
      }
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING && !field->is_repeated()) {
      std::string value = reflection.GetString(message, field);
      if (value.empty()) continue;
      if (NamesVariable(field->name())) {
        sources.push_back({here, "", std::move(value)});
      } else if (NamesFile(field->name())) {
        sources.push_back({here, std::move(value), ""});
      }
    }
  }
}

// A value of metadata, and the credentials in "Bearer …".
void AddHeader(const std::string& value, std::vector<std::string>& values) {
  values.push_back(value);
  if (const size_t blank = value.rfind(' '); blank != std::string::npos) values.push_back(value.substr(blank + 1));
}

// The secret that an issuer of tokens shares, which may have any bytes.
void AddSharedSecret(const std::string& file, std::vector<std::string>& values) {
  absl::StatusOr<std::string> secret = security::identity::ReadSecretFile(file);
  if (!secret.ok()) return;
  if (absl::EndsWith(*secret, "\n")) secret->pop_back();
  values.push_back(*std::move(secret));
}

}  // namespace

std::vector<SecretSource> SecretSources(const toolgate::config::v1::Config& config) {
  std::vector<SecretSource> sources;
  Find(config, "", sources);
  return sources;
}

void ConfiguredSecrets::Read(const toolgate::config::v1::Config& config) {
  std::vector<std::string> values;
  for (const SecretSource& source : SecretSources(config)) {
    if (absl::EndsWith(source.path, "secret_file")) AddSharedSecret(source.file, values);
    absl::MutexLock lock(&mutex_);
    auto& key = keys_[{source.file, source.variable}];
    if (key == nullptr) key = std::make_unique<const ApiKey>(source.file, source.variable);
  }
  for (const auto& [name, value] : config.traces().headers()) AddHeader(value, values);
  known_.Add(values);
  Refresh();
}

void ConfiguredSecrets::Refresh() const {
  std::vector<std::string> values;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [source, key] : keys_) {
      absl::StatusOr<std::string> value = key->Read();
      if (value.ok()) values.push_back(*std::move(value));
    }
  }
  known_.Add(values);
}

}  // namespace toolgate::services::app
