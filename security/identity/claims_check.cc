#include "security/identity/claims_check.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "common/status_macros.h"

namespace toolgate::security::identity {
namespace {

constexpr JsonLimits kClaimLimits{.max_bytes = size_t{16} << 10, .max_depth = 16, .max_keys = 500, .max_values = 2000};
constexpr std::string_view kDefaultType = "jwt";
constexpr std::string_view kMediaType = "application/";
// The year 9999: later times do not fit the types that they are compared with.
constexpr double kLastSecond = 253402300799.0;

absl::Status Refuse(std::string_view why) { return absl::UnauthenticatedError(ToAbsl(why)); }

// RFC 7515 section 4.1.9: media types are compared without case, and "application/" may be left out.
std::string NormalType(std::string_view type) {
  std::string lower = absl::AsciiStrToLower(ToAbsl(type));
  if (lower.starts_with(kMediaType)) lower.erase(0, kMediaType.size());
  return lower;
}

// A NumericDate, or nothing if the claim is absent.
absl::StatusOr<std::optional<absl::Time>> TimeOf(const Json& claims, const char* name) {
  const auto claim = claims.find(name);
  if (claim == claims.end()) return std::optional<absl::Time>();
  const double seconds = claim->is_number() ? claim->get<double>() : -1;
  if (!(seconds >= 0 && seconds <= kLastSecond)) {
    return Refuse(absl::StrCat("the token's \"", name, "\" is no time"));
  }
  return std::optional<absl::Time>(absl::FromUnixMillis(static_cast<int64_t>(std::floor(seconds * 1000))));
}

}  // namespace

ClaimsCheck::ClaimsCheck(const config::v1::Jwt& config)
    : issuer_(config.issuer()),
      audiences_(config.audiences().begin(), config.audiences().end()),
      skew_(FromProtoDuration(config.clock_skew())),
      max_lifetime_(FromProtoDuration(config.max_lifetime())) {
  for (const std::string& type : config.types()) types_.push_back(NormalType(type));
}

absl::StatusOr<ClaimsCheck::Claims> ClaimsCheck::Check(const jose::VerifiedJws& token, absl::Time now) const {
  RETURN_IF_ERROR(CheckType(token.header));
  absl::StatusOr<Json> claims = ParseJson(token.payload, kClaimLimits);
  if (!claims.ok() || !claims->is_object()) {
    return Refuse("the token's claims are not one JSON object with distinct members");
  }
  RETURN_IF_ERROR(CheckIssuerAndAudience(*claims));
  ASSIGN_OR_RETURN(const absl::Time expires, CheckTimes(*claims, now));
  return Claims{*std::move(claims), expires};
}

absl::Status ClaimsCheck::CheckType(const Json& header) const {
  // RFC 7519 section 5.2: a nested token has this member.
  if (header.contains("cty")) return Refuse("the token has a content type: nested tokens are not taken");
  const auto typ = header.find("typ");
  const std::string type = typ == header.end() ? std::string(kDefaultType) : NormalType(typ->get<std::string>());
  if (std::find(types_.begin(), types_.end(), type) != types_.end()) return absl::OkStatus();
  return Refuse("the token is of another type (\"typ\") than those that are taken");
}

absl::Status ClaimsCheck::CheckIssuerAndAudience(const Json& claims) const {
  const auto issuer = claims.find("iss");
  if (issuer == claims.end() || *issuer != issuer_) return Refuse("the token is of another issuer (\"iss\")");
  const auto audience = claims.find("aud");
  const auto is_ours = [&](const Json& name) {
    return name.is_string() &&
           std::find(audiences_.begin(), audiences_.end(), name.get_ref<const std::string&>()) != audiences_.end();
  };
  if (audience != claims.end()) {
    if (is_ours(*audience)) return absl::OkStatus();
    if (audience->is_array() && std::any_of(audience->begin(), audience->end(), is_ours)) return absl::OkStatus();
  }
  return Refuse("the token is for another audience (\"aud\")");
}

absl::StatusOr<absl::Time> ClaimsCheck::CheckTimes(const Json& claims, absl::Time now) const {
  ASSIGN_OR_RETURN(const std::optional<absl::Time> expires, TimeOf(claims, "exp"));
  ASSIGN_OR_RETURN(const std::optional<absl::Time> not_before, TimeOf(claims, "nbf"));
  ASSIGN_OR_RETURN(const std::optional<absl::Time> issued, TimeOf(claims, "iat"));
  if (!expires.has_value()) return Refuse("the token does not expire (\"exp\")");
  if (now >= *expires + skew_) return Refuse("the token has expired");
  if (not_before.has_value() && now < *not_before - skew_) return Refuse("the token is not valid yet (\"nbf\")");
  if (issued.has_value() && now < *issued - skew_) return Refuse("the token was issued in the future (\"iat\")");
  if (max_lifetime_ > absl::ZeroDuration() && *expires - issued.value_or(now) > max_lifetime_ + skew_) {
    return Refuse("the token is good for longer than is allowed");
  }
  return *expires + skew_;
}

}  // namespace toolgate::security::identity
