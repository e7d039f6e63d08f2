// Objects that several families of one catalogue use.
#ifndef TOOLGATE_EXECUTORS_SHARED_PARTS_H_
#define TOOLGATE_EXECUTORS_SHARED_PARTS_H_

#include <memory>
#include <typeindex>
#include <typeinfo>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "common/status_macros.h"

namespace toolgate::executors {

// One object of each type, made by the first family that asks for it and kept by those that did. Used by the thread
// that makes the catalogue.
class SharedParts {
 public:
  // Returns the error of `make`, if it is called.
  template <typename T>
  absl::StatusOr<std::shared_ptr<T>> Get(absl::FunctionRef<absl::StatusOr<std::shared_ptr<T>>()> make) {
    std::shared_ptr<void>& part = parts_[std::type_index(typeid(T))];
    if (part == nullptr) {
      ASSIGN_OR_RETURN(part, make());
    }
    return std::static_pointer_cast<T>(part);
  }

 private:
  absl::flat_hash_map<std::type_index, std::shared_ptr<void>> parts_;
};

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_SHARED_PARTS_H_
