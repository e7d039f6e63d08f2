#include "security/identity/service_directory.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/tool_error.h"

namespace toolgate::security::identity {
namespace {

constexpr std::string_view kCommonName = "cn:";

}  // namespace

std::string CertificateNameForm(const std::string& name) {
  const bool case_matters = name.starts_with(kCommonName) || name.find("://") != std::string::npos;
  return case_matters ? name : absl::AsciiStrToLower(name);
}

bool KnownService::MayActIn(std::string_view workspace) const {
  return workspaces.empty() || std::find(workspaces.begin(), workspaces.end(), workspace) != workspaces.end();
}

absl::StatusOr<ServiceDirectory> ServiceDirectory::Create(const config::v1::Identity& config) {
  ServiceDirectory directory;
  for (const auto& [service_name, service] : config.services()) {
    auto known = std::make_unique<KnownService>();
    known->name = service_name;
    known->roles.assign(service.roles().begin(), service.roles().end());
    known->trusted = service.trusted();
    known->workspaces.assign(service.workspaces().begin(), service.workspaces().end());
    for (const std::string& name : service.certificate_names()) {
      const std::string form = CertificateNameForm(name);
      bool added = false;
      if (form.starts_with(kCommonName)) {
        added = directory.common_names_.emplace(form.substr(kCommonName.size()), known.get()).second;
      } else if (form.find("://") != std::string::npos) {
        added = directory.uris_.emplace(form, known.get()).second;
      } else {
        added = directory.dns_names_.emplace(form, known.get()).second;
      }
      if (!added) {
        return absl::InvalidArgumentError(
            absl::StrCat("identity.services: the certificate name \"", name, "\" stands more than once"));
      }
    }
    directory.services_.push_back(std::move(known));
  }
  return directory;
}

absl::StatusOr<const KnownService*> ServiceDirectory::Find(const PeerCertificate& certificate) const {
  std::set<const KnownService*> found;
  const auto look = [&](const auto& names, std::string_view name) {
    if (const auto row = names.find(ToAbsl(name)); row != names.end()) found.insert(row->second);
  };
  for (const std::string& uri : certificate.uris) look(uris_, uri);
  for (const std::string& dns_name : certificate.dns_names) look(dns_names_, absl::AsciiStrToLower(dns_name));
  // If a certificate has the newer kinds of names, only those count.
  if (certificate.uris.empty() && certificate.dns_names.empty() && !certificate.common_name.empty()) {
    look(common_names_, certificate.common_name);
  }
  if (found.size() == 1) return *found.begin();
  return MakeError(ErrorCode::kUnauthorized, found.empty()
                                                 ? "the client certificate names no service that is known here"
                                                 : "the client certificate names more than one service");
}

}  // namespace toolgate::security::identity
