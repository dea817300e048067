#include "tuning/trials.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <typeinfo>

#include "tuning/bundle.hpp"

namespace boxwise {

using std::size_t;
using Clock = std::chrono::steady_clock;

namespace {
constexpr auto REPORT_EVERY = std::chrono::milliseconds(50);  // between two reports
constexpr size_t CHUNK_ROWS = 512;  // learned or predicted between two looks at whether to stop
constexpr size_t FEW_BOXES = 768;  // no more: to measure all is quicker than to search for the best

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Stopped {};

// The jobs of the threads and their results, a stack: the latest job is done first, so that bundles that
// have forked are finished, and their boxes forgotten, before others begin.
class Queue {
 public:
  using Job = std::function<size_t(Queue&)>;  // returns how many trials it has finished

  void push(Job job) {
    const std::scoped_lock hold(lock_);
    jobs_.push_back(std::move(job));
    changed_.notify_all();
  }

  void work() {
    std::unique_lock hold(lock_);
    for (;;) {
      changed_.wait(hold, [&] { return stopped_ || !jobs_.empty() || running_ == 0; });
      if (stopped_ || jobs_.empty()) break;
      Job job = std::move(jobs_.back());
      jobs_.pop_back();
      ++running_;
      hold.unlock();
      size_t finished = 0;
      std::exception_ptr failure;
      try {
        finished = job(*this);
      } catch (const Stopped&) {
      } catch (...) {
        failure = std::current_exception();
      }
      job = nullptr;
      hold.lock();
      --running_;
      done_ += finished;
      if (failure) {
        failure_ = failure;
        stopped_ = true;
      }
      changed_.notify_all();
    }
    ++left_;
    changed_.notify_all();
  }

  void stop() {
    const std::scoped_lock hold(lock_);
    stopped_ = true;
    changed_.notify_all();
  }

  // For a job to call every now and then: leaves it if the work has been stopped.
  void pulse() const {
    if (stopped_) throw Stopped();
  }

  // Wait until `threads` workers have left.
  void watch(size_t threads, const std::function<void(size_t)>& report) {
    std::unique_lock hold(lock_);
    while (left_ < threads) {
      changed_.wait_for(hold, REPORT_EVERY, [&] { return left_ == threads; });
      const size_t done = done_;
      hold.unlock();
      report(done);
      hold.lock();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<Job> jobs_;
  size_t running_ = 0, done_ = 0, left_ = 0;
  std::atomic<bool> stopped_ = false;
  std::exception_ptr failure_;
};

// Threads that are joined whatever happens; as many as the system gives, but at least one.
class Hands {
 public:
  Hands(Queue& queue, size_t threads) : queue_(queue) {
    threads_.reserve(threads);
    try {
      while (threads_.size() < threads) threads_.emplace_back([&queue] { queue.work(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
    }
  }
  size_t size() const { return threads_.size(); }
  ~Hands() {
    queue_.stop();
    for (auto& thread : threads_) thread.join();
  }

 private:
  Queue& queue_;
  std::vector<std::thread> threads_;
};

// In chunks, so that it can be stopped.
template <class Use>
void for_each_chunk(const Rows& rows, const LearningEngine& engine, const Queue& queue, Use use) {
  const size_t n = engine.n_numeric(), r = engine.n_categorical();
  for (size_t begin = 0; begin < rows.count; begin += CHUNK_ROWS) {
    queue.pulse();
    use(begin, Rows{std::min(CHUNK_ROWS, rows.count - begin), rows.lower + begin * n,
                    rows.upper + begin * n, rows.codes + begin * r});
  }
}

void answer(const LearningEngine& engine, Trial& trial, const Queue& queue) {
  const auto start = Clock::now();
  for_each_chunk(trial.fold->test, engine, queue, [&](size_t begin, const Rows& rows) {
    engine.predict(rows, trial.predicted + begin);
    if (trial.probabilities == nullptr) return;
    const auto shares = engine.probabilities(rows, engine.n_classes());
    trial.probabilities->insert(trial.probabilities->end(), shares.begin(), shares.end());
  });
  trial.predict_seconds = seconds_since(start);
  trial.boxes = engine.n_boxes();
}

size_t run_alone(Trial& trial, const Queue& queue) {
  const std::unique_ptr<LearningEngine> engine = trial.prototype->fresh();
  const Fold& fold = *trial.fold;
  const auto start = Clock::now();
  if (engine->needs_all_rows()) {
    engine->set_pulse([&queue] { queue.pulse(); });
    engine->learn(fold.train, fold.labels);
  } else {
    for_each_chunk(fold.train, *engine, queue, [&](size_t begin, const Rows& rows) {
      engine->learn(rows, fold.labels + begin);
    });
  }
  trial.learn_seconds = seconds_since(start);
  answer(*engine, trial, queue);
  return 1;
}

// The members of a bundle have the same boxes at the end; those with the same alpha, the same
// answers.
void answer_all(const Bundle& bundle, std::vector<Trial>& trials, double learn_seconds,
                const Queue& queue) {
  const auto start = Clock::now();
  const std::vector<double> alphas = bundle.alphas();
  std::vector<Trial*> first;  // of each alpha
  for (const Member& member : bundle.members())
    if (first.size() < alphas.size() && member.alpha == alphas[first.size()])
      first.push_back(&trials[member.trial]);
  if (first.size() == 1 && (bundle.n_categorical() == 0 || bundle.n_boxes() > FEW_BOXES))
    answer(bundle, *first[0], queue);
  else
    for_each_chunk(first[0]->fold->test, bundle, queue, [&](size_t begin, const Rows& rows) {
      std::vector<std::int32_t*> labels;
      std::vector<std::vector<double>*> probabilities;
      for (const Trial* trial : first) {
        labels.push_back(trial->predicted + begin);
        probabilities.push_back(trial->probabilities);
      }
      bundle.predict_together(rows, alphas, labels, probabilities);
    });
  const double share = 1.0 / static_cast<double>(bundle.members().size());
  const double predict_seconds = seconds_since(start);
  size_t a = 0;
  for (const Member& member : bundle.members()) {
    Trial& trial = trials[member.trial];
    while (alphas[a] != member.alpha) ++a;
    if (&trial != first[a]) {
      std::copy_n(first[a]->predicted, trial.fold->test.count, trial.predicted);
      if (trial.probabilities != nullptr) *trial.probabilities = *first[a]->probabilities;
    }
    trial.boxes = bundle.n_boxes();
    trial.learn_seconds += learn_seconds * share;
    trial.predict_seconds = predict_seconds * share;
  }
}

size_t run_bundle(Bundle& bundle, std::vector<Trial>& trials, Queue& queue) {
  const Fold& fold = *trials[bundle.members()[0].trial].fold;
  const auto start = Clock::now();
  bundle.learn_together(fold.train, fold.labels, [&](std::unique_ptr<Bundle> fork) {
    std::shared_ptr<Bundle> shared = std::move(fork);  // a std::function must be copyable
    queue.push([shared, &trials](Queue& q) { return run_bundle(*shared, trials, q); });
  }, [&queue] { queue.pulse(); });
  answer_all(bundle, trials, seconds_since(start), queue);
  return bundle.members().size();
}

// Trials that may share their boxes: of one fold, alike in all but theta, delta and alpha; alpha 0
// and alpha 1 apart, since they leave out one kind of feature when a box is asked whether it
// contains a sample.
bool go_together(const Trial& a, const Trial& b) {
  const auto& one = static_cast<const EntropyEngine&>(*a.prototype);
  const auto& other = static_cast<const EntropyEngine&>(*b.prototype);
  const EntropySettings &s = one.settings(), &t = other.settings();
  const auto kind = [](double alpha) { return alpha == 0 ? 0 : alpha == 1 ? 2 : 1; };
  return a.fold == b.fold && s.gamma == t.gamma && s.mean == t.mean &&
         kind(s.alpha) == kind(t.alpha) && one.ranges() == other.ranges();
}

void plan(std::vector<Trial>& trials, Queue& queue) {
  std::vector<std::vector<size_t>> bundles;
  for (size_t i = 0; i < trials.size(); ++i) {
    const LearningEngine& prototype = *trials[i].prototype;
    if (typeid(prototype) != typeid(EntropyEngine) ||
        static_cast<const EntropyEngine&>(prototype).settings().max_boxes > 0) {
      queue.push([&trial = trials[i]](Queue& q) { return run_alone(trial, q); });
      continue;
    }
    auto at = std::find_if(bundles.begin(), bundles.end(), [&](const auto& bundle) {
      return go_together(trials[bundle[0]], trials[i]);
    });
    if (at == bundles.end()) at = bundles.insert(at, std::vector<size_t>());
    at->push_back(i);
  }
  for (const auto& bundle : bundles) {
    queue.push([bundle, &trials](Queue& q) {
      const auto& first = static_cast<const EntropyEngine&>(*trials[bundle[0]].prototype);
      std::vector<Member> members;
      for (size_t i : bundle) {
        const auto& s = static_cast<const EntropyEngine&>(*trials[i].prototype).settings();
        members.push_back({s.theta, s.delta, s.alpha, i});
      }
      Bundle whole(first.n_numeric(), first.n_categorical(), first.settings(), first.ranges(),
                   std::move(members));
      return run_bundle(whole, trials, q);
    });
  }
}
}  // namespace

void run(std::vector<Trial>& trials, size_t threads,
         const std::function<void(size_t)>& report) {
  Queue queue;
  plan(trials, queue);
  const Hands hands(queue, threads);
  queue.watch(hands.size(), report);
}

}  // namespace boxwise
