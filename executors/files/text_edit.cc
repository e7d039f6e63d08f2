#include "executors/files/text_edit.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/utf8.h"
#include "common/text/visible_text.h"
#include "executors/arguments.h"

namespace toolgate::executors::files {
namespace {

constexpr std::string_view kLineFeed = "\n";
constexpr std::string_view kLineEndOfTwo = "\r\n";

bool HasReturn(std::string_view text) { return text.find('\r') != std::string_view::npos; }

size_t CountOf(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

// The length of the common beginning, in whole characters.
size_t SharedPrefix(std::string_view a, std::string_view b) {
  auto length = static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const auto inside = [&](std::string_view text) {
    return length < text.size() && text::ContinuesCharacter(text[length]);
  };
  while (length > 0 && (inside(a) || inside(b))) --length;
  return length;
}

size_t SharedSuffix(std::string_view a, std::string_view b) {
  auto length = static_cast<size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
  while (length > 0 && text::ContinuesCharacter(a[a.size() - length])) --length;
  return length;
}

// The line ends of lines that are put in. Asked from left to right.
class LineEnds {
 public:
  explicit LineEnds(std::string_view text) : text_(text), feed_(text.find('\n')) {}

  // That of the line at `at`, or, in a last line without one, that of the line before.
  std::string_view For(size_t at) {
    while (feed_ < at && feed_ != std::string_view::npos) {
      last_ = EndAt(feed_);
      feed_ = text_.find('\n', feed_ + 1);
    }
    return feed_ == std::string_view::npos ? last_ : EndAt(feed_);
  }

 private:
  std::string_view EndAt(size_t feed) const { return feed > 0 && text_[feed - 1] == '\r' ? kLineEndOfTwo : kLineFeed; }

  std::string_view text_;
  size_t feed_;  // The next line feed.
  std::string_view last_ = kLineFeed;
};

// `added` with the line ends of the text that it replaces, where both have as many, or else all with `usual`.
std::string WithLineEnds(std::string_view added, std::string_view replaced, std::string_view usual) {
  const bool one_for_one = CountOf(added, kLineFeed) == CountOf(replaced, kLineFeed);
  LineEnds ends(replaced);
  std::string text;
  size_t copied = 0;
  size_t asked = 0;
  for (size_t at = added.find('\n'); at != std::string_view::npos; at = added.find('\n', copied)) {
    text.append(added.substr(copied, at - copied)).append(one_for_one ? ends.For(asked) : usual);
    if (one_for_one) asked = replaced.find('\n', asked) + 1;
    copied = at + 1;
  }
  return text.append(added.substr(copied));
}

// The code point of one character of well-formed UTF-8.
uint32_t CodePointOf(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  uint32_t c = character.size() == 1 ? lead : lead & (0x7FU >> character.size());
  for (const char next : character.substr(1)) c = (c << 6) | (static_cast<unsigned char>(next) & 0x3F);
  return c;
}

absl::Status Unencodable(std::string_view text, std::string_view character, Encoding encoding) {
  const std::string_view before = text.substr(0, static_cast<size_t>(character.data() - text.data()));
  const std::string_view name = EncodingName(encoding);
  return InvalidArgument(
      "newText", "encoding",
      absl::StrCat("newText has ", text::Quoted(character), absl::StrFormat(" (U+%04X)", CodePointOf(character)),
                   " in its line ", CountOf(before, kLineFeed) + 1, ", for which the file's encoding, ", ToAbsl(name),
                   ", has no byte; leave it out, or convert the file first, by Bash: iconv -f ", ToAbsl(name),
                   " -t utf-8"),
      absl::StrCat("characters of ", ToAbsl(name)));
}

absl::Status MovesStrays(size_t before, size_t after) {
  return InvalidArgument(
      "newText", "encoding",
      absl::StrCat("newText has U+FFFD ", after, " times where the text that it replaces has it ", before,
                   " times. In this file it shows a byte that is not UTF-8, which an edit can keep or remove, but not "
                   "move or copy; put the character that is meant in its place, or leave the line as it is"),
      "each U+FFFD where it was, or none");
}

absl::Status MixesStrays() {
  return InvalidArgument(
      "newText", "encoding",
      "newText changes lines with several U+FFFD in a way that does not tell which is which. In this file they show "
      "different bytes that are not UTF-8, which an edit can keep or remove, but not move; edit each line on its own, "
      "leave the text before each U+FFFD on its line as it is, or put the characters that are meant in their place",
      "each U+FFFD where it was, or none");
}

absl::Status ReadsOtherwise(Encoding encoding) {
  return InvalidArgument("newText", "encoding",
                         absl::StrCat("with newText the file's bytes would be read in another encoding than ",
                                      ToAbsl(EncodingName(encoding)),
                                      ", and its other characters be lost; convert the file to UTF-8 first, by Bash"),
                         "a text that leaves the file's encoding recognisable");
}

// Whether the bytes of `text` are read as that text. The encoding of those that are not UTF-8 is told by what is there.
bool ReadsTheSame(const DecodedText& text) {
  const bool is_utf8 = text.encoding == Encoding::kUtf8 || text.encoding == Encoding::kUtf8WithBom;
  if (is_utf8 && text.strays.empty()) return true;
  const std::optional<std::string> bytes = EncodeText(text.text, text.encoding, text.strays);
  const std::optional<DecodedText> again = bytes.has_value() ? DecodeText(*bytes) : std::nullopt;
  return again.has_value() && again->text == text.text;
}

// The lines that show U+FFFD, and the bytes that it shows in each of those with the same text.
using LinesWithStrays = std::map<std::string_view, std::multiset<std::string>>;

LinesWithStrays FindLinesWithStrays(const DecodedText& text) {
  LinesWithStrays lines;
  const std::string_view all = text.text;
  auto stray = text.strays.begin();
  for (size_t at = all.find(kReplacement); at != std::string_view::npos;) {
    const size_t begin = at == 0 ? 0 : all.rfind('\n', at - 1) + 1;
    const size_t end = std::min(all.find('\n', at), all.size());
    std::string bytes;
    for (; at < end; at = all.find(kReplacement, at + kReplacement.size())) {
      while (stray != text.strays.end() && stray->at < at) ++stray;
      const bool is_stray = stray != text.strays.end() && stray->at == at;
      // A real U+FFFD is no single byte.
      bytes.append(is_stray ? std::string(1, static_cast<char>(stray->byte)) : std::string(kReplacement));
    }
    lines[all.substr(begin, end - begin - (all.substr(begin, end - begin).ends_with('\r') ? 1 : 0))].insert(bytes);
  }
  return lines;
}

// Whether a line of the text before an edit is still there, but shows other bytes than any line of that text did: the
// edit has moved it, and not its bytes.
bool LosesStrays(const DecodedText& before, const DecodedText& after) {
  if (before.strays.empty()) return false;
  const LinesWithStrays lines = FindLinesWithStrays(before);
  for (const auto& [line, now] : FindLinesWithStrays(after)) {
    const auto found = lines.find(line);
    if (found == lines.end()) continue;
    const std::multiset<std::string>& then = found->second;
    const bool gains = !std::includes(then.begin(), then.end(), now.begin(), now.end());
    if (gains && !std::includes(now.begin(), now.end(), then.begin(), then.end())) return true;
  }
  return false;
}

// Whether the U+FFFD of the file's text from `begin` to `end` show different bytes, or some of them a byte and others
// none.
bool ShowsSeveral(const DecodedText& file, size_t begin, size_t end) {
  const auto before = [](const StrayByte& stray, size_t at) { return stray.at < at; };
  const auto first = std::lower_bound(file.strays.begin(), file.strays.end(), begin, before);
  const auto last = std::lower_bound(first, file.strays.end(), end, before);
  if (first == last) return false;
  if (std::any_of(first, last, [&](const StrayByte& stray) { return stray.byte != first->byte; })) return true;
  const std::string_view text = std::string_view(file.text).substr(begin, end - begin);
  return static_cast<size_t>(last - first) < CountOf(text, kReplacement);
}

std::string LastLine(std::string_view text) { return std::string(text.substr(text.rfind('\n') + 1)); }

// Whether in `to` the same text as in `from` precedes each U+FFFD on its line. `before` precedes both.
bool KeepsBeginnings(std::string_view before, std::string_view from, std::string_view to) {
  size_t old_at = from.find(kReplacement);
  size_t new_at = to.find(kReplacement);
  const std::string begin = LastLine(before);
  if (LastLine(begin + std::string(from.substr(0, old_at))) != LastLine(begin + std::string(to.substr(0, new_at)))) {
    return false;
  }
  while (true) {
    const size_t old_next = from.find(kReplacement, old_at + kReplacement.size());
    const size_t new_next = to.find(kReplacement, new_at + kReplacement.size());
    // As many in both is for Splicer::Replace to see to.
    if (old_next == std::string_view::npos || new_next == std::string_view::npos) return true;
    if (LastLine(from.substr(old_at, old_next - old_at)) != LastLine(to.substr(new_at, new_next - new_at)))
      return false;
    old_at = old_next;
    new_at = new_next;
  }
}

// Builds the text after an edit, from left to right.
class Splicer {
 public:
  explicit Splicer(const DecodedText& file) : file_(file) { result_.encoding = file.encoding; }

  // Copies the file's text up to `end`, with its stray bytes.
  void KeepUntil(size_t end) {
    for (; next_ < file_.strays.size() && file_.strays[next_].at < end; ++next_) {
      const StrayByte& stray = file_.strays[next_];
      result_.strays.push_back({result_.text.size() + stray.at - copied_, stray.byte});
    }
    result_.text.append(file_.text, copied_, end - copied_);
    copied_ = end;
  }

  // Puts `added` in place of the file's text up to `end`. Its U+FFFD are those of that text, one for one.
  absl::Status Replace(size_t end, std::string_view added) {
    const std::string_view replaced = std::string_view(file_.text).substr(copied_, end - copied_);
    const size_t shown = file_.strays.empty() ? 0 : CountOf(added, kReplacement);
    if (shown > 0) {
      if (const size_t before = CountOf(replaced, kReplacement); before != shown) return MovesStrays(before, shown);
    }
    size_t from = 0;
    size_t to = 0;
    for (size_t i = 0; i < shown; ++i) {
      from = replaced.find(kReplacement, from);
      to = added.find(kReplacement, to);
      SkipStraysBefore(copied_ + from);
      const bool is_stray = next_ < file_.strays.size() && file_.strays[next_].at == copied_ + from;
      if (is_stray) result_.strays.push_back({result_.text.size() + to, file_.strays[next_].byte});
      from += kReplacement.size();
      to += kReplacement.size();
    }
    SkipStraysBefore(end);
    result_.text.append(added);
    copied_ = end;
    return absl::OkStatus();
  }

  DecodedText Take() { return std::move(result_); }

 private:
  void SkipStraysBefore(size_t end) {
    while (next_ < file_.strays.size() && file_.strays[next_].at < end) ++next_;
  }

  const DecodedText& file_;
  DecodedText result_;
  size_t copied_ = 0;
  size_t next_ = 0;  // Of the stray bytes.
};

}  // namespace

LineView::LineView(std::string_view text, std::string_view wanted) : text_(text) {
  if (HasReturn(wanted)) return;
  size_t copied = 0;
  for (size_t at = text.find(kLineEndOfTwo); at != std::string_view::npos; at = text.find(kLineEndOfTwo, copied)) {
    joined_.append(text.substr(copied, at - copied));
    pairs_.push_back(joined_.size());
    joined_.append(kLineFeed);
    copied = at + kLineEndOfTwo.size();
  }
  if (copied > 0) joined_.append(text.substr(copied));
}

size_t LineView::Origin(size_t at) const {
  const auto before = std::lower_bound(pairs_.begin(), pairs_.end(), at);
  return at + static_cast<size_t>(before - pairs_.begin());
}

absl::StatusOr<DecodedText> ReplaceText(const DecodedText& file, const LineView& view, std::string_view from,
                                        std::string_view to) {
  const std::string_view missing = FirstUnencodable(to, file.encoding);
  if (!missing.empty()) return Unencodable(to, missing, file.encoding);
  const bool is_lines = !HasReturn(from) && !HasReturn(to);
  // Line ends that the caller writes out are those that the caller wants, also in what stays.
  const bool is_trimmed = is_lines || HasReturn(from);
  const size_t prefix = is_trimmed ? SharedPrefix(from, to) : 0;
  const size_t suffix = is_trimmed ? SharedSuffix(from.substr(prefix), to.substr(prefix)) : 0;
  const std::string_view added = to.substr(prefix, to.size() - prefix - suffix);
  const bool keeps_strays = added.find(kReplacement) != std::string_view::npos;
  LineEnds ends(file.text);
  Splicer splicer(file);
  const std::string_view text = view.text();
  for (size_t at = text.find(from); at != std::string_view::npos; at = text.find(from, at + from.size())) {
    const size_t begin = view.Origin(at + prefix);
    const size_t end = view.Origin(at + from.size() - suffix);
    splicer.KeepUntil(begin);
    const std::string_view replaced = std::string_view(file.text).substr(begin, end - begin);
    const std::string_view usual = ends.For(view.Origin(at));
    if (keeps_strays && ShowsSeveral(file, view.Origin(at), view.Origin(at + from.size())) &&
        !KeepsBeginnings(text.substr(0, at), from, to)) {
      return MixesStrays();
    }
    RETURN_IF_ERROR(splicer.Replace(end, is_lines ? WithLineEnds(added, replaced, usual) : std::string(added)));
  }
  splicer.KeepUntil(file.text.size());
  DecodedText after = splicer.Take();
  if (LosesStrays(file, after)) return MixesStrays();
  if (!ReadsTheSame(after)) return ReadsOtherwise(file.encoding);
  return after;
}

}  // namespace toolgate::executors::files
