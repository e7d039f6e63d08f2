// The property names of a schema object, with fast lookup.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_PROPERTY_TABLE_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_PROPERTY_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate::security::param_validation {

// An open-addressing hash table that is filled once. Thread-safe afterwards.
class PropertyTable {
 public:
  static constexpr uint32_t kNoNode = std::numeric_limits<uint32_t>::max();
  struct Entry {
    std::string name;
    uint32_t node = kNoNode;  // The subschema under "properties"; kNoNode for a name that is only required.
    int8_t required_bit = -1;
  };

  // The entry of `name`, created if it is new. Invalidates earlier references.
  Entry& Add(std::string_view name);
  // Call once after the last Add.
  void Finish();

  // nullptr if there is none. `hint` is the likely entry, because objects tend to be written in their schema's order;
  // it is moved behind the found entry.
  const Entry* Find(std::string_view name, size_t& hint) const {
    if (hint < entries_.size() && entries_[hint].name == name) return &entries_[hint++];
    return FindByHash(name, hint);
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  const Entry* FindByHash(std::string_view name, size_t& hint) const;

  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // A power of two; index into entries_ plus one, or 0.
};

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_PROPERTY_TABLE_H_
