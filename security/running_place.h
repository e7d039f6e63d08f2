// A call's place among those that run.
#ifndef TOOLGATE_SECURITY_RUNNING_PLACE_H_
#define TOOLGATE_SECURITY_RUNNING_PLACE_H_

namespace toolgate::security {

// Used by the thread of the call.
class RunningPlace {
 public:
  // Leaves the place to other calls while this one waits for something outside.
  virtual void StepAside() = 0;
  // Takes it again, at once.
  virtual void StepBack() = 0;

 protected:
  ~RunningPlace() = default;
};

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_RUNNING_PLACE_H_
