// State of a thing, shared by all that remember it.
#ifndef TOOLGATE_STORAGE_IMAGE_H_
#define TOOLGATE_STORAGE_IMAGE_H_

#include <memory>
#include <optional>
#include <utility>

namespace toolgate::storage {

// A state of a block, link or document, or none. A copy costs a pointer and shares the state: a change of 100,000
// blocks is held by the log of its transaction, by its result and by its undo entry, and a copy of each block for each
// of them would be what most of the memory is for. The interface is that of std::optional. Copies may be used by
// several threads at the same time; one Image may not.
template <typename Thing>
class Image {
 public:
  Image() = default;
  // Implicit, like those of std::optional.
  Image(std::nullopt_t) {}                                                   // NOLINT(google-explicit-constructor)
  Image(Thing thing) : thing_(std::make_shared<Thing>(std::move(thing))) {}  // NOLINT(google-explicit-constructor)
  Image(std::optional<Thing> thing) {                                        // NOLINT(google-explicit-constructor)
    if (thing.has_value()) thing_ = std::make_shared<Thing>(*std::move(thing));
  }

  bool has_value() const { return thing_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  // Require a value.
  const Thing& operator*() const { return *thing_; }
  const Thing* operator->() const { return thing_.get(); }
  // To change this image alone: copies what others share. Requires a value.
  Thing& Mutable() {
    if (thing_.use_count() > 1) thing_ = std::make_shared<Thing>(*thing_);
    return *thing_;
  }
  void reset() { thing_.reset(); }
  friend bool operator==(const Image& image, std::nullopt_t) { return !image.has_value(); }

 private:
  std::shared_ptr<Thing> thing_;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_IMAGE_H_
