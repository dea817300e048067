// Letting go of Python's lock while the engine is at work, and taking it again.
#pragma once

#include <Python.h>

#include <chrono>
#include <thread>

namespace boxwise {

// A thread that wants the lock of an interpreter that has ended is ended too: by Python 3.13 and older
// with pthread_exit, which unwinds the stack, through frames that do not allow it, and so aborts the
// process. It waits for the end of the process instead, as newer Pythons let it.
template <class Take>
auto take_gil(Take take) {
  try {
    return take();
  } catch (...) {  // nothing else throws here
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

class GilReleased {
 public:
  GilReleased() : state_(PyEval_SaveThread()) {}
  ~GilReleased() {
    take_gil([this] { PyEval_RestoreThread(state_); });
  }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* state_;
};

class GilHeld {
 public:
  GilHeld() : state_(take_gil(PyGILState_Ensure)) {}
  ~GilHeld() { PyGILState_Release(state_); }
  GilHeld(const GilHeld&) = delete;
  GilHeld& operator=(const GilHeld&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace boxwise
