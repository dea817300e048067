// What is asked of the boxes of a class about one sample, and what they have said so far.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "evidence_census.hpp"
#include "evidence_engine.hpp"
#include "kernels.hpp"
#include "scan.hpp"

namespace boxwise {

// So many boxes or fewer: it is quicker to compute all exactly.
inline constexpr std::size_t FEW_BOXES = 16;
inline constexpr double NEGLIGIBLE = -23;  // a box that says e^23 times less has no whole grain
// Sums are counted in grains: in whole numbers, and so in any order the same.
inline constexpr double GRAINS = 0x1p32;
// What a box adds to the sum of a class in which the largest is `most`.
inline std::uint64_t grains(double l, double most) {
  return l - most > NEGLIGIBLE ? static_cast<std::uint64_t>(std::exp(l - most) * GRAINS) : 0;
}
// What is left of the samples of a class is counted in such parts of one.
inline constexpr double CRUMBS = 0x1p24;
// What makes up for samples that faded: a class as a whole counts with all, whatever their age.
inline double level_of(std::uint64_t samples, std::int64_t left) {
  return std::log(static_cast<double>(samples) * CRUMBS / static_cast<double>(left));
}

inline constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();
// Kept between samples: to be filled for every class anew would take as long as to be used.
template <class Numbers>
void make_room(Numbers& numbers, std::size_t boxes, typename Numbers::value_type value = {}) {
  if (numbers.size() < boxes) numbers.resize(boxes, value);
}

// For each box l = log(n e) is the sum of two parts, of the numbers and of the categories. What is
// said, in proportion to e^part, is only nearly right: where that might make a difference, `exact` has
// the terms of the specification.
struct EvidenceEngine::Part {
  bool asked;
  double choice;  // the bandwidth or the backoff
  std::vector<double> wide;  // by probe, how far the tails reach; by category, the backoff
  std::vector<double> own;   // by category: what the value of the sample has anyway, in the class
  Aligned<double> said;
  double top, most;  // of what is said, the largest; of the parts
  std::vector<kernels::Density> densities;  // of numbers
  double tails;                             // the logarithms of what extents are at least, together
  Aligned<double> logs;                     // with many of them
  std::vector<double> exact;  // by place; NaN where it was not needed so far
  std::vector<std::size_t> known;  // the places where it was
};

// Of something that does not always pay, when to try it: not for a while after it did not, the longer
// the more often in a row.
class Trial {
 public:
  bool is_due() { return wait_ == 0 || --wait_ == 0; }
  void tell(bool paid) {
    failures_ = paid ? 0 : std::min(failures_ + 1, 5);
    wait_ = paid ? 0 : 1 << (failures_ - 1);
  }

 private:
  int wait_ = 0, failures_ = 0;
};

// The boxes of a class that are asked: a run of them, or all; or some, brought together; or those of
// some lots, where they are. A place is one among these.
struct EvidenceEngine::Crowd {
  std::size_t size;
  enum class Of { RUN, SLOTS, LOTS } of;
  Slot first;                        // of the run that these are among; V, W, n and weight begin there
  std::vector<Slot> slots;           // which boxes were brought together
  std::vector<std::uint32_t> lots;   // which lots, the last of which may be short
  std::vector<const double*> V, W;   // by probe
  // Of the values of the sample, by feature, if boxes were brought together or are few; else none.
  std::vector<const std::uint32_t*> counts;
  const std::uint32_t* n;
  const double* weight;

  // Where V and W have it.
  std::size_t at(std::size_t place) const {
    constexpr std::size_t LOT = kernels::LOT;
    return of == Of::LOTS ? lots[place / LOT] * LOT + place % LOT : place;
  }
  Slot slot(std::size_t place) const {
    return of == Of::SLOTS ? slots[place] : first + static_cast<Slot>(at(place));
  }
  // Calls use(place, at, m) for all of them, some at a time that are next to each other.
  template <class Use>
  void visit(Use use) const {
    constexpr std::size_t LOT = kernels::LOT, IN_BLOCK = BLOCK / LOT;
    if (of != Of::LOTS) {
      for (std::size_t begin = 0; begin < size; begin += BLOCK)
        use(begin, begin, std::min(BLOCK, size - begin));
      return;
    }
    for (std::size_t i = 0, next; i < lots.size(); i = next) {
      for (next = i + 1; next < lots.size() && lots[next] == lots[next - 1] + 1 &&
                         lots[next] % IN_BLOCK != 0;)
        ++next;
      use(i * LOT, lots[i] * LOT, std::min(next * LOT, size) - i * LOT);
    }
  }

  Aligned<double> doubles;  // working memory: what was brought together
  Aligned<std::uint32_t> words;
};

struct EvidenceEngine::Question {
  const Sample* x;
  const Group* g;
  Crowd crowd;
  std::optional<std::size_t> only;  // the pair of bandwidth and backoff, if one is asked for
  std::vector<double> units;   // by probe: 1 / the width of the feature; 0 if that has none
  std::vector<double> falls;   // the same by the reach
  std::vector<double> even;    // by category: the share of a value never seen
  std::vector<double> shares;  // of the values of x in the class
  const Census* census;        // of the class
  Aligned<double> away;        // by place: how far x sticks out, once the numbers are looked at
  std::vector<Part> numbers, categories;  // by bandwidth, by backoff
  Census made;                            // where none was kept
  bool sound;            // no product was too large or too small
  double scale, margin;  // of the last pair of parts: from products to grains, relative error
  double most;           // the largest l
  Marks marks;           // the rest is for narrowing the crowd down: see evidence_narrow.cpp
  std::vector<float> prices, prices_before;
  std::vector<double> unseen;
  double ceiling;
  Aligned<float> loud, loud_lots;
  std::vector<std::pair<float, std::uint32_t>> queue;  // of lots, the loudest first
  Trial narrowing;

  void begin_anew() {  // with another crowd
    for (auto* parts : {&numbers, &categories})
      for (Part& part : *parts) {
        for (const std::size_t place : part.known) part.exact[place] = UNKNOWN;
        part.known.clear();
        if (part.asked) make_room(part.exact, crowd.size, UNKNOWN);
      }
  }
  Part& numbers_of(std::size_t pair) { return numbers[pair / categories.size()]; }
  Part& categories_of(std::size_t pair) { return categories[pair % categories.size()]; }
};

// The probabilities that belong to the scores.
inline void soften(const double* scores, std::size_t classes, double temperature,
                   std::vector<double>& p) {
  p.resize(classes);
  const double most = *std::max_element(scores, scores + classes);
  double total = 0;
  for (std::size_t k = 0; k < classes; ++k)
    total += p[k] = std::exp((scores[k] - most) / temperature);
  for (double& part : p) part /= total;
}

// What still counts, `at_most`, of what was found after so many turns: the first boxes were few, and
// what was best then fades.
inline double fading(std::uint64_t turns, double at_most) {
  const auto before = static_cast<double>(turns);
  return std::min(at_most, before / (before + 2));
}

}  // namespace boxwise
