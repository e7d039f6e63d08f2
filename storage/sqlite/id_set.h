// Sets of ids as one parameter of a statement.
#ifndef TOOLGATE_STORAGE_SQLITE_ID_SET_H_
#define TOOLGATE_STORAGE_SQLITE_ID_SET_H_

#include <string>

#include "storage/rows.h"

namespace toolgate::storage::sqlite {

// For json_each.
std::string IdsAsJson(Ids ids);

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_ID_SET_H_
