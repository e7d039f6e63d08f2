// A statement that is put together.
#ifndef TOOLGATE_STORAGE_POSTGRES_SQL_TEXT_H_
#define TOOLGATE_STORAGE_POSTGRES_SQL_TEXT_H_

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "storage/postgres/connection.h"
#include "storage/postgres/params.h"

namespace toolgate::storage::postgres {

// Values are always parameters: `sql << "id = " << sql.Value(id)`. Used by one thread.
class SqlText {
 public:
  SqlText& operator<<(std::string_view part) {
    text_.append(part);
    return *this;
  }
  // Adds a parameter and returns its name. Borrows strings, as Params does.
  template <typename T>
  std::string Value(const T& value) {
    params_.Add(value);
    return absl::StrCat("$", params_.size());
  }

  // The same of a string that does not last.
  std::string OwnedValue(std::string_view value) {
    params_.AddCopy(value);
    return absl::StrCat("$", params_.size());
  }

  Sql sql() const { return Sql::Once(text_); }
  const Params& params() const { return params_; }

 private:
  std::string text_;
  Params params_;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_SQL_TEXT_H_
