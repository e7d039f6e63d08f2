// Members of an object, or items of an array, that some keyword has evaluated.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_EVALUATED_SET_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_EVALUATED_SET_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"

namespace toolgate::security::param_validation {

// Members are identified by their position in the object. Allocates beyond 128 of them.
class EvaluatedSet {
 public:
  void Mark(size_t index) {
    const size_t word = index / 64;
    if (word >= words_.size()) words_.resize(word + 1, 0);
    words_[word] |= uint64_t{1} << (index % 64);
  }
  void MarkAll() { all_ = true; }
  bool Has(size_t index) const {
    const size_t word = index / 64;
    return all_ || (word < words_.size() && ((words_[word] >> (index % 64)) & 1) != 0);
  }
  void Merge(const EvaluatedSet& other) {
    all_ = all_ || other.all_;
    if (other.words_.size() > words_.size()) words_.resize(other.words_.size(), 0);
    for (size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  }

 private:
  absl::InlinedVector<uint64_t, 2> words_;
  bool all_ = false;
};

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_EVALUATED_SET_H_
