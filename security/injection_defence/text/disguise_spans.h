// The parts of a text that are written in a disguise.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_DISGUISE_SPANS_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_DISGUISE_SPANS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::text {

// Read in another way, ordinary text looks like anything: without its blanks, "seen at the third eye" has "thethirdeye"
// and "seenat". So what such a reading shows counts only where the text is written for it. An immutable value.
class DisguiseSpans {
 public:
  // `share`: of whatever a finding covers, how much at least has to be in a span.

  // Letters held apart: "i g n o r e", "i-g.n-o r e".
  static DisguiseSpans HeldApart(const TextView& folded, double share);
  // Words cut into pieces of one length, or of two letters at most: "ig no re al l", "ignor eallp revio".
  static DisguiseSpans Cut(const TextView& folded, double share);
  // Words joined by marks: "ignore_all.rules".
  static DisguiseSpans Joined(const TextView& folded, double share);
  // Runs of letters that are longer than words are.
  static DisguiseSpans Glued(const TextView& folded, double share);
  // Words in which `unleeted` has other characters than `folded`; they are equally long.
  static DisguiseSpans Leet(const TextView& folded, const TextView& unleeted, double share);

  // `folded` without the blanks in these spans.
  void CloseUp(const TextView& folded, TextView& out) const;

  // Enough of bytes [start, end) of what `folded` was made from, or of [end, start), is written so.
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
  std::vector<Span> spans_;  // In order, and apart from each other.
};

}  // namespace toolgate::security::injection_defence::text

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_DISGUISE_SPANS_H_
