// The private SQL database as a family of one tool.
#ifndef TOOLGATE_EXECUTORS_SQL_SQL_TOOLS_H_
#define TOOLGATE_EXECUTORS_SQL_SQL_TOOLS_H_

#include "executors/family.h"
#include "executors/sql/engine/sql_limits.h"
#include "executors/sql/settings.pb.h"

namespace toolgate::executors::sql {

// "db_query", with the settings of the section "sql". A statement takes real time, whatever clock the service is shown.
Family SqlFamily();

// `settings` has a value for every field.
engine::SqlLimits LimitsOf(const SqlSettings& settings);

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_SQL_TOOLS_H_
