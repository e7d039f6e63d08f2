#include "tests/support/obfuscation.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "absl/strings/escaping.h"
#include "common/absl_bridge.h"
#include "security/injection_defence/text/utf8.h"

namespace toolgate::security::injection_defence {
namespace {

// The place of a letter in its alphabet, or -1.
int LetterIndex(char c) {
  if (c >= 'a' && c <= 'z') return c - 'a';
  if (c >= 'A' && c <= 'Z') return c - 'A';
  return -1;
}

template <typename Change>
std::string Each(std::string_view text, const Change& change) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) out += change(text[i], i);
  return out;
}

std::string Utf8(char32_t code) { return text::EncodeUtf8(code); }

// Letters become those of a block that starts at `lower` and `upper`.
std::string Alphabet(std::string_view text, char32_t lower, char32_t upper) {
  return Each(text, [&](char c, size_t) {
    const int index = LetterIndex(c);
    if (index < 0) return std::string(1, c);
    return Utf8((c >= 'a' ? lower : upper) + static_cast<char32_t>(index));
  });
}

// The next of `inserted` after each character.
std::string Insert(std::string_view text, const std::vector<char32_t>& inserted) {
  return Each(text, [&](char c, size_t i) { return std::string(1, c) + Utf8(inserted[i % inserted.size()]); });
}

std::string Hex(char c, const char* digits = "0123456789abcdef") {
  return {digits[static_cast<uint8_t>(c) >> 4], digits[c & 15]};
}

std::string Replace(std::string_view text, std::string_view from, const std::vector<const char*>& to) {
  return Each(text, [&](char c, size_t) {
    const size_t at = from.find(c);
    return at == std::string_view::npos ? std::string(1, c) : std::string(to[at]);
  });
}

std::string Reversed(std::string_view text) { return {text.rbegin(), text.rend()}; }

std::string Rot13(std::string_view text) {
  return Each(text, [](char c, size_t) {
    const int index = LetterIndex(c);
    return std::string(1, index < 0 ? c : static_cast<char>((c >= 'a' ? 'a' : 'A') + (index + 13) % 26));
  });
}

std::string Base64(std::string_view text) { return absl::Base64Escape(ToAbsl(text)); }
std::string HexText(std::string_view text) {
  return Each(text, [](char c, size_t) { return Hex(c); });
}
std::string Url(std::string_view text) {
  return Each(text, [](char c, size_t) { return "%" + Hex(c, "0123456789ABCDEF"); });
}
std::string HtmlDecimal(std::string_view text) {
  return Each(text, [](char c, size_t) { return "&#" + std::to_string(c) + ";"; });
}
std::string Leet(std::string_view text) {
  return Replace(text, "aeiosAEIOS", {"4", "3", "1", "0", "5", "4", "3", "1", "0", "5"});
}
std::string Cyrillic(std::string_view text) {
  return Replace(text, "aceopxyACEHKMOPTX",
                 {"а", "с", "е", "о", "р", "х", "у", "А", "С", "Е", "Н", "К", "М", "О", "Р", "Т", "Х"});
}
std::string ZeroWidth(std::string_view text) { return Insert(text, {0x200B}); }
std::string Fullwidth(std::string_view text) {
  return Each(text,
              [](char c, size_t) { return c <= ' ' ? Utf8(0x3000) : Utf8(0xFF01 + static_cast<char32_t>(c - '!')); });
}
std::string Spaced(std::string_view text) {
  return Each(text, [](char c, size_t) { return std::string(1, c) + " "; });
}

// Letters held apart by `mark`, words by a blank.
std::string Stretched(std::string_view text, std::string_view mark) {
  return Each(text, [&](char c, size_t i) {
    const bool inside = c != ' ' && i + 1 < text.size() && text[i + 1] != ' ';
    return std::string(1, c) + (inside ? std::string(mark) : "");
  });
}

std::string Wrapped(std::string text, size_t width, std::string_view line_end) {
  for (size_t at = width; at < text.size(); at += width + line_end.size()) text.insert(at, line_end);
  return text;
}

// Without blanks, in pieces of `size` with blanks between them.
std::string Cut(std::string_view text, size_t size) { return Wrapped(Replace(text, " ", {""}), size, " "); }

// `digits` of `width` bits each for bytes of eight, the last one padded with zeros.
std::string InDigits(std::string_view text, std::string_view digits, int width) {
  std::string out;
  uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    bits = bits << 8 | static_cast<uint8_t>(c);
    for (have += 8; have >= width; have -= width) out += digits[bits >> (have - width) & ((1u << width) - 1)];
  }
  if (have > 0) out += digits[bits << (width - have) & ((1u << width) - 1)];
  return out;
}
std::string Base32(std::string_view text) { return InDigits(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5); }
std::string Bits(std::string_view text) { return InDigits(text, "01", 1); }

// Four bytes become five digits.
std::string Base85(std::string_view text, std::string_view digits) {
  std::string out;
  for (size_t at = 0; at < text.size(); at += 4) {
    const std::string_view group = text.substr(at, 4);
    uint64_t value = 0;
    for (size_t i = 0; i < 4; ++i) value = value << 8 | (i < group.size() ? static_cast<uint8_t>(group[i]) : 0u);
    std::string five(5, ' ');
    for (size_t i = 5; i-- > 0; value /= 85) five[i] = digits[value % 85];
    out += five.substr(0, group.size() + 1);
  }
  return out;
}
std::string Ascii85(std::string_view text) {
  std::string digits;
  for (char c = '!'; c <= 'u'; ++c) digits += c;
  return Base85(text, digits);
}

std::string Octal(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return {static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)),
          static_cast<char>('0' + (byte & 7))};
}

// Letters and digits in Morse with a blank after each, and `gap` between words.
std::string Morse(std::string_view text, std::string_view gap) {
  constexpr const char* kLetters[] = {".-",   "-...", "-.-.", "-..",  ".",   "..-.", "--.",  "....", "..",
                                      ".---", "-.-",  ".-..", "--",   "-.",  "---",  ".--.", "--.-", ".-.",
                                      "...",  "-",    "..-",  "...-", ".--", "-..-", "-.--", "--.."};
  return Each(text, [&](char c, size_t) {
    const int index = LetterIndex(c);
    return c == ' ' ? std::string(gap) : index < 0 ? std::string() : std::string(kLetters[index]) + " ";
  });
}

std::string UpsideDown(std::string_view text) {
  const std::string turned = Reversed(text);
  return Replace(turned, "abcdefghijklmnopqrtuvwy", {"ɐ", "q", "ɔ", "p", "ǝ", "ɟ", "ƃ", "ɥ", "ᴉ", "ɾ", "ʞ", "l",
                                                     "ɯ", "u", "o", "d", "b", "ɹ", "ʇ", "n", "ʌ", "ʍ", "ʎ"});
}

std::string QuotedPrintable(std::string_view text) {
  return Wrapped(Each(text, [](char c, size_t) { return "=" + Hex(c, "0123456789ABCDEF"); }), 72, "=\r\n");
}

std::string VariationSelectorBytes(std::string_view text) {
  std::string out = "😀";
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    out += byte < 16 ? Utf8(0xFE00 + byte) : Utf8(0xE0100 + byte - 16u);
  }
  return out;
}

}  // namespace

const std::vector<Obfuscation>& Obfuscations() {
  using S = std::string_view;
  static const auto* const all = new std::vector<Obfuscation>{
      {"UpperCase", false,
       [](S t) { return Each(t, [](char c, size_t) { return std::string(1, static_cast<char>(std::toupper(c))); }); }},
      {"AlternatingCase", false,
       [](S t) {
         return Each(t, [](char c, size_t i) {
           return std::string(1, static_cast<char>(i % 2 == 0 ? std::toupper(c) : std::tolower(c)));
         });
       }},
      {"ZeroWidthSpace", false, ZeroWidth},
      {"MixedInvisible", false,
       [](S t) {
         return Insert(t, {0x200C, 0x200D, 0x2060, 0xFEFF, 0x180E});
       }},
      {"SoftHyphen", false, [](S t) { return Insert(t, {0xAD}); }},
      {"InvisibleMath", false,
       [](S t) {
         return Insert(t, {0x2061, 0x2062, 0x2063, 0x2064});
       }},
      {"Fullwidth", false, Fullwidth},
      {"MathBold", false, [](S t) { return Alphabet(t, 0x1D41A, 0x1D400); }},
      {"MathSansItalic", false, [](S t) { return Alphabet(t, 0x1D622, 0x1D608); }},
      {"MathMonospace", false, [](S t) { return Alphabet(t, 0x1D68A, 0x1D670); }},
      {"MathFraktur", false, [](S t) { return Alphabet(t, 0x1D586, 0x1D56C); }},
      {"Circled", false, [](S t) { return Alphabet(t, 0x24D0, 0x24B6); }},
      {"NegativeSquared", false, [](S t) { return Alphabet(t, 0x1F170, 0x1F170); }},
      {"Parenthesised", false, [](S t) { return Alphabet(t, 0x249C, 0x1F110); }},
      {"RegionalIndicators", false, [](S t) { return Alphabet(t, 0x1F1E6, 0x1F1E6); }},
      {"SmallCapitals", false,
       [](S t) {
         return Replace(t, "abcdefghijklmnoprstuvwyz", {"ᴀ", "ʙ", "ᴄ", "ᴅ", "ᴇ", "ꜰ", "ɢ", "ʜ", "ɪ", "ᴊ", "ᴋ", "ʟ",
                                                        "ᴍ", "ɴ", "ᴏ", "ᴘ", "ʀ", "ꜱ", "ᴛ", "ᴜ", "ᴠ", "ᴡ", "ʏ", "ᴢ"});
       }},
      {"Superscript", false,
       [](S t) {
         return Replace(t, "abcdefghijklmnoprstuvwxyz",
                        {"ᵃ", "ᵇ", "ᶜ", "ᵈ", "ᵉ", "ᶠ", "ᵍ", "ʰ", "ⁱ", "ʲ", "ᵏ", "ˡ", "ᵐ",
                         "ⁿ", "ᵒ", "ᵖ", "ʳ", "ˢ", "ᵗ", "ᵘ", "ᵛ", "ʷ", "ˣ", "ʸ", "ᶻ"});
       }},
      {"CyrillicHomoglyphs", false, Cyrillic},
      {"GreekHomoglyphs", false,
       [](S t) {
         return Replace(t, "oviupknAEIOTN", {"ο", "ν", "ι", "υ", "ρ", "κ", "η", "Α", "Ε", "Ι", "Ο", "Τ", "Ν"});
       }},
      {"Accents", false,
       [](S t) {
         return Replace(t, "aeiouncsAEIOU", {"à", "é", "ï", "õ", "ü", "ñ", "ç", "š", "Å", "È", "Í", "Ö", "Û"});
       }},
      {"CombiningMark", false, [](S t) { return Insert(t, {0x301}); }},
      {"StackedMarks", false,
       [](S t) {
         return Each(t, [](char c, size_t i) {
           std::string out(1, c);
           for (size_t k = 0; k < 5; ++k) out += Utf8(0x300 + static_cast<char32_t>((i * 7 + k * 13) % 0x6F));
           return out;
         });
       }},
      {"StackedMarksOnLetters", false,
       [](S t) {
         return Each(t, [](char c, size_t i) {
           std::string out(1, c);
           if (LetterIndex(c) < 0) return out;
           for (size_t k = 0; k < 8; ++k) out += Utf8(0x300 + static_cast<char32_t>((i * 11 + k * 29) % 0x6F));
           return out;
         });
       }},
      {"Underlined", false, [](S t) { return Insert(t, {0x332}); }},
      {"EnclosingMarks", false,
       [](S t) {
         return Insert(t, {0x20DD, 0x20DE});
       }},
      {"Tags", false,
       [](S t) {
         return "Hello! " + Each(t, [](char c, size_t) { return Utf8(0xE0000 + static_cast<char32_t>(c)); });
       }},
      {"BidiReversed", false, [](S t) { return Utf8(0x202E) + Reversed(t) + Utf8(0x202C); }},
      {"BidiMarks", false,
       [](S t) {
         return Insert(t, {0x200E, 0x200F, 0x202A, 0x202C, 0x2066, 0x2069});
       }},
      {"VariationSelectors", false, [](S t) { return Insert(t, {0xFE0F}); }},
      {"VariationSelectorBytes", false, VariationSelectorBytes},
      {"Leet", false, Leet},
      {"LeetSymbols", false,
       [](S t) {
         return Replace(t, "aeiostAEIOST", {"@", "3", "!", "0", "$", "7", "@", "3", "!", "0", "$", "7"});
       }},
      {"LeetSparse", false,
       [](S t) {
         return Replace(t, "eoEO", {"3", "0", "3", "0"});
       }},
      {"Spaced", false, Spaced},
      {"SpacedWithWordGaps", false,
       [](S t) {
         return Each(t, [](char c, size_t) { return c == ' ' ? std::string("  ") : std::string(1, c) + " "; });
       }},
      {"SpacedLettersGluedWords", false,
       [](S t) { return Each(t, [](char c, size_t) { return c == ' ' ? std::string() : std::string(1, c) + " "; }); }},
      {"Dashed", false, [](S t) { return Stretched(t, "-"); }},
      {"Dotted", false, [](S t) { return Stretched(t, "."); }},
      {"Underscored", false, [](S t) { return Stretched(t, "_"); }},
      {"Starred", false, [](S t) { return Stretched(t, "*"); }},
      {"Slashed", false, [](S t) { return Stretched(t, "/"); }},
      {"Piped", false, [](S t) { return Stretched(t, "|"); }},
      {"DashedThroughout", false,
       [](S t) {
         return Each(t, [](char c, size_t) { return (c == ' ' ? std::string() : std::string(1, c)) + "-"; });
       }},
      {"LettersOnLines", false, [](S t) { return Each(t, [](char c, size_t) { return std::string(1, c) + "\n"; }); }},
      {"WordsOnLines", false, [](S t) { return Replace(t, " ", {"\n"}); }},
      {"WordsUnderscored", false, [](S t) { return Replace(t, " ", {"_"}); }},
      {"WordsDashed", false, [](S t) { return Replace(t, " ", {"-"}); }},
      {"WordsDotted", false, [](S t) { return Replace(t, " ", {"."}); }},
      {"GluedWords", false, [](S t) { return Replace(t, " ", {""}); }},
      {"CamelCase", false,
       [](S t) {
         return Each(t, [&](char c, size_t i) {
           if (c == ' ') return std::string();
           return std::string(1, i > 0 && t[i - 1] == ' ' ? static_cast<char>(std::toupper(c)) : c);
         });
       }},
      {"InPairs", false, [](S t) { return Cut(t, 2); }},
      {"InThrees", false, [](S t) { return Cut(t, 3); }},
      {"InFives", false, [](S t) { return Cut(t, 5); }},
      {"ManyBlanks", false, [](S t) { return Replace(t, " ", {" \t   "}); }},
      {"NoBreakSpaces", false, [](S t) { return Replace(t, " ", {"\xC2\xA0"}); }},
      {"BrailleBlanks", false, [](S t) { return Replace(t, " ", {"\xE2\xA0\x80"}); }},
      {"Reversed", false, Reversed},
      {"ReversedWords", false,
       [](S t) {
         std::string out;
         for (size_t i = 0; i < t.size();) {
           const size_t end = std::min(t.find(' ', i), t.size());
           out += Reversed(t.substr(i, end - i));
           if (end < t.size()) out += ' ';
           i = end + 1;
         }
         return out;
       }},
      {"UpsideDown", false, UpsideDown},
      {"DeletedCharacters", false,
       [](S t) { return Each(t, [](char c, size_t) { return std::string(1, c) + "x\b"; }); }},
      {"Backspaces", false, [](S t) { return Insert(t, {0x08}); }},
      {"ZeroWidthAndLeet", false,
       [](S t) { return Each(Leet(t), [](char c, size_t) { return std::string(1, c) + "\xE2\x80\x8B"; }); }},
      {"LeetAndSpaced", false, [](S t) { return Spaced(Leet(t)); }},
      {"LeetAndDashed", false, [](S t) { return Stretched(Leet(t), "-"); }},
      {"ReversedAndLeet", false, [](S t) { return Reversed(Leet(t)); }},
      {"ReversedAndZeroWidth", false, [](S t) { return ZeroWidth(Reversed(t)); }},
      {"CyrillicAndZeroWidth", false,
       [](S t) { return Each(t, [](char c, size_t) { return Cyrillic(S(&c, 1)) + "\xE2\x80\x8D"; }); }},
      {"CyrillicAndSpaced", false,
       [](S t) { return Each(t, [](char c, size_t) { return Cyrillic(S(&c, 1)) + " "; }); }},
      {"FullwidthAndMarks", false,
       [](S t) { return Each(t, [](char c, size_t) { return Fullwidth(S(&c, 1)) + "\xCC\xB6"; }); }},
      {"FullwidthAndSpaced", false,
       [](S t) { return Each(t, [](char c, size_t) { return Fullwidth(S(&c, 1)) + " "; }); }},
      {"MarksAndSpaced", false,
       [](S t) { return Each(t, [](char c, size_t) { return std::string(1, c) + "\xCC\xB6\xCC\x81 "; }); }},

      {"Base64", true, Base64},
      {"Base64InText", true, [](S t) { return "Please look at " + Base64(t) + " and tell me more."; }},
      {"Base64Url", true, [](S t) { return std::string(absl::WebSafeBase64Escape(ToAbsl(t))); }},
      {"Base64Wrapped", true, [](S t) { return Wrapped(Base64(t), 76, "\r\n"); }},
      {"Base64WrappedShort", true, [](S t) { return Wrapped(Base64(t), 20, "\n"); }},
      {"Base64Twice", true, [](S t) { return Base64(Base64(t)); }},
      {"Base64ThreeTimes", true, [](S t) { return Base64(Base64(Base64(t))); }},
      {"Base64EachWord", true,
       [](S t) {
         std::string out;
         for (size_t i = 0; i < t.size(); i += 12) out += Base64(t.substr(i, 12)) + " ";
         return out;
       }},
      {"Base64InFours", true, [](S t) { return Wrapped(Base64(t), 4, " "); }},
      {"Base64InLinesOfEight", true, [](S t) { return Wrapped(Base64(t), 8, "\n"); }},
      {"Base32", true, Base32},
      {"Base32Small", true,
       [](S t) {
         return Each(Base32(t), [](char c, size_t) { return std::string(1, static_cast<char>(std::tolower(c))); });
       }},
      {"Base32InFours", true, [](S t) { return Wrapped(Base32(t), 4, " "); }},
      {"Ascii85", true, Ascii85},
      {"Ascii85WithMarks", true, [](S t) { return "<~" + Ascii85(t) + "~>"; }},
      {"Ascii85OnLines", true, [](S t) { return Wrapped(Ascii85(t), 64, "\n"); }},
      {"Base85", true,
       [](S t) {
         return Base85(
             t, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~");
       }},
      {"Bits", true, Bits},
      {"BitsInFours", true, [](S t) { return Wrapped(Bits(t), 4, " "); }},
      {"SevenBits", true, [](S t) { return Each(t, [](char c, size_t) { return Bits(S(&c, 1)).substr(1) + " "; }); }},
      {"OctalRow", true, [](S t) { return Each(t, [](char c, size_t) { return Octal(c) + " "; }); }},
      {"OctalLines", true, [](S t) { return Each(t, [](char c, size_t) { return Octal(c) + "\n"; }); }},
      {"Morse", true, [](S t) { return Morse(t, "/ "); }},
      {"MorseWordsOnLines", true, [](S t) { return Morse(t, "\n"); }},
      {"MorseWithoutGaps", true, [](S t) { return Morse(t, ""); }},
      {"Base32OfBase64", true, [](S t) { return Base32(Base64(t)); }},
      {"Hex", true, HexText},
      {"HexInFours", true, [](S t) { return Wrapped(HexText(t), 4, " "); }},
      {"HexUpper", true, [](S t) { return Each(t, [](char c, size_t) { return Hex(c, "0123456789ABCDEF"); }); }},
      {"HexSpaced", true, [](S t) { return Each(t, [](char c, size_t) { return Hex(c) + " "; }); }},
      {"HexColons", true, [](S t) { return Each(t, [](char c, size_t) { return Hex(c) + ":"; }); }},
      {"HexPrefixed", true, [](S t) { return Each(t, [](char c, size_t) { return "0x" + Hex(c) + ", "; }); }},
      {"HexOneRun", true, [](S t) { return "0x" + HexText(t); }},
      {"HexEscapes", true, [](S t) { return Each(t, [](char c, size_t) { return "\\x" + Hex(c); }); }},
      {"UnicodeEscapes", true, [](S t) { return Each(t, [](char c, size_t) { return "\\u00" + Hex(c); }); }},
      {"UnicodeEscapesBraced", true, [](S t) { return Each(t, [](char c, size_t) { return "\\u{" + Hex(c) + "}"; }); }},
      {"UnicodeNotation", true,
       [](S t) { return Each(t, [](char c, size_t) { return "U+00" + Hex(c, "0123456789ABCDEF") + " "; }); }},
      {"OctalEscapes", true,
       [](S t) {
         return Each(t, [](char c, size_t) {
           return std::string("\\") + static_cast<char>('0' + (c >> 6)) + static_cast<char>('0' + (c >> 3 & 7)) +
                  static_cast<char>('0' + (c & 7));
         });
       }},
      {"DecimalCodes", true, [](S t) { return Each(t, [](char c, size_t) { return std::to_string(c) + " "; }); }},
      {"BinaryCodes", true,
       [](S t) {
         return Each(t, [](char c, size_t) {
           std::string bits;
           for (int k = 7; k >= 0; --k) bits += (c >> k & 1) != 0 ? '1' : '0';
           return bits + " ";
         });
       }},
      {"Url", true, Url},
      {"UrlSpaces", true, [](S t) { return Replace(t, " ", {"%20"}); }},
      {"UrlPlus", true,
       [](S t) {
         return Replace(t, " ,'\"", {"+", "%2C", "%27", "%22"});
       }},
      {"UrlTwice", true,
       [](S t) {
         return Each(Url(t), [](char c, size_t) { return c == '%' ? std::string("%25") : std::string(1, c); });
       }},
      {"HtmlDecimal", true, HtmlDecimal},
      {"HtmlHex", true, [](S t) { return Each(t, [](char c, size_t) { return "&#x" + Hex(c) + ";"; }); }},
      {"HtmlPadded", true,
       [](S t) { return Each(t, [](char c, size_t) { return "&#0000" + std::to_string(c) + ";"; }); }},
      {"HtmlWithoutSemicolons", true,
       [](S t) { return Each(t, [](char c, size_t) { return "&#" + std::to_string(c); }); }},
      {"HtmlNamed", true,
       [](S t) {
         return Replace(t, " .,!?:'\"",
                        {"&nbsp;", "&period;", "&comma;", "&excl;", "&quest;", "&colon;", "&apos;", "&quot;"});
       }},
      {"HtmlTwice", true,
       [](S t) {
         return Each(HtmlDecimal(t),
                     [](char c, size_t) { return c == '&' ? std::string("&amp;") : std::string(1, c); });
       }},
      {"QuotedPrintable", true, QuotedPrintable},
      {"QuotedPrintableSpaces", true, [](S t) { return Replace(t, " ", {"=20"}); }},
      {"Rot13", true, Rot13},
      {"Rot13InBase64", true, [](S t) { return Base64(Rot13(t)); }},
      {"HexInBase64", true, [](S t) { return Base64(HexText(t)); }},
      {"Base64InHex", true, [](S t) { return HexText(Base64(t)); }},
      {"Base64InUrl", true, [](S t) { return Url(Base64(t)); }},
      {"UrlInBase64", true, [](S t) { return Base64(Url(t)); }},
      {"HtmlInUrl", true, [](S t) { return Url(HtmlDecimal(t)); }},
      {"ReversedInBase64", true, [](S t) { return Base64(Reversed(t)); }},
      {"ZeroWidthInBase64", true, [](S t) { return Base64(ZeroWidth(t)); }},
      {"LeetInBase64", true, [](S t) { return Base64(Leet(t)); }},
      {"SpacedInBase64", true, [](S t) { return Base64(Spaced(t)); }},
      {"Base64InZeroWidth", true, [](S t) { return ZeroWidth(Base64(t)); }},
  };
  return *all;
}

}  // namespace toolgate::security::injection_defence
