#include "security/param_validation/property_table.h"

#include <algorithm>
#include <cstring>

namespace toolgate::security::param_validation {
namespace {

// Hashes length and both ends: names of one object rarely agree in all of them, and examining more costs more than the
// rare collision. The names are the schema author's, so collisions cannot be forced from outside.
size_t HashOf(std::string_view name) {
  uint64_t head = 0;
  uint64_t tail = 0;
  const size_t part = std::min<size_t>(name.size(), 8);
  std::memcpy(&head, name.data(), part);
  std::memcpy(&tail, name.data() + name.size() - part, part);
  uint64_t hash = (head ^ (name.size() * 0x9E3779B97F4A7C15u)) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ (hash >> 29) ^ tail) * 0x94D049BB133111EBu;
  return static_cast<size_t>(hash ^ (hash >> 32));
}

}  // namespace

PropertyTable::Entry& PropertyTable::Add(std::string_view name) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.name == name; });
  if (found != entries_.end()) return *found;
  return entries_.emplace_back(Entry{std::string(name), kNoNode, -1});
}

void PropertyTable::Finish() {
  if (entries_.empty()) return;
  size_t size = 4;
  while (size < entries_.size() * 2) size *= 2;
  slots_.assign(size, 0);
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    size_t slot = HashOf(entries_[i].name) & (size - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (size - 1);
    slots_[slot] = i + 1;
  }
}

const PropertyTable::Entry* PropertyTable::FindByHash(std::string_view name, size_t& hint) const {
  if (slots_.empty()) return nullptr;
  const size_t mask = slots_.size() - 1;
  for (size_t slot = HashOf(name) & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const Entry& entry = entries_[slots_[slot] - 1];
    if (entry.name != name) continue;
    hint = slots_[slot];
    return &entry;
  }
  return nullptr;
}

}  // namespace toolgate::security::param_validation
