#include "executors/web_search/searxng.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/web_search/search_response.h"

namespace toolgate::executors::web_search {
namespace {

// Everything but unreserved characters (RFC 3986) is encoded.
std::string EncodeQuery(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || std::string_view("-._~").find(c) != std::string_view::npos) {
      encoded.push_back(c);
    } else {
      encoded.append({'%', kDigits[byte >> 4], kDigits[byte & 0xF]});
    }
  }
  return encoded;
}

// Answers are texts in older versions, and objects in newer ones.
std::string FirstAnswer(const Json& response) {
  const Json* const answers = FindArgument(response, "answers");
  if (answers == nullptr || !answers->is_array() || answers->empty()) return "";
  const Json& first = answers->front();
  return first.is_string() ? first.get<std::string>() : TextOf(first, "answer");
}

class SearxngEngine final : public SearchEngine {
 public:
  explicit SearxngEngine(std::shared_ptr<providers::Provider> provider) : provider_(std::move(provider)) {}

  absl::StatusOr<Findings> Search(std::string_view query, int max_results, providers::Scope& scope) const override {
    providers::ProviderRequest request;
    request.method = "GET";
    request.path = absl::StrCat("/search?q=", EncodeQuery(query), "&format=json");
    request.headers = {{"accept", "application/json"}};
    request.repeatable = true;
    request.span_name = "search searxng";
    ASSIGN_OR_RETURN(const http::Response response, provider_->Send(request, scope));
    ASSIGN_OR_RETURN(const Json json, ParseResponse("SearXNG", response.body));
    return Findings{HitsOf(json, static_cast<size_t>(max_results)), FirstAnswer(json)};
  }

 private:
  const std::shared_ptr<providers::Provider> provider_;
};

}  // namespace

std::unique_ptr<SearchEngine> Searxng(std::shared_ptr<providers::Provider> provider) {
  return std::make_unique<SearxngEngine>(std::move(provider));
}

}  // namespace toolgate::executors::web_search
