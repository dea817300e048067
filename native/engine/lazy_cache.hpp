// A value derived from a model, made once enough rows were predicted since the model last changed, and
// dropped at the next change. Safe to share among threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace boxwise {

template <class T>
class LazyCache {
 public:
  // The value for a model that has changed `changes` times, `rows` more of which are to be predicted;
  // null while fewer than `enough` were.
  template <class Make>
  std::shared_ptr<const T> get(std::uint64_t changes, std::size_t rows, std::size_t enough,
                               Make make) {
    const std::scoped_lock hold(lock_);
    if (at_ != changes) {
      value_.reset();
      at_ = changes;
      rows_ = 0;
    }
    rows_ += rows;
    if (!value_ && rows_ >= enough) value_ = make();
    return value_;
  }

 private:
  std::mutex lock_;
  std::shared_ptr<const T> value_;
  std::uint64_t at_ = 0;   // the number of changes when it was made
  std::size_t rows_ = 0;  // rows predicted since that change
};

}  // namespace boxwise
