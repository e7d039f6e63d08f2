#include "storage/blobs/blob_key.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/digest.h"

namespace toolgate::storage::blobs {
namespace {

constexpr size_t kMaxKeyBytes = 512;
constexpr size_t kScopeDigits = 32;

bool IsKeyPart(absl::string_view part) {
  return !part.empty() && part.front() != '.' && std::all_of(part.begin(), part.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_';
  });
}

}  // namespace

bool IsBlobKey(std::string_view key) {
  if (key.empty() || key.size() > kMaxKeyBytes) return false;
  const auto parts = absl::StrSplit(ToAbsl(key), '/');
  return std::all_of(parts.begin(), parts.end(), IsKeyPart);
}

std::string ScopePrefix(std::string_view scope) { return HexEncode(Sha256(scope)).substr(0, kScopeDigits) + "/"; }

std::string ContentKey(std::string_view scope, std::string_view bytes, std::string_view extension) {
  return absl::StrCat(ScopePrefix(scope), HexEncode(Sha256(bytes)), ".", ToAbsl(extension));
}

}  // namespace toolgate::storage::blobs
