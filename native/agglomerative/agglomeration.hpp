// The merging of AGGLO-2 and AGGLO-SM: the queue of boxes, the partners of each and the boxes that keep
// them from merging. Boxes go in; merged boxes are left in the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

#include "agglomerative/agglomerate.hpp"
#include "engine/thread_pool.hpp"

namespace boxwise {

// The merging of all boxes of an engine. Boxes are numbered by age, and their number is their id:
// of two boxes that are merged the older keeps its own.
class AgglomerativeEngine::Agglomeration {
 public:
  Agglomeration(AgglomerativeEngine& engine, std::size_t threads);
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
  struct Refused {  // a partner, and the box of another class that their union would overlap
    Partner partner;
    Number blocker;
  };
  // The partners found for a box, or for two as if they had merged, before its turn.
  struct FoundPartners {
    Number number = 0, other = 0;  // two boxes, the older first, or twice the same
    Box box;
    std::size_t group = 0;
    std::vector<Partner> partners;  // a heap; for AGGLO-SM the younger ones
    std::vector<Partner> elders;    // for AGGLO-SM, if there are two: the older ones
    std::vector<Refused> refused;
    std::vector<Number> blockers;  // tried first
    std::size_t known = 0;         // so many of them were there before
    bool is_free = false;          // the first of the partners may merge with it
    bool is_ahead = false;         // not taken over by its box yet
  };
  // The best partner of a box among the younger ones; degree below zero: none. If it is not exact,
  // the degree is only a bound that none exceeds.
  struct Best {
    double degree = -1;
    Number number = 0;
    bool is_exact = true;
    std::uint32_t version = 0;
  };
  struct QueueEntry {
    double degree;
    bool is_exact;
    Number older;
    std::uint32_t version;
    bool operator<(const QueueEntry& other) const {  // comes later; a mere bound is looked into first
      if (degree != other.degree) return degree < other.degree;
      return is_exact != other.is_exact ? is_exact : older > other.older;
    }
  };

  bool is_alive(Number i) const { return places_[i].group != GONE; }
  bool is_valid(const QueueEntry& entry) const {
    return is_alive(entry.older) && entry.version == best_[entry.older].version;
  }
  Box box(Number i) const { return e_.groups_[places_[i].group].at(places_[i].slot); }
  Number merge(Number i, Number k);
  void take_out(Number i);
  void wake_watchers(Number changed);
  void set_best(Number i, double degree, Number number, bool is_exact);
  void find_best(FoundPartners& p);
  FoundPartners* free_pair(Number i, Number k);
  void renew_after(Number older, Number younger, FoundPartners& both);

  // agglomeration_partners.cpp
  void begin(Number i, FoundPartners& p) const;
  void begin(Number older, Number younger, FoundPartners& p) const;
  void look_around(Search& search, bool ahead, FoundPartners& p) const;
  void explore(Search& search, bool ahead, FoundPartners& p) const;
  void find_free(Search& search, FoundPartners& p) const;
  std::optional<Number> find_blocker(FoundPartners& p, Number k, Search& search) const;
  std::size_t unite(const FoundPartners& p, Number k, Search& search) const;
  bool meets(Number k, std::size_t own, Search& search) const;
  FoundPartners& partners_of(Number i);
  Partner first_mergeable(FoundPartners& p);
  void note_blockers(const FoundPartners& p);
  std::size_t batch() const;
  void in_threads(const std::vector<Number>& boxes,
                  const std::function<void(std::size_t, Search&)>& use);
  void look_ahead(Number from, const std::function<bool(Number)>& include);
  void look_ahead(const QueueEntry& from);
  void explore_ahead(const std::function<void(Number, Search&, FoundPartners&)>& begin);
  void forget_ahead();
  void note_change(Number older, Number younger);
  FoundPartners* found_ahead(Number i);
  void catch_up(FoundPartners& p);
  bool is_free_of_changed(const FoundPartners& p, Number k);

  AgglomerativeEngine& e_;
  std::size_t threads_;
  ThreadPool pool_;
  std::vector<Place> places_;                  // by number
  std::vector<std::vector<Number>> blockers_;  // by number: boxes that kept it from merging
  std::vector<std::vector<Number>> watchers_;  // and the reverse: boxes it kept from merging
  FoundPartners now_;                          // of a box whose turn came unforeseen
  std::vector<Number> woken_;                  // boxes whose blockers have changed

  // The partners of some boxes, as they were when they were looked for, and what has merged since.
  std::vector<Number> searched_;  // in order
  std::vector<FoundPartners> found_;
  std::vector<Number> changed_;
  std::vector<Number> grown_;  // those of them that are still there
  std::vector<std::uint8_t> has_changed_;  // by number
  std::vector<QueueEntry> upcoming_;       // AGGLO-SM: those of the boxes, in order

  // AGGLO-SM only.
  std::vector<Best> best_;
  std::vector<double> bound_;  // of the pairs that were blocked when the best was found
  std::vector<std::vector<Number>> reverse_best_;  // by number: the boxes whose best it is, or was
  std::priority_queue<QueueEntry> queue_;
};

}  // namespace boxwise
