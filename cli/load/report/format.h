// Numbers for people.
#ifndef TOOLGATE_CLI_LOAD_REPORT_FORMAT_H_
#define TOOLGATE_CLI_LOAD_REPORT_FORMAT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace toolgate::cli::load::report {

// "850 ns", "12.3 µs", "4.56 ms", "1.23 s": three significant digits.
std::string FormatSeconds(double seconds);
// "1,234,567".
std::string FormatCount(int64_t count);
// "1,234" from 100 on, "12.3" below.
std::string FormatRate(double rate);
// "0.12 %" of a share.
std::string FormatPercent(double share);
// "12.3 MiB".
std::string FormatBytes(double bytes);
// "1 call", "1,234 calls".
std::string Plural(int64_t count, std::string_view noun);

}  // namespace toolgate::cli::load::report

#endif  // TOOLGATE_CLI_LOAD_REPORT_FORMAT_H_
