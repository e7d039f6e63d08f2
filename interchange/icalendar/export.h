// A workspace's calendar as an iCalendar file. libical can read it (export_test.cc); text.h explains why it is not
// written by libical.
#ifndef TOOLGATE_INTERCHANGE_ICALENDAR_EXPORT_H_
#define TOOLGATE_INTERCHANGE_ICALENDAR_EXPORT_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/json.h"
#include "toolgate/v1/data_service.pb.h"

namespace toolgate::interchange::icalendar {

// Takes blocks one by one and keeps the calendar_event ones: events become VEVENT, tasks VTODO. Times keep their zone,
// with a VTIMEZONE for readers that do not know its name; times without a zone stay without. Not thread-safe.
class IcalExport {
 public:
  // `now` becomes DTSTAMP, which every event must have.
  explicit IcalExport(absl::Time now) : now_(now) {}

  // Parents before children. DATA_LOSS if an event's data cannot be understood.
  absl::Status Add(const v1::PortableBlock& block);
  int64_t events() const { return events_; }
  // The whole file.
  std::string Finish() const;

 private:
  struct Series {
    std::string uid;
    std::string zone;
    std::string time;  // "" for whole days.
  };

  void AppendTimes(const Json& data, bool is_task, std::string& out);
  void AppendRule(const Json& data, std::string& out) const;
  void Use(const std::string& zone, absl::CivilSecond clock);

  const absl::Time now_;
  std::string body_;
  int64_t events_ = 0;
  std::map<std::string, Series> series_;  // By block.
  struct Span {
    absl::Time first;
    absl::Time last;
  };
  std::map<std::string, Span> zones_;
};

}  // namespace toolgate::interchange::icalendar

#endif  // TOOLGATE_INTERCHANGE_ICALENDAR_EXPORT_H_
