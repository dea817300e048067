// Something made of a model that pays once enough rows were predicted, and holds until it changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace boxwise {

template <class T>
class Kept {
 public:
  // `changes` of the model so far, so many more rows; null while they are not `enough`.
  template <class Make>
  std::shared_ptr<const T> get(std::uint64_t changes, std::size_t rows, std::size_t enough,
                               Make make) {
    const std::scoped_lock hold(lock_);
    if (at_ != changes) {
      value_.reset();
      at_ = changes;
      asked_ = 0;
    }
    asked_ += rows;
    if (!value_ && asked_ >= enough) value_ = make();
    return value_;
  }

 private:
  std::mutex lock_;
  std::shared_ptr<const T> value_;
  std::uint64_t at_ = 0;   // the number of changes then
  std::size_t asked_ = 0;  // rows predicted since
};

}  // namespace boxwise
