#include "engine/thread_pool.hpp"

#include <atomic>
#include <numeric>
#include <stdexcept>

#include "tests/check.hpp"

using boxwise::parallel_for;
using boxwise::ThreadPool;
using std::size_t;

namespace {
std::vector<int> visits(ThreadPool& pool, size_t count, size_t chunk) {
  std::vector<int> times(count);
  pool.parallel_for(count, chunk, [&] {
    return [&](size_t begin, size_t end) {
      CHECK(begin < end && end <= count && end - begin <= chunk);
      for (size_t i = begin; i < end; ++i) ++times[i];
    };
  });
  return times;
}
}  // namespace

TEST(every_index_is_visited_once) {
  for (size_t threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (size_t count : {0, 1, 7, 64, 1000})
      for (size_t chunk : {1, 3, 64})
        for (int times : visits(pool, count, chunk)) CHECK(times == 1);
  }
}

TEST(a_call_without_a_pool_visits_all_too) {
  for (size_t threads : {1, 3}) {
    std::atomic<size_t> sum = 0;
    parallel_for(100, 7, threads, [&] {
      return [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) sum += i;
      };
    });
    CHECK(sum == 4950);
  }
}

TEST(no_more_workers_than_threads_or_chunks) {
  ThreadPool pool(4);
  for (int again = 0; again < 50; ++again) {
    std::atomic<int> workers = 0;
    pool.parallel_for(3, 1, [&] {
      ++workers;
      return [](size_t, size_t) {};
    });
    CHECK(workers >= 1 && workers <= 4);
  }
}

TEST(one_thread_is_the_calling_one) {
  ThreadPool pool(1);
  const auto caller = std::this_thread::get_id();
  pool.parallel_for(10, 1, [&] {
    return [&](size_t, size_t) { CHECK(std::this_thread::get_id() == caller); };
  });
}

TEST(an_exception_comes_out_and_the_pool_goes_on) {
  ThreadPool pool(3);
  for (int again = 0; again < 20; ++again) {
    bool thrown = false;
    try {
      pool.parallel_for(100, 1, [&] {
        return [](size_t begin, size_t) {
          if (begin == 17) throw std::runtime_error("17");
        };
      });
    } catch (const std::runtime_error& error) {
      thrown = std::string(error.what()) == "17";
    }
    CHECK(thrown);
    for (int times : visits(pool, 50, 4)) CHECK(times == 1);
  }
}
