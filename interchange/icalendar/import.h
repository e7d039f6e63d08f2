// Imports an iCalendar file as blocks.
#ifndef TOOLGATE_INTERCHANGE_ICALENDAR_IMPORT_H_
#define TOOLGATE_INTERCHANGE_ICALENDAR_IMPORT_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "interchange/block_source.h"

namespace toolgate::interchange::icalendar {

// Every VEVENT, and every VTODO with a date, becomes a calendar_event; changed occurrences (RECURRENCE-ID) are placed
// below their series. Everything is parsed before the first block is returned, so that a broken file imports nothing.
class IcalImport final : public BlockSource {
 public:
  // INVALID_ARGUMENT names the line and the problem. `now` and `ids` make the blocks' ids.
  static absl::StatusOr<std::unique_ptr<IcalImport>> Parse(std::string_view text, absl::Time now, IdSource& ids);

  absl::StatusOr<bool> Next(v1::PortableBlock& block) override;
  std::string Place() const override;
  double Fraction() const override;
  std::vector<std::string> Warnings() const override { return warnings_; }

 private:
  struct Row {
    v1::PortableBlock block;
    int64_t line = 0;
  };

  IcalImport() = default;

  std::vector<Row> rows_;
  size_t next_ = 0;
  std::vector<std::string> warnings_;
};

// True for names that are read as iCalendar: *.ics and *.ical, in any case.
bool IsIcalName(const std::string& path);

}  // namespace toolgate::interchange::icalendar

#endif  // TOOLGATE_INTERCHANGE_ICALENDAR_IMPORT_H_
