#include "executors/web_search/sources.h"

#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "executors/web_search/source_text.h"

namespace toolgate::executors::web_search {
namespace {

constexpr size_t kMaxTitleBytes = 300;
constexpr size_t kMaxAnswerBytes = 4000;

Source SourceOf(const Hit& hit, std::string url, size_t max_snippet_bytes) {
  Source source{CleanLine(hit.title, kMaxTitleBytes), std::move(url), CleanLine(hit.snippet, max_snippet_bytes)};
  if (source.title.empty()) source.title = PageKey(source.url);
  return source;
}

std::string Entry(size_t number, const Source& source) {
  std::string entry = absl::StrCat("[", number, "] ", source.title, "\n", source.url, "\n");
  if (!source.snippet.empty()) absl::StrAppend(&entry, source.snippet, "\n");
  return entry;
}

}  // namespace

Digest DigestFindings(const Findings& findings, const SourceLimits& limits) {
  Digest digest;
  digest.answer = CleanLine(findings.answer, kMaxAnswerBytes);
  if (!digest.answer.empty()) digest.context = absl::StrCat("Answer: ", digest.answer, "\n");
  absl::flat_hash_set<std::string> pages;
  for (const Hit& hit : findings.hits) {
    if (digest.sources.size() == limits.max_sources) break;
    std::optional<std::string> url = CleanUrl(hit.url);
    if (!url.has_value()) {
      ++digest.unsafe;
      continue;
    }
    if (!pages.insert(PageKey(*url)).second) {
      ++digest.repeated;
      continue;
    }
    Source source = SourceOf(hit, *std::move(url), limits.max_snippet_bytes);
    const std::string entry = Entry(digest.sources.size() + 1, source);
    if (digest.context.size() + entry.size() + 1 > limits.max_context_bytes) break;
    absl::StrAppend(&digest.context, digest.context.empty() ? "" : "\n", entry);
    digest.sources.push_back(std::move(source));
  }
  return digest;
}

}  // namespace toolgate::executors::web_search
