// Readers-writer lock of a model that survives fork(): any number of readers or one writer, and a
// waiting writer is not overtaken by new readers.
//
// A child process has only the thread that forked. A lock held by another thread at that moment would
// stay locked in the child for ever, and the model behind it might be half changed. So fork() first
// takes the locks of all models, and both processes release them afterwards. A model that stays busy
// for longer than fork() waits, as in a long fit, refuses to work in the child.
#pragma once

#include <chrono>
#include <mutex>
#include <shared_mutex>

namespace boxwise {

class ModelLock {
 public:
  ModelLock();
  ~ModelLock();
  ModelLock(const ModelLock&) = delete;
  ModelLock& operator=(const ModelLock&) = delete;

  std::shared_lock<std::shared_mutex> reading() const;
  std::unique_lock<std::shared_mutex> writing() const;

 private:
#if defined(_WIN32)
  using Gate = std::mutex;  // no fork() there, so nobody waits for a limited time
#else
  using Gate = std::timed_mutex;
  using Time = std::chrono::steady_clock::time_point;
  friend class ForkHandlers;
  bool hold_for_fork(Time deadline);
  void release_after_fork();
#endif
  void check_usable() const;

  mutable std::shared_mutex mutex_;
  mutable Gate gate_;  // all come through it, a writer holds it while it waits
  bool held_for_fork_ = false;
  bool busy_at_fork_ = false;  // in a child process: some thread of the parent was at work here
  ModelLock *previous_ = nullptr, *next_ = nullptr;  // in the list of all, for the fork handlers
};

}  // namespace boxwise
