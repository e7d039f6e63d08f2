#include "security/injection_defence/text/common_words.h"

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "security/injection_defence/text/words.h"

namespace toolgate::security::injection_defence::text {
namespace {

// Fewer of them are not enough evidence.
constexpr size_t kFewestCommon = 4;
// Minimum share of common words in language, and how much fewer of them the text that hides it must have.
constexpr double kLeastShare = 0.25;
constexpr double kMostBefore = 0.6;

// Words of one letter are no evidence: a table has them too.
constexpr std::string_view kCommonWords =
    "the of and to in is that it you for on with as be at this have from or one by not but what all were when we there "
    "can an your which their said if do will each about how up out them then she many some so these would other into "
    "has more her two like him see could no make than been its who now my over only way may after where any our just "
    "me us they he his are was shall must should yes never always every answer please write tell say give show "
    "der die das und ich du ist nicht ein eine einen zu mit auf den dem von wie alle mir dir dich sie wir dass bist "
    "sind hat kein keine nur noch "
    "le la les des un une et est pas vous tu que qui pour dans sur au ce je ne ton tes votre tous tout "
    "el los las de del en por con para su lo se como todo todas eres mi sin "
    "il di che non per sono gli tutto tutte sei da dei della nel "
    "os do em um uma com seu suas voce nao mais "
    "het een van ik je niet dat op te zijn met aan wat jij";

absl::flat_hash_set<uint64_t> MakeCommonWords() {
  absl::flat_hash_set<uint64_t> hashes;
  std::string_view rest = kCommonWords;
  while (!rest.empty()) {
    const size_t blank = rest.find(' ');
    hashes.insert(HashOfWord(rest.substr(0, blank)));
    rest.remove_prefix(blank == std::string_view::npos ? rest.size() : blank + 1);
  }
  return hashes;
}

}  // namespace

WordCount CountCommonWords(std::string_view text) {
  static const auto* const common = new absl::flat_hash_set<uint64_t>(MakeCommonWords());
  thread_local std::vector<Word> words;
  ReadWords(text, words);
  WordCount count;
  count.words = words.size();
  for (const Word& word : words) count.common += common->contains(word.hash) ? 1 : 0;
  return count;
}

bool ReadsAsLanguage(std::string_view reading, std::string_view text) {
  const WordCount now = CountCommonWords(reading);
  if (now.common < kFewestCommon || now.share() < kLeastShare) return false;
  const WordCount before = CountCommonWords(text);
  // Pieces of words are sometimes common words, but more of them are not; glued text has few words at all.
  const bool fewer = static_cast<double>(before.common) <= kMostBefore * static_cast<double>(now.common);
  return fewer || before.share() <= kMostBefore * now.share();
}

}  // namespace toolgate::security::injection_defence::text
