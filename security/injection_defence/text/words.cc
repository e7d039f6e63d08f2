#include "security/injection_defence/text/words.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>

namespace toolgate::security::injection_defence::text {
namespace {

constexpr size_t kBlock = 64;
constexpr size_t kChunk = sizeof(uint64_t);
// The bit that distinguishes lower from upper case; digits have it.
constexpr char kLowerBit = 0x20;
constexpr uint64_t kLowerBits = 0x2020202020202020;

// Masks of the ASCII letters and digits among 64 bytes: bit i for byte i.
struct Block {
  uint64_t letters = 0;
  uint64_t digits = 0;
};

#ifdef __SSE2__
// Bytes of `bytes` that lie between `first` and `first` + `span`.
uint64_t Between(__m128i bytes, char first, char span) {
  const __m128i offset = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
  const __m128i within = _mm_cmpeq_epi8(_mm_min_epu8(offset, _mm_set1_epi8(span)), offset);
  return static_cast<uint64_t>(_mm_movemask_epi8(within));
}

Block Classify(const char* bytes) {
  constexpr size_t kVector = sizeof(__m128i);
  Block block;
  for (size_t i = 0; i < kBlock; i += kVector) {
    const __m128i vector = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i));
    block.letters |= Between(_mm_or_si128(vector, _mm_set1_epi8(kLowerBit)), 'a', 25) << i;
    block.digits |= Between(vector, '0', 9) << i;
  }
  return block;
}
#else
Block Classify(const char* bytes) {
  Block block;
  for (size_t i = 0; i < kBlock; ++i) {
    const char lower = static_cast<char>(bytes[i] | kLowerBit);
    block.letters |= uint64_t{lower >= 'a' && lower <= 'z'} << i;
    block.digits |= uint64_t{bytes[i] >= '0' && bytes[i] <= '9'} << i;
  }
  return block;
}
#endif

// Masks of `text` from `at` on; bytes beyond its end are neither.
Block BlockAt(std::string_view text, size_t at) {
  if (at + kBlock <= text.size()) return Classify(text.data() + at);
  char padded[kBlock] = {};
  std::memcpy(padded, text.data() + at, text.size() - at);
  return Classify(padded);
}

uint64_t LoadChunk(const char* bytes, size_t size) {
  uint64_t chunk = 0;
  std::memcpy(&chunk, bytes, size);
  return chunk;
}

uint64_t Mix(uint64_t hash, uint64_t chunk) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;
  hash = (std::rotl(hash, 29) ^ chunk) * kMultiplier;
  return hash ^ hash >> 32;
}

// Hash of text[start, end), letters and digits only, in lower case.
uint64_t HashInLowerCase(std::string_view text, size_t start, size_t end) {
  uint64_t hash = 0;
  for (; end - start > kChunk; start += kChunk) hash = Mix(hash, LoadChunk(text.data() + start, kChunk) | kLowerBits);
  const size_t rest = end - start;
  const uint64_t bytes =
      start + kChunk <= text.size() ? LoadChunk(text.data() + start, kChunk) : LoadChunk(text.data() + start, rest);
  return Mix(hash, (bytes | kLowerBits) & (~uint64_t{0} >> (kBlock - 8 * rest)));
}

// Bits [begin, end) of 64; the range must not be empty.
uint64_t Bits(size_t begin, size_t end) { return ~uint64_t{0} >> (kBlock - (end - begin)) << begin; }

}  // namespace

uint64_t HashOfWord(std::string_view bytes) {
  uint64_t hash = 0;
  for (; bytes.size() > kChunk; bytes.remove_prefix(kChunk)) hash = Mix(hash, LoadChunk(bytes.data(), kChunk));
  return Mix(hash, LoadChunk(bytes.data(), bytes.size()));
}

void ReadWords(std::string_view text, std::vector<Word>& words) {
  words.clear();
  Word word{};
  bool inside = false;
  const auto see = [&](const Block& block, size_t begin, size_t end) {
    word.letters |= (block.letters & Bits(begin, end)) != 0;
    word.digits |= (block.digits & Bits(begin, end)) != 0;
  };
  const auto close = [&](size_t end) {
    word.end = static_cast<uint32_t>(end);
    word.hash = HashInLowerCase(text, word.start, end);
    words.push_back(word);
    inside = false;
  };
  for (size_t at = 0; at < text.size(); at += kBlock) {
    const Block block = BlockAt(text, at);
    const uint64_t in_words = block.letters | block.digits;
    uint64_t edges = in_words ^ (in_words << 1 | uint64_t{inside});
    size_t begin = 0;  // Of the part of the word that lies in this block.
    while (edges != 0) {
      const auto edge = static_cast<size_t>(std::countr_zero(edges));
      edges &= edges - 1;
      if (inside) {
        if (edge > begin) see(block, begin, edge);
        close(at + edge);
      } else {
        begin = edge;
        word = {0, static_cast<uint32_t>(at + edge), 0, false, false};
        inside = true;
      }
    }
    if (inside) see(block, begin, kBlock);
  }
  if (inside) close(text.size());
}

}  // namespace toolgate::security::injection_defence::text
