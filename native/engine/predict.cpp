// Prediction that all engines of the family share: rows in chunks over threads, ties, probabilities.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine/engine.hpp"
#include "store/scan.hpp"
#include "engine/thread_pool.hpp"

namespace boxwise {

using std::size_t;

namespace {
constexpr size_t PREDICT_CHUNK = 64;     // rows predicted under one read lock: a writer waits no longer
constexpr size_t MEMBERSHIP_CHUNK = 16;  // rows evaluated in a block of boxes while it is in the cache
// Rows to predict and boxes of a class from which on a packed copy pays.
constexpr size_t MIN_ROWS_TO_PACK = 128, MIN_BOXES_TO_PACK = PackedCopy::LEAF;
constexpr size_t MIN_MEMBERSHIPS_PER_THREAD = 100'000;  // from which on another thread pays
}  // namespace

void Engine::predict(const Rows& rows, std::int32_t* labels, size_t threads) const {
  const size_t all = std::numeric_limits<size_t>::max();
  score_rows(rows, false, all, threads, [&](size_t row, const ClassScores& scores) {
    labels[row] = static_cast<std::int32_t>(winner(scores));
  });
}

// Each class has its best membership; classes that tie for the first place share theirs by (6).
std::vector<double> Engine::probabilities(const Rows& rows, size_t n_classes,
                                          size_t threads) const {
  if (n_classes > this->n_classes()) throw std::invalid_argument("there are not so many classes");
  std::vector<double> all(rows.count * n_classes);
  score_rows(rows, true, n_classes, threads, [&](size_t row, const ClassScores& scores) {
    to_probabilities(scores, all.data() + row * n_classes);
  });
  return all;
}

void Engine::to_probabilities(const ClassScores& scores, double* p) const {
  const size_t classes = scores.best.size(), won = winner(scores);
  const double best = scores.best[won];
  double tied = 0, weight = 0, total = 0, rival = 0;
  for (size_t k = 0; k < classes; ++k) {
    if (scores.best[k] != best) continue;
    tied += 1;
    weight += static_cast<double>(scores.weight[k]);
  }
  for (size_t k = 0; k < classes; ++k) {
    if (scores.best[k] < best)
      p[k] = std::max(scores.best[k], 0.0);
    else
      p[k] = best > 0 ? best * tied * static_cast<double>(scores.weight[k]) / weight : 1.0;
    total += p[k];
  }
  for (size_t k = 0; k < classes; ++k) {
    p[k] /= total;
    if (k != won) rival = std::max(rival, p[k]);
  }
  if (p[won] <= rival) p[won] = std::nextafter(rival, 2.0);  // argmax must name the winner
}

Matrix Engine::memberships(const Rows& rows, size_t threads) const {
  check(rows);
  const auto reader = reading();
  const auto order = in_order();
  std::vector<std::vector<size_t>> column(groups_.size());
  for (size_t k = 0; k < groups_.size(); ++k) column[k].resize(groups_[k].size());
  for (size_t i = 0; i < order.size(); ++i)
    column[order[i].second.group][order[i].second.slot] = i;
  Matrix all(rows.count, order.size());
  threads = std::min(threads, 1 + rows.count * order.size() / MIN_MEMBERSHIPS_PER_THREAD);
  parallel_for(rows.count, MEMBERSHIP_CHUNK, threads, [&] {
    return [&, samples = std::vector<Sample>(MEMBERSHIP_CHUNK)](size_t first, size_t end) mutable {
      alignas(64) double degree[BLOCK];
      for (size_t row = first; row < end; ++row) read(rows, row, samples[row - first]);
      for (size_t k = 0; k < groups_.size(); ++k) {
        const Group& g = groups_[k];
        for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
          const size_t m = std::min(BLOCK, g.size() - begin);
          for (size_t row = first; row < end; ++row) {
            degrees(g, samples[row - first], begin, m, degree);
            for (size_t i = 0; i < m; ++i) all.row(row)[column[k][begin + i]] = degree[i];
          }
        }
      }
    };
  });
  return all;
}

bool Engine::can_predict() const {
  return std::any_of(groups_.begin() + 1, groups_.end(),
                     [](const Group& g) { return g.size() > 0; });
}

template <class Use>
void Engine::score_rows(const Rows& rows, bool every_class, size_t n_classes, size_t threads,
                       Use use) const {
  check(rows);
  if (threads > 1) threads = std::min(threads, 1 + rows.count * n_boxes() / MIN_MEMBERSHIPS_PER_THREAD);
  parallel_for(rows.count, PREDICT_CHUNK, threads, [&] {
    return [&](size_t begin, size_t end) {
      static thread_local Sample x;
      static thread_local ClassScores scores;
      static thread_local Scratch scratch;
      const auto reader = reading();
      if (!can_predict())
        throw std::invalid_argument("no row with a label has been learned yet; learn some first");
      prepare(begin == 0 ? rows.count : 0, scratch);
      scratch.chunk_begins = true;
      const size_t classes = std::min(n_classes, groups_.size() - 1);
      for (size_t row = begin; row < end; ++row) {
        read(rows, row, x);
        score_classes(x, every_class, classes, scratch, scores);
        use(row, scores);
      }
      scratch.packed.reset();
    };
  });
}

void Engine::prepare(size_t rows, Scratch& scratch) const {
  scratch.packed.reset();
  if (n_ == 0 || r_ > 0) return;
  scratch.packed = packed_.get(changes_, rows, MIN_ROWS_TO_PACK, [&] {
    auto packed = std::make_shared<PackedCopies>(groups_.size());
    for (size_t k = 1; k < groups_.size(); ++k)
      if (groups_[k].size() >= MIN_BOXES_TO_PACK)
        (*packed)[k] = std::make_unique<const PackedCopy>(groups_[k], slope_);
    return packed;
  });
}

size_t Engine::winner(const ClassScores& scores) const {
  const auto beats = [&](size_t a, size_t b) {
    if (scores.best[a] != scores.best[b]) return scores.best[a] > scores.best[b];
    if (scores.distance[a] != scores.distance[b])
      return scores.distance[a] < scores.distance[b];
    return scores.best[a] > 0 && scores.weight[a] > scores.weight[b];
  };
  size_t won = 0;
  for (size_t k = 1; k < scores.best.size(); ++k)
    if (beats(k, won)) won = k;
  return won;
}

}  // namespace boxwise
