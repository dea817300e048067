// Where only the label matters: which classes can still win, by what they score at least and at most.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "evidence_question.hpp"

namespace boxwise {

using std::size_t;

namespace {
constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double CLEAR = 1e-6;  // a difference of scores, by the temperature, that probabilities show
// Boxes that are computed to find that they are not loud, at most, and of how many: to ask all boxes of
// a class takes a tenth of the time for each.
constexpr size_t SOME = 64, OF_MANY = 16;
}  // namespace

// Leaves the classes that may win, by what they can score at most, so that the rest need not be asked
// once one of them has scored more. What makes no difference to a probability does not count as more.
void EvidenceEngine::find_entrants(Question& q, const std::vector<Census>* census,
                                   const std::vector<double>& contest,
                                   std::vector<Entrant>& entrants) const {
  double clear = 1;
  for (const Voice& voice : voices_) clear = std::max(clear, CLEAR * voice.temperature);
  double sure = -INFINITE;  // what one of them scores at least
  const auto in_order = [&] {
    std::sort(entrants.begin(), entrants.end(),
              [](const Entrant& a, const Entrant& b) { return a.highest > b.highest; });
  };
  const auto bound = [&](Entrant& entrant, bool by_lots_alone) {
    put(groups_[entrant.k + 1], q, census != nullptr ? &(*census)[entrant.k + 1] : nullptr);
    const double less = contest[entrant.k] - q.census->level;
    if (by_lots_alone && q.census->terrain) {
      entrant.highest = highest_sum(q, find_loudness_of_lots(q)) - less + clear;
      return;
    }
    const double enough = sure + less - clear;
    const Loudest loudest =
        q.census->terrain ? find_loudest_by_lots(q, SIZE_MAX, enough) : find_loudness(q);
    entrant.highest = highest_sum(q, loudest.loud) - less + clear;
    entrant.lowest = lowest_sum(q, loudest.place) - less;
    if (sure > -INFINITE && entrant.highest >= sure && falls_short(q, enough)) entrant.highest = -INFINITE;
    sure = std::max(sure, entrant.lowest);
  };
  for (Entrant& entrant : entrants) bound(entrant, true);
  in_order();
  for (Entrant& entrant : entrants)
    if (entrant.lowest == -INFINITE && entrant.highest >= sure) bound(entrant, false);
  std::erase_if(entrants, [&](const Entrant& entrant) { return entrant.highest < sure; });
  in_order();
}

// If all boxes are as loud as one can be at most.
double EvidenceEngine::highest_sum(const Question& q, float loud) const {
  return q.ceiling + loud + slack(loud) + std::log(static_cast<double>(q.g->size()));
}

// Whether the boxes together say less than enough, though some of them might be loud: a box that has
// seen all values, most of them hardly ever, is not. After the loudness of boxes, or lots.
bool EvidenceEngine::falls_short(Question& q, double enough) const {
  const double others = enough - 1;  // those that are not computed say less
  const double loud = others - highest_sum(q, 0);
  const auto bar = static_cast<float>(loud - slack(loud));
  if (!list_audible(q, bar, std::min(SOME, q.g->size() / OF_MANY))) return false;
  double sum = 0;
  for (const Slot slot : q.crowd.slots) sum += std::exp(lowest_sum(q, slot) - enough);
  return sum < 0.5;  // and less than e^-1 of the others
}

// If but one box speaks.
double EvidenceEngine::lowest_sum(Question& q, size_t place) const {
  return log_evidence(q, place, q.numbers_of(*q.only), q.categories_of(*q.only));
}

}  // namespace boxwise
