// The parts of a text that are written in a disguise.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_DISGUISE_SPANS_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_DISGUISE_SPANS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::text {

// Reading ordinary text differently can produce anything: without its blanks, "seen at the third eye" has "thethirdeye"
// and "seenat". So findings in such a reading count only in parts that are written in the disguise. An immutable value.
class DisguiseSpans {
 public:
  // `share`: minimum share of a finding that must lie in a span.

  // Letters held apart: "i g n o r e", "i-g.n-o r e".
  static DisguiseSpans HeldApart(const TextView& folded, double share);
  // Words cut into pieces of one length, or of two letters at most: "ig no re al l", "ignor eallp revio".
  static DisguiseSpans Cut(const TextView& folded, double share);
  // Words joined by marks: "ignore_all.rules".
  static DisguiseSpans Joined(const TextView& folded, double share);
  // Runs of letters that are longer than words.
  static DisguiseSpans Glued(const TextView& folded, double share);
  // Words in which `unleeted` differs from `folded`; both have the same length.
  static DisguiseSpans Leet(const TextView& folded, const TextView& unleeted, double share);

  // `folded` without the blanks in these spans.
  void CloseUp(const TextView& folded, TextView& out) const;

  // True if enough of bytes [start, end), or of [end, start), of the source of `folded` are in the disguise.
  bool Cover(uint32_t start, uint32_t end) const;

 private:
  struct Span {
    uint32_t start;
    uint32_t end;
  };

  explicit DisguiseSpans(double share) : share_(share) {}

  // Bytes [start, end) of `folded`.
  void Add(const TextView& folded, size_t start, size_t end);

  double share_;
  std::vector<Span> spans_;  // Ordered, without overlaps.
};

}  // namespace toolgate::security::injection_defence::text

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_DISGUISE_SPANS_H_
