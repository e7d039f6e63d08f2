// Calendars for tests: the files in data/, as other programs write them, and the results of importing a text.
#ifndef TOOLGATE_TESTS_SUPPORT_CALENDARS_H_
#define TOOLGATE_TESTS_SUPPORT_CALENDARS_H_

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "common/json.h"
#include "interchange/icalendar/import.h"
#include "tests/support/source_dir.h"

namespace toolgate::interchange::icalendar {

inline const absl::Time kNow = absl::FromUnixSeconds(1772442000);  // 2026-03-02T09:00:00Z

struct Imported {
  absl::Status status;
  std::vector<v1::PortableBlock> blocks;
  std::vector<std::string> warnings;
  std::vector<std::string> places;

  Json Data(size_t i) const { return i < blocks.size() ? *ParseJson(blocks[i].data_json()) : Json(); }
};

inline Imported Import(const std::string& text) {
  Imported imported;
  const auto source = IcalImport::Parse(text, kNow, IdSource::Real());
  imported.status = source.status();
  if (!source.ok()) return imported;
  v1::PortableBlock block;
  while (*(*source)->Next(block)) {
    imported.blocks.push_back(block);
    imported.places.push_back((*source)->Place());
  }
  imported.warnings = (*source)->Warnings();
  return imported;
}

inline std::string File(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(SourceDir() + "/tests/unit/interchange/icalendar/data/" + name, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace toolgate::interchange::icalendar

#endif  // TOOLGATE_TESTS_SUPPORT_CALENDARS_H_
