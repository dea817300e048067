// ADaptive WINdowing (ADWIN): a window over a stream of numbers that drops its older part when the
// means of the two parts differ by more than chance allows. A. Bifet and R. Gavaldà, "Learning from
// Time-Changing Data with Adaptive Windowing", SDM 2007. Equal to river.drift.ADWIN with its
// defaults, number for number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace boxwise::drift {

class Adwin {
 public:
  explicit Adwin(double delta = 0.002) : delta_(delta) {}

  // Takes in a number; returns whether the mean has changed. After a change it starts anew.
  bool update(double value);
  // The means of the older and the newer part at the last change.
  double older() const { return older_; }
  double newer() const { return newer_; }
  std::uint64_t width() const { return static_cast<std::uint64_t>(width_); }

  std::vector<double> state() const;
  static Adwin from_state(const double*& at, const double* end);

 private:
  struct Bucket {
    double total, variance;
  };
  void insert(double value);
  void compress();
  bool detect();
  bool cut();
  bool differ(double n0, double n1, double total0, double total1) const;
  void drop_oldest();

  static constexpr std::size_t MAX_BUCKETS = 5, CLOCK = 32, GRACE = 10, MIN_WINDOW = 5,
                               MAX_ROWS = 50;
  double delta_;
  double total_ = 0, variance_ = 0, width_ = 0, older_ = 0, newer_ = 0;
  bool changed_ = false;
  std::uint64_t ticks_ = 0;
  std::vector<std::vector<Bucket>> rows_ = {{}};  // row i: buckets of 2^i numbers, the oldest first
};

}  // namespace boxwise::drift
