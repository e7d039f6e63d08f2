#include "executors/files/text_edit.h"

#include <algorithm>
#include <cstdint>
#include <optional>
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
  LineEnds ends(file.text);
  Splicer splicer(file);
  const std::string_view text = view.text();
  for (size_t at = text.find(from); at != std::string_view::npos; at = text.find(from, at + from.size())) {
    const size_t begin = view.Origin(at + prefix);
    const size_t end = view.Origin(at + from.size() - suffix);
    splicer.KeepUntil(begin);
    const std::string_view replaced = std::string_view(file.text).substr(begin, end - begin);
    const std::string_view usual = ends.For(view.Origin(at));
    RETURN_IF_ERROR(splicer.Replace(end, is_lines ? WithLineEnds(added, replaced, usual) : std::string(added)));
  }
  splicer.KeepUntil(file.text.size());
  DecodedText after = splicer.Take();
  if (!ReadsTheSame(after)) return ReadsOtherwise(file.encoding);
  return after;
}

}  // namespace toolgate::executors::files
