// Code for whose end all others wait.
#ifndef TOOLGATE_COMMON_BRIEF_SECTION_H_
#define TOOLGATE_COMMON_BRIEF_SECTION_H_

#include <cstdint>
#include <string>

namespace toolgate {

// While one is in scope on a thread, nothing on it may wait, read a file or work for long: the body of a transaction
// that is committed, for which every other mutation waits. Whatever does such a thing calls Note, which counts it if it
// happens in a section; a test then fails, and nothing else changes.
class BriefSection {
 public:
  BriefSection();
  ~BriefSection();
  BriefSection(const BriefSection&) = delete;
  BriefSection& operator=(const BriefSection&) = delete;

  // `what`: a literal, such as "a wait".
  static void Note(const char* what);

  // Number of such things so far, in the whole process, and the last of them; empty if there was none.
  static uint64_t noted();
  static std::string last();

 private:
  int& depth_;  // Of the thread on which it began.
};

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_BRIEF_SECTION_H_
