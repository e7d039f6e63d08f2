// Rows of the index over declared fields in a form that compares byte by byte.
#ifndef TOOLGATE_STORAGE_POSTGRES_INDEX_VALUES_H_
#define TOOLGATE_STORAGE_POSTGRES_INDEX_VALUES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/index_entries.h"
#include "storage/query_plan.h"

namespace toolgate::storage::postgres {

// Bytes that compare as the values do: numbers by their value, whether integer or not, and before strings.
std::string IndexBytes(const IndexValue& value);

// A number for a field of a scope. Two fields of one number are as good as never; what a query finds is checked.
int64_t FieldNumber(std::string_view scope, std::string_view field);

// Bytes between which the values of a range are. `high` is never empty.
struct ByteRange {
  std::string low;
  std::string high;
  bool without_low = false;
  bool without_high = false;
};
ByteRange BytesOf(const IndexRange& range);

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_INDEX_VALUES_H_
