// The fields of blocks that an index serves: what filters and sorts of lists use.
//
// Storage knows no types of blocks. Code that does declares, for each type, which values of its data are indexed; the
// store writes their rows beside each block (index_entries.h) and answers queries from them (query_plan.h). A query
// never needs an index: without one it reads more.
#ifndef TOOLGATE_STORAGE_DECLARED_FIELDS_H_
#define TOOLGATE_STORAGE_DECLARED_FIELDS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "storage/query.h"

namespace toolgate::storage {

// A value of a block's data.
struct DeclaredField {
  enum class Kind {
    kValue,    // The string, number or boolean at `path`.
    kLabels,   // Each string of the array at `path`, without regard to case.
    kMembers,  // Each member of the object at `path`, a field of its own: as a value, or an array's strings as
               // elements.
    kSpans,    // The days that `spans` returns.
    kDerived,  // The text that `derived` returns.
  };
  Kind kind = Kind::kValue;
  std::vector<std::string> path;  // Keys from the data object's root; for kSpans and kDerived the field's name.
  SpansOf spans = nullptr;        // For kSpans.
  DerivedOf derived = nullptr;    // For kDerived.
};

// A type of blocks whose fields are indexed. Types of one scope share their indexes: a query over some of them is
// served by these.
struct DeclaredType {
  std::string type;
  // Name of the scope; empty: each parent's blocks of this type are a scope of their own.
  std::string scope;
  std::vector<DeclaredField> fields;
};

// Immutable, so thread-safe.
class DeclaredFields {
 public:
  // None: nothing is indexed.
  DeclaredFields() = default;
  // `revision`: of the functions among them, raised when one returns other spans for the same data.
  DeclaredFields(std::vector<DeclaredType> types, int revision);

  // nullptr if the type declares nothing.
  const DeclaredType* Find(std::string_view type) const;
  // Number of types of the scope.
  size_t CountTypes(std::string_view scope) const;
  // Equal for equal declarations: index rows of another digest are of no use.
  const std::string& digest() const { return digest_; }
  bool empty() const { return types_.empty(); }

 private:
  absl::flat_hash_map<std::string, DeclaredType> types_;
  std::string digest_;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_DECLARED_FIELDS_H_
