// The output of a command, as its result has it.
#ifndef TOOLGATE_EXECUTORS_SHELL_COMMAND_OUTPUT_H_
#define TOOLGATE_EXECUTORS_SHELL_COMMAND_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace toolgate::executors::shell {

// Keeps the first and the last bytes of a stream, half of `max_bytes` each: errors stand at the end, their causes at
// the beginning. Used by one thread.
class CommandOutput {
 public:
  explicit CommandOutput(size_t max_bytes) : half_(max_bytes / 2) {}

  void Add(std::string_view bytes);

  // With a line in place of what is cut, which says how many bytes are missing; cut between characters. May be
  // ill-formed UTF-8, which DumpJson replaces.
  std::string Text() const;
  // Bytes of Text() that are no text, and are replaced.
  int64_t ReplacedBytes() const;
  int64_t total_bytes() const { return total_; }
  bool is_cut() const { return Omitted() > 0; }

 private:
  int64_t Omitted() const { return total_ - static_cast<int64_t>(head_.size() + tail_.size()); }
  // The parts that are kept, without characters that were cut in two.
  std::string_view Head() const;
  std::string_view Tail() const;

  const size_t half_;
  int64_t total_ = 0;
  std::string head_;
  std::string tail_;
};

}  // namespace toolgate::executors::shell

#endif  // TOOLGATE_EXECUTORS_SHELL_COMMAND_OUTPUT_H_
