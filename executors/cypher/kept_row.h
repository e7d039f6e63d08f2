// Rows that operators keep beyond their turn in the frame.
#ifndef TOOLGATE_EXECUTORS_CYPHER_KEPT_ROW_H_
#define TOOLGATE_EXECUTORS_CYPHER_KEPT_ROW_H_

#include <cstddef>
#include <vector>

#include "executors/cypher/execution.h"
#include "executors/cypher/values/comparison.h"

namespace toolgate::executors::cypher {

using KeptRow = std::vector<values::Value>;

inline KeptRow CopyOut(Execution& execution, const std::vector<int>& slots) {
  KeptRow row;
  row.reserve(slots.size());
  for (const int slot : slots) row.push_back(execution.slot(slot));
  return row;
}

inline void CopyBack(const KeptRow& row, const std::vector<int>& slots, Execution& execution) {
  for (size_t i = 0; i < slots.size(); ++i) execution.slot(slots[i]) = row[i];
}

inline size_t BytesOf(const KeptRow& row) {
  size_t bytes = 2 * sizeof(KeptRow);
  for (const values::Value& value : row) bytes += value.MemoryBytes();
  return bytes;
}

// Hash and equivalence of whole rows, for tables of distinct rows.
struct HashRow {
  size_t operator()(const KeptRow& row) const {
    size_t hash = row.size();
    for (const values::Value& value : row) hash = hash * 0x9e3779b97f4a7c15 + values::Hash(value);
    return hash;
  }
};
struct SameRow {
  bool operator()(const KeptRow& a, const KeptRow& b) const {
    for (size_t i = 0; i < a.size(); ++i) {
      if (!values::Equivalent(a[i], b[i])) return false;
    }
    return true;
  }
};

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_KEPT_ROW_H_
