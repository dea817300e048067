#include "bindings/gil.hpp"

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdlib>
#include <exception>

namespace nb = nanobind;

namespace boxwise {

#if defined(BOXWISE_THREADS_UNWIND)

namespace {
std::atomic<bool> python_ends = false;
std::thread::id ending_thread;  // written before python_ends
std::terminate_handler terminate_otherwise = nullptr;

void note_end() {
  ending_thread = std::this_thread::get_id();
  python_ends = true;
}

// An unwinding by pthread_exit is no C++ exception: there is none that is current.
void wait_or_terminate() {
  if (python_ends && std::this_thread::get_id() != ending_thread && !std::current_exception())
    wait_for_end_of_process();
  if (terminate_otherwise != nullptr) terminate_otherwise();
  std::abort();
}

// Nanobind catches everything, and what has no exception is that unwinding.
void wait_or_translate(const std::exception_ptr& exception, void*) {
  if (!exception) wait_for_end_of_process();
  std::rethrow_exception(exception);
}
}  // namespace

void outlive_python() {
  nb::register_exception_translator(wait_or_translate);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(note_end));
  const std::terminate_handler before = std::set_terminate(wait_or_terminate);
  if (before != wait_or_terminate) terminate_otherwise = before;  // the module may be imported anew
}

#else

void outlive_python() {}

#endif

}  // namespace boxwise
