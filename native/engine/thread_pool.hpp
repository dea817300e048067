// A thread pool with one operation, a parallel for over chunks of an index range. Chunks are handed out
// dynamically; each must be independent of the others, so that results do not depend on the threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace boxwise {

// The threads are started by the first call that needs them and joined by the destructor.
class ThreadPool {
 public:
  explicit ThreadPool(std::size_t threads) : threads_(threads) {}  // this one included
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() {
    {
      const std::scoped_lock hold(mutex_);
      ending_ = true;
    }
    called_.notify_all();
    for (auto& thread : others_) thread.join();
  }

  // Calls worker(begin, end) for the chunks of [0, count); make_worker() makes one worker for each
  // thread, the calling one included. The first exception stops the rest and is thrown again here.
  template <class MakeWorker>
  void parallel_for(std::size_t count, std::size_t chunk, MakeWorker make_worker) {
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> failed = false;
    std::exception_ptr failure;
    const auto work = [&] {
      try {
        auto worker = make_worker();
        for (std::size_t begin; !failed && (begin = next.fetch_add(chunk)) < count;)
          worker(begin, std::min(begin + chunk, count));
      } catch (...) {
        if (!failed.exchange(true)) failure = std::current_exception();
      }
    };
    call(std::min(threads_, (count + chunk - 1) / chunk), std::ref(work));
    if (failure) std::rethrow_exception(failure);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds LINGER{300};

  // Runs the work here and in other threads. On a busy machine these may take longer than this one
  // would alone: one that does not get round to it before the work is done is not waited for, and
  // after waiting long for one that did, this thread works alone for a while.
  void call(std::size_t threads, const std::function<void()>& work) {
    if (threads <= 1 || (alone_ > 0 && alone_-- > 0)) return work();
    start(threads - 1);
    const auto begun = Clock::now();
    {
      const std::scoped_lock hold(mutex_);
      work_ = &work;
      ++round_;
    }
    called_.notify_all();
    work();
    const auto worked = Clock::now();
    std::unique_lock hold(mutex_);
    work_ = nullptr;
    hold.unlock();
    linger([this] { return busy_ == 0; });  // others have begun what is left
    hold.lock();
    finished_.wait(hold, [this] { return busy_ == 0; });
    delays_ = Clock::now() - worked > worked - begun ? std::min(delays_ + 1, 8u) : 0;
    alone_ = delays_ > 0 ? 1u << delays_ : 0;
  }

  // To be woken takes a thread longer than many a piece of work: it stays awake for a moment, but
  // lets others go first.
  template <class Done>
  static void linger(Done done) {
    for (const auto begun = Clock::now(); !done() && Clock::now() - begun < LINGER;)
      std::this_thread::yield();
  }

  void start(std::size_t wanted) {
    others_.reserve(wanted);  // or the room for a thread that runs might be lacking
    try {
      while (others_.size() < wanted) others_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {  // as many as the system gives
    }
  }

  void serve() {
    std::unique_lock hold(mutex_);
    for (std::uint64_t seen = 0;;) {
      hold.unlock();
      linger([&] { return ending_ || round_ != seen; });  // soon there will be more
      hold.lock();
      called_.wait(hold, [&] { return ending_ || (work_ != nullptr && round_ != seen); });
      if (ending_) return;
      seen = round_;
      ++busy_;
      const std::function<void()>& work = *work_;
      hold.unlock();
      work();
      hold.lock();
      if (--busy_ == 0) finished_.notify_one();
    }
  }

  std::size_t threads_;
  std::mutex mutex_;
  std::condition_variable called_, finished_;
  const std::function<void()>* work_ = nullptr;  // null: there is none
  // Written under the lock; a thread that stays awake reads them without.
  std::atomic<std::uint64_t> round_ = 0;
  std::atomic<std::size_t> busy_ = 0;  // others at work
  std::atomic<bool> ending_ = false;
  unsigned delays_ = 0, alone_ = 0;  // one after the other so far; calls to do without the others
  std::vector<std::thread> others_;
};

// The same with a pool for this one call.
template <class MakeWorker>
void parallel_for(std::size_t count, std::size_t chunk, std::size_t threads,
                  MakeWorker make_worker) {
  if (threads > 1 && count > chunk)
    return ThreadPool(threads).parallel_for(count, chunk, make_worker);
  auto worker = make_worker();
  for (std::size_t begin = 0; begin < count; begin += chunk)
    worker(begin, std::min(begin + chunk, count));
}

}  // namespace boxwise
