// Boxes that cannot have a part in a decision are not asked. What a box can say at most follows from
// its outlines, from the values it has seen and from its weight; and what the loudest says at least,
// from one of them.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "evidence_question.hpp"
#include "kernels.hpp"
#include "scan.hpp"

namespace boxwise {

using std::size_t;

namespace {
constexpr size_t MANY = 512;  // boxes, so that it pays
constexpr size_t FEWER = 6;   // one box in so many may be left, else all are asked
constexpr double SILENT = -22.2;  // a box that says so much less has no whole grain
constexpr double SLACK = 0.01;
constexpr double HIGHEST = 1e30;  // price: sums of some are still numbers
constexpr double FINEST = 16;   // prices are bytes: so many a unit, if they fit
constexpr size_t TOGETHER = 8;  // columns whose prices fit in a byte
constexpr size_t LOT = kernels::LOT;
constexpr size_t ENOUGH_LOTS = 16;  // are looked at to find a box that is loud
constexpr double NOTHING = -std::numeric_limits<double>::infinity();

// What values cost that the boxes of a block have not seen.
void add_prices(const Group& g, const Code* codes, const std::vector<double>& prices, size_t begin,
                size_t m, float* lost) {
  alignas(64) std::uint32_t scratch[BLOCK];
  kernels::Unlike columns[TOGETHER];
  double of_columns[TOGETHER];
  size_t together = 0;
  const auto add = [&] {
    double sum = 0;
    for (size_t f = 0; f < together; ++f) sum += of_columns[f];
    const double fine = std::min(FINEST, 255 / sum);
    for (size_t f = 0; f < together; ++f)
      columns[f].price = static_cast<std::uint8_t>(of_columns[f] * fine);
    kernels::unlike(columns, together, static_cast<float>(1 / fine), lost, m);
    together = 0;
  };
  for (size_t j = 0; j < prices.size(); ++j) {
    const Code code = codes[j];
    if (const auto plain = g.D[j].plain(static_cast<Slot>(begin), m); plain && code >= 0 && code < 256) {
      columns[together] = {plain->code, static_cast<std::uint8_t>(code), 0};
      of_columns[together++] = prices[j];
      if (together == TOGETHER) add();
    } else if (const auto* row = g.D[j].row(code, static_cast<Slot>(begin), m, scratch)) {
      kernels::unseen(row, static_cast<float>(prices[j]), lost, m);
    }
  }
  if (together > 0) add();
}
}  // namespace

void EvidenceEngine::narrow(Question& q) const {
  const bool always = index_mode_ == IndexMode::ON;
  if (!q.only || index_mode_ == IndexMode::OFF || q.crowd.of != Crowd::Of::RUN) return;
  if (q.census->terrain) return narrow_by_lots(q);
  if (!always && (q.crowd.size < MANY || !q.narrowing.is_due())) return;
  const size_t most = always ? q.crowd.size : q.crowd.size / FEWER;
  const float bar = find_bar(q, find_loudness(q).place);
  const bool pays = list_audible(q, bar, most);
  q.narrowing.tell(pays);
  if (pays) {
    bring_together(q);
    bring_weights(q);
  }
  q.begin_anew();  // in any case: what is known of the loudest goes with a distance that is not kept
}

void EvidenceEngine::narrow_by_lots(Question& q) const {
  if (index_mode_ != IndexMode::ON && !q.narrowing.is_due()) return;
  const float bar = find_bar(q, find_loudest_by_lots(q, ENOUGH_LOTS, NOTHING).place);
  std::vector<std::uint32_t>& lots = q.crowd.lots;
  lots.clear();
  for (size_t lot = 0; lot < q.census->terrain->lots(); ++lot)
    if (q.loud_lots[lot] >= bar) lots.push_back(static_cast<std::uint32_t>(lot));
  q.narrowing.tell(lots.size() * 8 <= q.census->terrain->lots() * 7);
  gather_lots(q);
  q.begin_anew();
}

// Boxes that are not as loud, below the ceiling, have no grain beside this one.
float EvidenceEngine::find_bar(Question& q, size_t place) const {
  const double bar = lowest_sum(q, place) - q.ceiling + SILENT;
  return static_cast<float>(bar - slack(bar));
}

// More than the rounding of floats, of which such a loudness is made: of what was lost, feature by
// feature, and of a weight, whose logarithm is below 64.
double EvidenceEngine::slack(double loudness) const {
  return SLACK + (std::abs(loudness) + 64) * static_cast<double>(n_ + r_ + 8) * 0x1p-23;
}

// What distances cost, in logarithms, and values that a box has not seen; and how loud the loudest can
// be, at no cost, but for its weight.
void EvidenceEngine::set_prices(Question& q) const {
  const Part &numbers = q.numbers_of(*q.only), &categories = q.categories_of(*q.only);
  make_marks(*q.x, q.marks);
  const auto price = [&](const std::vector<Ruler>& rulers, const std::vector<kernels::Mark>& marks,
                         std::vector<float>& prices) {
    prices.clear();
    size_t f = 0;
    for (const kernels::Mark& mark : marks) {
      while (q.x->probes[f].j != mark.j) ++f;
      prices.push_back(static_cast<float>(
          std::min(HIGHEST, q.falls[f] / (rulers[mark.j].per_unit * numbers.choice))));
    }
  };
  price(rulers_, q.marks.now, q.prices);
  if (q.marks.either) price(before_, q.marks.before, q.prices_before);
  q.ceiling = 0;
  for (size_t f = 0; f < q.units.size(); ++f) {
    const size_t j = q.x->probes[f].j;
    const bool seen = rulers_[j].within && (before_.empty() || before_[j].within);  // by all boxes
    const double most = -std::log(numbers.wide[f]);
    if (q.units[f] > 0) q.ceiling += seen ? most : std::max(most, 0.0);
  }
  q.unseen.clear();
  for (size_t j = 0; j < r_; ++j) {
    const double a = categories.wide[j], own = categories.own[j], samples = q.g->most_samples;
    const double most = std::log((samples + own) / (samples + a));
    q.ceiling += most;
    q.unseen.push_back(std::max(most - std::log(own / (1 + a)), 0.0));
  }
}

// What distances cost boxes of a block, or lots of them.
void EvidenceEngine::add_distances(const Question& q, const Outlines& outlines, size_t begin, size_t m,
                                   float* lost) const {
  std::fill_n(lost, m, 0.0f);
  if (n_ == 0) return;
  alignas(64) float other[BLOCK];
  const auto by = [&](const std::vector<kernels::Mark>& marks, const std::vector<float>& prices,
                      float* to) {
    kernels::fallen(outlines.from(begin), n_, Outlines::lots(m), marks.data(), prices.data(),
                    prices.size(), to);
  };
  by(q.marks.now, q.prices, lost);
  if (!q.marks.either) return;
  by(q.marks.before, q.prices_before, other);
  for (size_t i = 0; i < m; ++i) lost[i] = std::min(lost[i], other[i]);
}

// How loud each box can be at most, below the ceiling. Returns the loudest.
EvidenceEngine::Loudest EvidenceEngine::find_loudness(Question& q) const {
  const size_t boxes = q.crowd.size;
  set_prices(q);
  make_room(q.loud, (boxes + BLOCK - 1) / BLOCK * BLOCK);
  Loudest loudest{};
  for (size_t begin = 0; begin < boxes; begin += BLOCK) {
    const Loudest here = find_loudness_in(q, begin, std::min(BLOCK, boxes - begin));
    if (begin == 0 || here.loud > loudest.loud) loudest = here;
  }
  return loudest;
}

// Of some boxes of a block.
EvidenceEngine::Loudest EvidenceEngine::find_loudness_in(Question& q, size_t begin,
                                                         size_t m) const {
  alignas(64) float lost[BLOCK];
  add_distances(q, q.g->outlines, q.crowd.first + begin, m, lost);
  add_prices(*q.g, q.x->codes, q.unseen, q.crowd.first + begin, m, lost);
  float* loud = q.loud.data() + begin;
  const float top = kernels::loudness(q.crowd.weight + begin, lost, m, loud);
  return {top, begin + static_cast<size_t>(std::find(loud, loud + m, top) - loud)};
}

// How loud the boxes of each lot can be at most, below the ceiling. Returns the loudest.
float EvidenceEngine::find_loudness_of_lots(Question& q) const {
  const Terrain& terrain = *q.census->terrain;
  const size_t lots = terrain.lots();
  set_prices(q);
  make_room(q.loud_lots, (lots + BLOCK - 1) / BLOCK * BLOCK);
  alignas(64) float lost[BLOCK];
  float most = -std::numeric_limits<float>::infinity();
  for (size_t begin = 0; begin < lots; begin += BLOCK) {
    const size_t m = std::min(BLOCK, lots - begin);
    add_distances(q, terrain.hulls, begin, m, lost);
    for (size_t j = 0; j < r_; ++j)
      if (const Code code = q.x->codes[j]; code >= 0)
        kernels::lacking(terrain.values[j].data() + begin, std::uint64_t{1} << code % 64,
                         static_cast<float>(q.unseen[j]), lost, m);
    most = std::max(most, kernels::loudness(terrain.heaviest.data() + begin, lost, m,
                                            q.loud_lots.data() + begin));
  }
  return most;
}

// The loudest box, by way of the lots that can be loudest; or one of those in so many lots, or one of
// which the sum of all cannot reach what is enough. And how loud one can be at most.
EvidenceEngine::Loudest EvidenceEngine::find_loudest_by_lots(Question& q, size_t most_lots,
                                                             double enough) const {
  const size_t lots = q.census->terrain->lots();
  make_room(q.loud, (q.g->size() + BLOCK - 1) / BLOCK * BLOCK);
  const float most = find_loudness_of_lots(q);
  const float* loud = q.loud_lots.data();
  const auto look_at = [&](size_t lot) {
    return find_loudness_in(q, lot * LOT, std::min(LOT, q.g->size() - lot * LOT));
  };
  Loudest loudest = look_at(static_cast<size_t>(std::find(loud, loud + lots, most) - loud));
  auto& queue = q.queue;  // of the others that may be louder
  queue.clear();
  for (size_t lot = 0; lot < lots; ++lot)
    if (loud[lot] > loudest.loud) queue.push_back({loud[lot], static_cast<std::uint32_t>(lot)});
  std::make_heap(queue.begin(), queue.end());
  for (size_t turn = 0; !queue.empty() && queue.front().first > loudest.loud; ++turn) {
    const float at_most = queue.front().first;
    if (turn == most_lots || highest_sum(q, at_most) < enough) return {at_most, loudest.place};
    const Loudest here = look_at(queue.front().second);
    std::pop_heap(queue.begin(), queue.end());
    queue.pop_back();
    if (here.loud > loudest.loud) loudest = here;
  }
  return loudest;
}

// The boxes that may reach the bar; false if they are more than `most`.
bool EvidenceEngine::list_audible(Question& q, float bar, size_t most) const {
  const size_t boxes = q.crowd.size;
  std::vector<Slot>& slots = q.crowd.slots;
  slots.clear();
  for (size_t begin = 0; begin < boxes; begin += LOT) {
    if (q.census->terrain) {
      if (q.loud_lots[begin / LOT] < bar) continue;
      find_loudness_in(q, begin, std::min(LOT, boxes - begin));
    }
    std::uint64_t left = kernels::reached(q.loud.data() + begin, bar);
    if (boxes - begin < LOT) left &= (std::uint64_t{1} << (boxes - begin)) - 1;
    for (; left != 0; left &= left - 1)
      slots.push_back(q.crowd.slot(begin + static_cast<size_t>(std::countr_zero(left))));
    if (slots.size() > most) return false;
  }
  return true;
}

namespace {
// What the boxes of the run have that are listed, from the first of the run on.
template <class Crowd, class Value>
void bring(const Crowd& crowd, const Value* from, Value* to) {
  for (size_t place = 0; place < crowd.size; ++place)
    to[place] = from[crowd.slots[place] - crowd.first];
  std::fill(to + crowd.size, to + whole(crowd.size), to[0]);
}
}  // namespace

// The boxes of the run that are listed; all but their weights.
void EvidenceEngine::bring_together(Question& q) const {
  const Group& g = *q.g;
  Crowd& crowd = q.crowd;
  crowd.of = Crowd::Of::SLOTS;
  crowd.size = crowd.slots.size();
  const size_t room = whole(crowd.size);
  make_room(crowd.doubles, (2 * crowd.V.size() + 1) * room);
  make_room(crowd.words, (r_ + 1) * room);
  double* doubles = crowd.doubles.data();
  for (auto* ends : {&crowd.V, &crowd.W})
    for (const double*& column : *ends) {
      bring(crowd, column, doubles);
      column = doubles;
      doubles += room;
    }
  std::uint32_t* words = crowd.words.data();
  bring(crowd, crowd.n, words);
  crowd.n = words;
  crowd.counts.clear();
  for (size_t j = 0; j < r_; ++j) {
    words += room;
    g.D[j].pick(q.x->codes[j], crowd.slots, words);
    crowd.counts.push_back(words);
  }
}

void EvidenceEngine::bring_weights(Question& q) const {
  Crowd& crowd = q.crowd;
  double* weight = crowd.doubles.data() + 2 * crowd.V.size() * whole(crowd.size);
  bring(crowd, crowd.weight, weight);
  crowd.weight = weight;
}

// Boxes stay where they are, but for what is said of each on the whole.
void EvidenceEngine::gather_lots(Question& q) const {
  const Group& g = *q.g;
  Crowd& crowd = q.crowd;
  const size_t all = q.census->terrain->lots();
  if (crowd.lots.size() == all) return;
  crowd.of = Crowd::Of::LOTS;
  crowd.size = crowd.lots.size() * LOT;
  if (crowd.lots.back() + 1 == all) crowd.size -= all * LOT - g.size();
  make_room(crowd.doubles, whole(crowd.size));
  make_room(crowd.words, whole(crowd.size));
  crowd.visit([&](size_t place, size_t at, size_t m) {
    std::copy_n(q.census->weight.data() + at, m, crowd.doubles.data() + place);
    std::copy_n(g.n.data() + at, m, crowd.words.data() + place);
  });
  crowd.weight = crowd.doubles.data();
  crowd.n = crowd.words.data();
}

}  // namespace boxwise
