#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_SCANNER_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace toolgate::executors::cypher::temporal {

// Reads a text from its front. The text is borrowed. For one thread.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  // How many digits come next.
  size_t CountDigits() const;

  // Takes the character if it comes next.
  bool Take(char c);
  // Takes `least` to `most` digits, as many as there are. Nothing is taken when there are fewer. `most` is at most 18.
  std::optional<int64_t> TakeNumber(size_t least, size_t most);
  // Takes a decimal number: an optional sign, digits, and after "." or "," more digits. Empty when none comes next.
  std::string_view TakeDecimal();
  // Takes "." or "," and 1 to 9 digits, as nanoseconds; 0 when neither comes next; nothing for another number of
  // digits.
  std::optional<int64_t> TakeFractionOfSecond();

 private:
  size_t DigitsFrom(size_t start) const;

  std::string_view rest_;
};

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_SCANNER_H_
