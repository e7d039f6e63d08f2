#include "security/injection_defence/text/shape.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace toolgate::security::injection_defence::text {
namespace {

enum Kind : uint8_t { kOther, kLetter, kDigit, kSpace, kBlank, kSymbol, kEscape, kHigh };

constexpr size_t kMaxTokenBytes = 26;
constexpr int kMinSpacedLetters = 4;
constexpr int kMinLeetWords = 2;
constexpr size_t kMaxLeetWordBytes = 24;
constexpr size_t kMinEncodedRun = 16;
constexpr int kMinHexPairs = 8;
constexpr int kMinNumbers = 12;
constexpr int kMinJoints = 3;
constexpr size_t kLongLetterRun = 17;
// This many consecutive runs of equal length are hardly words; this many short ones are pieces of some.
constexpr size_t kMinEqual = 4;
constexpr size_t kMinPieces = 6;
constexpr size_t kLongestEqualPiece = 5;
constexpr int kMinShortPieces = 8;
constexpr size_t kMinMarkedRun = 25;
constexpr int kMinMarks = 3;
constexpr int kMinMarksOnly = 12;

constexpr std::array<Kind, 256> MakeKinds() {
  std::array<Kind, 256> kinds = {};
  for (int c = 'a'; c <= 'z'; ++c) kinds[c] = kinds[c - 'a' + 'A'] = kLetter;
  for (int c = '0'; c <= '9'; ++c) kinds[c] = kDigit;
  for (int c = 0; c < ' '; ++c) kinds[c] = kBlank;
  kinds[' '] = kSpace;
  for (const char c : {'@', '$', '!', '|', '+'}) kinds[static_cast<uint8_t>(c)] = kSymbol;
  for (const char c : {'%', '&', '\\', '='}) kinds[static_cast<uint8_t>(c)] = kEscape;
  for (int c = 0x80; c < 256; ++c) kinds[c] = kHigh;
  return kinds;
}

constexpr std::array<Kind, 256> kKinds = MakeKinds();

bool IsHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Examines words (runs of letters and digits) and their separators.
class ShapeScanner {
 public:
  explicit ShapeScanner(std::string_view text) : text_(text) {}

  Shape Run(const std::vector<Word>& words) {
    size_t at = 0;
    for (const Word& word : words) {
      SeeBetween(at, word.start);
      SeeWord(word);
      at = word.end;
    }
    SeeBetween(at, text_.size());
    EndRun(text_.size());
    shape_.leet = leet_words_ >= kMinLeetWords;
    shape_.joined_words = joints_ >= kMinJoints && joints_ > spaces_;
    return shape_;
  }

 private:
  Kind KindAt(size_t i) const { return kKinds[static_cast<uint8_t>(text_[i])]; }

  void SeeBetween(size_t at, size_t end) {
    if (at + 1 == end && text_[at] == ' ') {
      ++spaces_;
      joined_ = glued_joint_ = false;
      EndRun(at);
      return;
    }
    marks_only_ = 0;
    while (at < end) {
      const Kind kind = KindAt(at);
      at = kind == kSpace ? Space(at) : Separator(at, kind);
    }
  }

  // Ends the stretch without blanks before `at`.
  void EndRun(size_t at) {
    const size_t length = at - unbroken_since_;
    if (marks_ >= kMinMarks && length >= kMinMarkedRun) shape_.marked_run = true;
    equal_ = length == last_length_ ? equal_ + 1 : 1;
    last_length_ = length;
    if (equal_ >= kMinEqual) SeeEqual(text_.substr(unbroken_since_, length));
    marks_ = 0;
    unbroken_since_ = at + 1;
  }

  void SeeMark(bool is_one) {
    marks_only_ = is_one ? marks_only_ + 1 : 0;
    if (marks_only_ >= kMinMarksOnly) shape_.marked_run = true;
  }

  // `run`, and some runs before it, have equal length.
  void SeeEqual(std::string_view run) {
    if (run.empty() || run.size() >= kMinEncodedRun || equal_ * run.size() < kMinEncodedRun) return;
    if (equal_ >= kMinPieces && run.size() <= kLongestEqualPiece) shape_.pieces = true;
    const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (std::any_of(run.begin() + 1, run.end(), is_capital) || std::any_of(run.begin(), run.end(), is_digit)) {
      shape_.encoded_run = true;
    }
  }

  void SeeWord(const Word& word) {
    const size_t start = word.start;
    const size_t length = word.end - word.start;
    const bool letters = word.letters;
    const bool digits = word.digits;
    // Covers nearly every word of ordinary prose: too long to be a letter or a hex pair, too short to be encoded.
    if (!digits && !joined_ && !glued_ && !glued_joint_ && length < kMinEncodedRun && length > 2) {
      run_ = length;
      singles_ = single_letters_ = short_pieces_ = hex_pairs_ = numbers_ = 0;
      return;
    }
    run_ = joined_ ? run_ + length + 1 : length;
    if (run_ >= kMinEncodedRun) shape_.encoded_run = true;
    if (joined_ || glued_joint_) ++joints_;
    if (length == 1) {
      ++singles_;
      if (letters) ++single_letters_;
      if (singles_ >= kMinSpacedLetters && 2 * single_letters_ >= singles_) shape_.spaced_letters = true;
    } else {
      singles_ = single_letters_ = 0;
    }
    short_pieces_ = length <= 2 && letters && !digits ? short_pieces_ + 1 : 0;
    if (short_pieces_ >= kMinShortPieces) shape_.pieces = true;
    if (length >= kLongLetterRun && letters && !digits) shape_.long_run = true;
    const bool hex_pair = (length == 2 && IsHex(text_[start]) && IsHex(text_[start + 1])) ||
                          (length == 4 && text_[start] == '0' && (text_[start + 1] == 'x' || text_[start + 1] == 'X'));
    hex_pairs_ = hex_pair ? hex_pairs_ + 1 : 0;
    if (hex_pairs_ >= kMinHexPairs) shape_.encoded_run = true;
    numbers_ = digits && !letters ? numbers_ + 1 : 0;
    if (numbers_ >= kMinNumbers) shape_.escapes = true;
    if (letters && (digits || glued_) && length <= kMaxLeetWordBytes) ++leet_words_;
    joined_ = false;
    glued_ = false;
    glued_joint_ = false;
  }

  size_t Space(size_t i) {
    ++spaces_;
    if (i + 1 < text_.size() && text_[i + 1] == ' ') shape_.plain_blanks = false;
    joined_ = glued_joint_ = false;
    EndRun(i);
    return i + 1;
  }

  // Anything else between words.
  size_t Separator(size_t i, Kind kind) {
    const char c = text_[i];
    switch (kind) {
      case kHigh:
        shape_.ascii = false;
        joined_ = glued_joint_ = false;
        // Dots and dashes beyond ASCII; anything else is mostly a letter.
        SeeMark(c == '\xC2' || c == '\xE2');
        while (i + 1 < text_.size() && KindAt(i + 1) == kHigh) ++i;
        return i + 1;
      case kBlank:
        shape_.plain_blanks = false;
        if (c == '\b') shape_.deletions = true;
        ++spaces_;
        EndRun(i);
        break;
      case kEscape:
        shape_.escapes = true;
        break;
      case kSymbol:
        // A symbol inside of a word, as in "p@ssword", may make it leet.
        if (i > 0 && KindAt(i - 1) == kLetter) glued_ = true;
        break;
      default:
        break;
    }
    if (kind != kBlank) {
      ++marks_;
      SeeMark(true);
    }
    joined_ = (c == '+' || c == '/' || c == '-' || c == '_') && i > 0 && run_ > 0 &&
              (KindAt(i - 1) == kLetter || KindAt(i - 1) == kDigit);
    if (c == '\x7F') shape_.deletions = true;
    // "U+0069".
    if (c == '+' && i > 0 && (text_[i - 1] == 'U' || text_[i - 1] == 'u')) shape_.escapes = true;
    if (c == '<' && BeginsTagInWord(i)) shape_.torn_words = true;
    glued_joint_ = (c == '.' || c == '*' || c == '|' || c == '~' || c == ':') && i > 0 && KindAt(i - 1) == kLetter;
    return i + 1;
  }

  // "ig<b></b>nore", "ig<!-- -->nore".
  bool BeginsTagInWord(size_t i) const {
    if (i == 0 || i + 1 == text_.size()) return false;
    const Kind before = KindAt(i - 1);
    return (before == kLetter || before == kHigh) &&
           (KindAt(i + 1) == kLetter || text_[i + 1] == '/' || text_[i + 1] == '!');
  }

  const std::string_view text_;
  Shape shape_;
  size_t run_ = 0;  // Length of the run that may be base64.
  bool joined_ = false;
  bool glued_ = false;
  bool glued_joint_ = false;
  int singles_ = 0;
  int single_letters_ = 0;
  int numbers_ = 0;
  int joints_ = 0;
  int spaces_ = 0;
  int leet_words_ = 0;
  int hex_pairs_ = 0;
  size_t last_length_ = 0;
  size_t equal_ = 0;  // Number of consecutive runs without a blank and of equal length, up to the last one.
  int short_pieces_ = 0;
  size_t unbroken_since_ = 0;  // Start of the current stretch without blanks,
  int marks_ = 0;              // … and its number of marks.
  int marks_only_ = 0;         // Marks since the last word or letter.
};

}  // namespace

Shape ShapeOf(std::string_view text, const std::vector<Word>& words) { return ShapeScanner(text).Run(words); }

bool IsPlainToken(std::string_view text) {
  return text.size() <= kMaxTokenBytes && std::all_of(text.begin(), text.end(), [](char c) {
           const Kind kind = kKinds[static_cast<uint8_t>(c)];
           return kind == kLetter || kind == kDigit || c == '-' || c == '_';
         });
}

}  // namespace toolgate::security::injection_defence::text
