// How the boxes of AGGLO-2 and AGGLO-SM find each other and merge.
#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <vector>

#include "agglomerate.hpp"
#include "turns.hpp"

namespace boxwise {

// The merging of all boxes of an engine. Boxes are numbered by age, and their number is their id:
// of two boxes that are merged the older keeps its own.
class AgglomerativeEngine::Agglomeration {
 public:
  Agglomeration(AgglomerativeEngine& engine, std::size_t threads);
  ~Agglomeration() { e_.second_.reset(); }
  Agglomeration(const Agglomeration&) = delete;
  Agglomeration& operator=(const Agglomeration&) = delete;

  void box_by_box();
  void most_similar_pairs();

 private:
  using Number = std::uint32_t;
  static constexpr std::size_t GONE = std::numeric_limits<std::size_t>::max();

  struct Partner {
    double degree;
    Number number;
    bool ahead = false;  // found before its turn: it may have merged since
    bool operator<(const Partner& other) const {  // comes later: less similar, or younger
      return degree != other.degree ? degree < other.degree : number > other.number;
    }
  };
  struct Prospects {
    Box box;
    std::vector<Partner> partners;  // of the box: a heap, if they are in order
  };
  // The best partner of a box among the younger ones; degree below zero: none. If it is not
  // settled, the degree is only a bound that none exceeds.
  struct Best {
    double degree = -1;
    Number number = 0;
    bool settled = true;
    std::uint32_t version = 0;
  };
  struct Turn {
    double degree;
    bool settled;
    Number older;
    std::uint32_t version;
    bool operator<(const Turn& other) const {  // comes later; a mere bound is looked into first
      if (degree != other.degree) return degree < other.degree;
      return settled != other.settled ? settled : older > other.older;
    }
  };

  bool is_alive(Number i) const { return places_[i].group != GONE; }
  Box box(Number i) const { return e_.groups_[places_[i].group].at(places_[i].slot); }
  void look_around(Number i, Search& search, bool ahead, Prospects& found) const;
  void put_in_order(Number i, Prospects& found) const;
  std::size_t batch() const;
  template <class Use>
  void in_threads(const std::vector<Number>& boxes, Use use);
  template <class Include>
  void look_ahead(Number from, Include include);
  void forget_ahead();
  void collect_partners(Number i);
  Partner first_mergeable(Number i, double* blocked);
  bool is_blocked(Number i, const Box& a, Number k);
  Number merge(Number i, Number k);
  Box take_out(Number i);
  void wake_watchers(Number changed);
  void set_best(Number i, double degree, Number number, bool settled);
  void find_best(Number i);
  void choose_best(Number i);
  void renew_after(Number older, Number younger);

  AgglomerativeEngine& e_;
  std::size_t threads_;
  Crew crew_;
  std::vector<Place> places_;                  // by number
  std::vector<std::vector<Number>> blockers_;  // by number: boxes that kept it from merging
  std::vector<std::vector<Number>> watchers_;  // and the reverse: boxes it kept from merging
  Prospects now_;                              // of the box whose turn it is
  std::vector<Number> woken_;                  // boxes whose blockers have changed

  // The prospects of some boxes, as they were when they were looked for, and what has merged since.
  std::vector<Number> asked_;  // in order
  std::vector<Prospects> found_;
  std::vector<Number> changed_;
  std::vector<std::uint8_t> has_changed_;  // by number

  // AGGLO-SM only.
  std::vector<Best> best_;
  std::vector<double> bound_;  // of the pairs that were blocked when the best was found
  std::vector<std::vector<Number>> suitors_;  // by number: whose best it is, or was
  std::priority_queue<Turn> turns_;
};

}  // namespace boxwise
