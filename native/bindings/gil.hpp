// Guards that release the GIL while the engine is at work and take it again to run Python code.
//
// A thread that wants the lock of an interpreter that has ended is ended too: by Python 3.13 and older
// with pthread_exit, which on glibc unwinds the stack like an exception. It would run destructors without
// the lock and end in frames that allow no exception, which aborts the process. Such a thread waits for
// the end of the process instead, as newer Pythons let it.
#pragma once

#include <Python.h>

#include <chrono>
#include <thread>

#if defined(__GLIBC__) && defined(__GLIBCXX__)
#include <cxxabi.h>
#define BOXWISE_THREADS_UNWIND
#endif

namespace boxwise {

[[noreturn]] inline void wait_for_end_of_process() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// For calls that may run code written in Python, which now and then lets go of the lock and takes it again.
template <class Call>
auto call_python(Call call) {
#if defined(BOXWISE_THREADS_UNWIND)
  try {
    return call();
  } catch (const abi::__forced_unwind&) {
    wait_for_end_of_process();
  }
#else
  return call();
#endif
}

class GilReleased {
 public:
  GilReleased() : state_(PyEval_SaveThread()) {}
  ~GilReleased() {
    call_python([this] { PyEval_RestoreThread(state_); });
  }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* state_;
};

class GilHeld {
 public:
  GilHeld() : state_(call_python(PyGILState_Ensure)) {}
  ~GilHeld() { PyGILState_Release(state_); }
  GilHeld(const GilHeld&) = delete;
  GilHeld& operator=(const GilHeld&) = delete;

 private:
  PyGILState_STATE state_;
};

// Lets threads wait for the end of the process that would otherwise abort it in frames that are not ours:
// those of nanobind, and of NumPy, whose `unique` of integers takes the lock in a destructor.
void outlive_python();

}  // namespace boxwise
