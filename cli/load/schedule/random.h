// Small, fast, repeatable random numbers.
#ifndef TOOLGATE_CLI_LOAD_SCHEDULE_RANDOM_H_
#define TOOLGATE_CLI_LOAD_SCHEDULE_RANDOM_H_

#include <cmath>
#include <cstdint>

namespace toolgate::cli::load::schedule {

// SplitMix64. Not for secrets. Not thread-safe.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // Independent sequence number `stream` of a seed: each call of a run has its own, so that its content depends neither
  // on threads nor on the order of answers.
  Random(uint64_t seed, uint64_t stream) : state_(Mix(seed) ^ Mix(stream * 0x9e3779b97f4a7c15 + 1)) {}

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;
    return Mix(state_);
  }
  // In [0, 1).
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }
  // In [0, bound); `bound` must not be 0. The bias is below bound / 2^64.
  uint64_t Below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(Next()) * bound) >> 64);
  }
  // In [0, bound), rank r with a probability close to 1 / (r + 1): Zipf's law.
  uint64_t ZipfBelow(uint64_t bound) {
    const double rank = std::exp(Unit() * std::log(static_cast<double>(bound) + 1));
    const auto index = static_cast<uint64_t>(rank) - 1;
    return index < bound ? index : bound - 1;
  }
  // Exponentially distributed with mean 1.
  double Exponential() { return -std::log1p(-Unit()); }

 private:
  static uint64_t Mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
  }

  uint64_t state_;
};

}  // namespace toolgate::cli::load::schedule

#endif  // TOOLGATE_CLI_LOAD_SCHEDULE_RANDOM_H_
