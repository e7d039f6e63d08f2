// A month of a calendar with 10,000 events, most of which recur, from a SQLite store on disk.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/clock.h"
#include "common/dates.h"
#include "common/fibers/cancellation.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/block_writer.h"
#include "executors/blocks/recurrence.h"
#include "executors/calendar/agenda.h"
#include "storage/store.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"

namespace toolgate::executors::calendar {
namespace {

constexpr int kEvents = 10'000;
const absl::CivilDay kFirst(2021, 1, 1);

void Require(const absl::Status& status) {
  if (status.ok()) return;
  std::cerr << status << "\n";
  std::abort();
}

// Half of the events after five years are over; some recurring ones have an end and some have none.
Json EventAt(int i) {
  const absl::CivilDay day = kFirst + (i * 37) % 2'200;
  Json data = {
      {"title", absl::StrCat("Event ", i)}, {"date", FormatDay(day)}, {"type", "event"}, {"status", "pending"}};
  if (i % 3 != 0) {
    data["time"] = absl::StrCat(absl::Dec(8 + i % 10, absl::kZeroPad2), ":30");
    data["endTime"] = absl::StrCat(absl::Dec(9 + i % 10, absl::kZeroPad2), ":15");
  }
  if (i % 4 == 0) data["description"] = "What was said the last time, and what is to be talked about this time.";
  if (i % 7 == 0) data["timeZone"] = i % 2 == 0 ? "Europe/Berlin" : "America/New_York";
  switch (i % 10) {
    case 0:
      data["recurrence"] = "FREQ=DAILY";
      break;
    case 1:
      data["recurrence"] = absl::StrCat("FREQ=DAILY;COUNT=", 5 + i % 50);
      break;
    case 2:
      data["recurrence"] = "FREQ=WEEKLY;BYDAY=MO,WE,FR";
      break;
    case 3:
      data["recurrence"] = "FREQ=WEEKLY;INTERVAL=2;UNTIL=20271231";
      break;
    case 4:
      data["recurrence"] = absl::StrCat("FREQ=WEEKLY;BYDAY=TU;COUNT=", 10 + i % 100);
      break;
    case 5:
      data["recurrence"] = "FREQ=MONTHLY;BYDAY=2TU";
      break;
    case 6:
      data["recurrence"] = "FREQ=MONTHLY";
      break;
    default:
      break;
  }
  return data;
}

class Calendar {
 public:
  Calendar() {
    testing::TestStoreOptions options;
    options.data_dir = directory_.path();
    options.clock = &Clock::Real();
    store_ = testing::MakeTestStore(options);
    const fibers::Cancellation cancellation;
    const absl::Time now = absl::FromUnixSeconds(1772442000);
    for (int batch = 0; batch < kEvents; batch += 1'000) {
      Require(store_->Commit({"bench", "ann", absl::StrCat("change", batch), now}, storage::CommitMode::kDurable,
                             cancellation, [&](storage::Transaction& transaction) {
                               blocks::BlockWriter writer(transaction, now, absl::UTCTimeZone());
                               for (int i = batch; i < batch + 1'000; ++i) {
                                 const auto created = writer.Create(blocks::kEvent, "", EventAt(i));
                                 if (!created.ok()) return created.status();
                               }
                               return absl::OkStatus();
                             }));
    }
  }

  storage::Store& store() { return *store_; }

 private:
  testing::TempDir directory_;
  std::unique_ptr<storage::Store> store_;
};

Calendar& SharedCalendar() {
  static auto* const calendar = new Calendar;
  return *calendar;
}

void List(benchmark::State& state, const std::string& text, size_t limit) {
  storage::Store& store = SharedCalendar().store();
  AgendaQuery query;
  query.first = absl::CivilDay(2026, 3, 1);
  query.last = absl::CivilDay(2026, 3, 31);
  query.zone = absl::UTCTimeZone();
  query.text = text;
  query.limit = limit;
  int64_t total = 0;
  const fibers::Cancellation cancellation;
  for (auto _ : state) {
    Require(store.Read("bench", [&](storage::ReadView& view) {
      const absl::StatusOr<Agenda> agenda = ReadAgenda(view, query, cancellation);
      if (agenda.ok()) total = agenda->total;
      return agenda.status();
    }));
  }
  state.counters["occurrences"] = static_cast<double>(total);
}

void BM_ListAMonth(benchmark::State& state) { List(state, "", 50); }
BENCHMARK(BM_ListAMonth)->Unit(benchmark::kMillisecond);

void BM_ListAMonthByWords(benchmark::State& state) { List(state, "event talked", 50); }
BENCHMARK(BM_ListAMonthByWords)->Unit(benchmark::kMillisecond);

// Time for the store to find and return the candidates, without examining them.
void BM_OnlyTheStore(benchmark::State& state) {
  storage::Store& store = SharedCalendar().store();
  storage::BlockQuery query;
  query.types = {std::string(blocks::kEvent)};
  query.limit = kEvents;
  size_t found = 0;
  for (auto _ : state) {
    Require(store.Read("bench", [&](storage::ReadView& view) {
      const auto page = view.FindBlocks(query);
      if (page.ok()) found = page->blocks.size();
      return page.status();
    }));
  }
  state.counters["blocks"] = static_cast<double>(found);
}
BENCHMARK(BM_OnlyTheStore)->Unit(benchmark::kMillisecond);

void Expand(benchmark::State& state, const std::string& text) {
  const blocks::Recurrence rule = *blocks::Recurrence::Parse(text);
  const absl::CivilDay start = *rule.First(absl::CivilDay(2021, 1, 1));
  for (auto _ : state) {
    int64_t days = 0;
    rule.Visit(start, absl::CivilDay(2026, 3, 1), absl::CivilDay(2026, 3, 31), [&](absl::CivilDay) {
      ++days;
      return true;
    });
    benchmark::DoNotOptimize(days);
  }
}

BENCHMARK_CAPTURE(Expand, daily, "FREQ=DAILY");
BENCHMARK_CAPTURE(Expand, weekly, "FREQ=WEEKLY;BYDAY=MO,WE,FR");
BENCHMARK_CAPTURE(Expand, monthly, "FREQ=MONTHLY;BYDAY=2TU");
BENCHMARK_CAPTURE(Expand, last_workday, "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1");

}  // namespace
}  // namespace toolgate::executors::calendar

BENCHMARK_MAIN();
