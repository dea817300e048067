#include "adwin.hpp"

#include <cmath>
#include <stdexcept>

#include "kernels/vector_math.hpp"

namespace boxwise::drift {

using kernels::log_of;
using std::size_t;

bool Adwin::update(double value) {
  if (changed_) {
    const double older = older_, newer = newer_;
    *this = Adwin(delta_);
    older_ = older;
    newer_ = newer;
  }
  insert(value);
  compress();
  changed_ = detect();
  return changed_;
}

void Adwin::insert(double value) {
  rows_[0].push_back({value, 0.0});
  ++width_;
  if (width_ > 1) {
    const double away = value - total_ / (width_ - 1);
    variance_ += (width_ - 1) * away * away / width_;
  }
  total_ += value;
}

// Two buckets of a row that has too many become one of the next.
void Adwin::compress() {
  double size = 1;
  for (size_t i = 0; rows_[i].size() > MAX_BUCKETS; ++i, size *= 2) {
    if (i + 1 == rows_.size()) rows_.emplace_back();
    const Bucket a = rows_[i][0], b = rows_[i][1];
    const double apart = a.total / size - b.total / size;
    rows_[i + 1].push_back({a.total + b.total,
                            a.variance + b.variance + size * size * apart * apart / (size + size)});
    rows_[i].erase(rows_[i].begin(), rows_[i].begin() + 2);
  }
}

bool Adwin::detect() {
  ++ticks_;
  if (ticks_ % CLOCK != 0 || width_ <= GRACE) return false;
  bool found = false;
  while (cut()) {
    found = true;
    drop_oldest();
  }
  return found;
}

// Whether the window falls into two parts with different means.
bool Adwin::cut() {
  double n0 = 0, n1 = width_, total0 = 0, total1 = total_;
  for (size_t i = rows_.size(); i-- > 0;) {
    const double size = std::ldexp(1.0, static_cast<int>(i));
    const size_t buckets = rows_[i].size();
    for (size_t k = 0; k < buckets; ++k) {
      n0 += size;
      n1 -= size;
      total0 += rows_[i][k].total;
      total1 -= rows_[i][k].total;
      if (i == 0 && k + 1 == buckets) return false;
      if (n0 < MIN_WINDOW || n1 < MIN_WINDOW) continue;
      if (!differ(n0, n1, total0, total1)) continue;
      if (!changed_) {
        older_ = total0 / n0;
        newer_ = total1 / n1;
        changed_ = true;
      }
      return true;
    }
  }
  return false;
}

bool Adwin::differ(double n0, double n1, double total0, double total1) const {
  const double chance = log_of(2 * log_of(width_) / delta_);
  const double m = 1 / (n0 - MIN_WINDOW + 1) + 1 / (n1 - MIN_WINDOW + 1);
  const double epsilon =
      std::sqrt(2 * m * (variance_ / width_) * chance) + 2.0 / 3.0 * chance * m;
  return std::abs(total0 / n0 - total1 / n1) > epsilon;
}

void Adwin::drop_oldest() {
  const double size = std::ldexp(1.0, static_cast<int>(rows_.size() - 1));
  const Bucket oldest = rows_.back().front();
  width_ -= size;
  total_ -= oldest.total;
  const double apart = oldest.total / size - total_ / width_;
  variance_ -= oldest.variance + size * width_ * apart * apart / (size + width_);
  rows_.back().erase(rows_.back().begin());
  while (rows_.size() > 1 && rows_.back().empty()) rows_.pop_back();
}

std::vector<double> Adwin::state() const {
  std::vector<double> all{delta_, total_, variance_, width_, older_, newer_,
                          static_cast<double>(changed_), static_cast<double>(ticks_),
                          static_cast<double>(rows_.size())};
  for (const auto& row : rows_) {
    all.push_back(static_cast<double>(row.size()));
    for (const Bucket& bucket : row) all.insert(all.end(), {bucket.total, bucket.variance});
  }
  return all;
}

// A file may be damaged, so nothing is believed that the buckets contradict. The numbers were errors,
// 0 or 1, whose sums are exact.
Adwin Adwin::from_state(const double*& at, const double* end) {
  const auto require = [](bool condition) {
    if (!condition) throw std::invalid_argument("the change detector is damaged");
  };
  const auto next = [&] {
    require(at != end && std::isfinite(*at));
    return *at++;
  };
  const auto next_count = [&](double most) {
    const double count = next();
    require(count >= 0 && count <= most && count == std::floor(count));
    return count;
  };
  Adwin adwin;
  for (double* field : {&adwin.delta_, &adwin.total_, &adwin.variance_, &adwin.width_,
                        &adwin.older_, &adwin.newer_})
    *field = next();
  require(adwin.delta_ > 0 && adwin.delta_ < 1);
  adwin.changed_ = next_count(1) != 0;
  adwin.ticks_ = static_cast<std::uint64_t>(next_count(0x1p53));
  adwin.rows_.resize(static_cast<size_t>(next_count(MAX_ROWS)));
  double width = 0, total = 0, size = 1;
  for (auto& row : adwin.rows_) {
    for (double left = next_count(MAX_BUCKETS); left > 0; --left) {
      const double errors = next_count(size);
      row.push_back({errors, next()});
      width += size;
      total += errors;
    }
    size *= 2;
  }
  require(adwin.width_ == width && adwin.total_ == total);
  require(!adwin.rows_.empty() && (adwin.rows_.size() == 1 || !adwin.rows_.back().empty()));
  return adwin;
}

}  // namespace boxwise::drift
