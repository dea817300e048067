#include "engine/model_lock.hpp"

#include <stdexcept>
#include <thread>

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace boxwise {

#if !defined(_WIN32)

// The locks of all models, and what fork() does with them. The handlers run in the thread that forks,
// which usually holds Python's lock: a thread that waits for that one inside a model can be waited for
// in vain, so every wait has an end.
class ForkHandlers {
 public:
  // Never destroyed: threads may still use models while the process ends.
  static ForkHandlers& instance() {
    static ForkHandlers& handlers = *new ForkHandlers();
    return handlers;
  }

  void add(ModelLock& lock) {
    const std::scoped_lock hold(mutex_);
    lock.next_ = first_;
    if (first_ != nullptr) first_->previous_ = &lock;
    first_ = &lock;
  }

  void remove(ModelLock& lock) {
    const std::scoped_lock hold(mutex_);
    (lock.previous_ != nullptr ? lock.previous_->next_ : first_) = lock.next_;
    if (lock.next_ != nullptr) lock.next_->previous_ = lock.previous_;
  }

 private:
  using Milliseconds = std::chrono::milliseconds;
  // To wait for a model, in the first round and in the last; each waits twice as long as the one before.
  static constexpr Milliseconds SHORTEST{10}, LONGEST{320};

  ForkHandlers() {
    pthread_atfork([] { instance().before(); }, [] { instance().after(false); },
                   [] { instance().after(true); });
  }

  // Takes every lock, or lets go of all and tries again: a thread that has one lock may be waiting for
  // another, or for the list. After the last round, models that are still busy are left to their threads.
  void before() {
    for (Milliseconds patience = SHORTEST;; patience *= 2) {
      mutex_.lock();
      if (hold_all(patience, patience >= LONGEST)) return;
      release_all();
      mutex_.unlock();
      std::this_thread::sleep_for(Milliseconds(1));
    }
  }

  bool hold_all(Milliseconds patience, bool leave_busy) {
    for (ModelLock* lock = first_; lock != nullptr; lock = lock->next_)
      if (!lock->hold_for_fork(std::chrono::steady_clock::now() + patience) && !leave_busy)
        return false;
    return true;
  }

  void release_all() {
    for (ModelLock* lock = first_; lock != nullptr; lock = lock->next_)
      if (lock->held_for_fork_) lock->release_after_fork();
  }

  void after(bool in_child) {
    for (ModelLock* lock = first_; in_child && lock != nullptr; lock = lock->next_)
      if (!lock->held_for_fork_) lock->busy_at_fork_ = true;
    release_all();
    mutex_.unlock();
  }

  std::mutex mutex_;  // of the list; held while the process forks
  ModelLock* first_ = nullptr;
};

bool ModelLock::hold_for_fork(Time deadline) {
  constexpr std::chrono::microseconds PAUSE{50};
  if (busy_at_fork_) return true;  // its threads were left behind; nobody can use it here
  if (!gate_.try_lock_until(deadline)) return false;
  // Nobody comes in any more; wait for those inside.
  while (!mutex_.try_lock()) {
    if (std::chrono::steady_clock::now() >= deadline) {
      gate_.unlock();
      return false;
    }
    std::this_thread::sleep_for(PAUSE);
  }
  // The gate alone keeps all out from now on, and its mutex can be unlocked in the child: the other one
  // remembers which thread has it, and in the child that thread goes by another number.
  mutex_.unlock();
  return held_for_fork_ = true;
}

void ModelLock::release_after_fork() {
  held_for_fork_ = false;
  gate_.unlock();
}

ModelLock::ModelLock() { ForkHandlers::instance().add(*this); }
ModelLock::~ModelLock() { ForkHandlers::instance().remove(*this); }

#else

ModelLock::ModelLock() = default;
ModelLock::~ModelLock() = default;

#endif

void ModelLock::check_usable() const {
  if (busy_at_fork_)
    throw std::runtime_error(
        "another thread was busy with this model when the process forked, so it may be half changed "
        "in this process; load it from a file here, or fork when no thread works on it");
}

std::shared_lock<std::shared_mutex> ModelLock::reading() const {
  check_usable();
  const std::scoped_lock wait(gate_);
  return std::shared_lock(mutex_);
}

std::unique_lock<std::shared_mutex> ModelLock::writing() const {
  check_usable();
  const std::scoped_lock wait(gate_);
  return std::unique_lock(mutex_);
}

}  // namespace boxwise
