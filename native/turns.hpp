// Work that falls into turns which do not depend on each other, shared out among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace boxwise {

// Calls worker(begin, end) for [0, count) in pieces of `size`; make_worker() makes one for each
// thread, this one included. The first exception stops the rest and is thrown again here.
template <class MakeWorker>
void in_turns(std::size_t count, std::size_t size, std::size_t threads, MakeWorker make_worker) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      auto worker = make_worker();
      for (std::size_t begin; !failed && (begin = next.fetch_add(size)) < count;)
        worker(begin, std::min(begin + size, count));
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  const std::size_t wanted = std::min(threads, (count + size - 1) / size);
  others.reserve(wanted);  // or the room for a thread that runs might be lacking
  try {
    while (others.size() + 1 < wanted) others.emplace_back(work);
  } catch (const std::system_error&) {  // as many as the system gives
  }
  work();
  for (auto& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace boxwise
