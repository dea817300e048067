// A sample whose class is known is put to all boxes, a portion of them with each row that is learned.
// They answer as they were when it began: a box that is about to change is asked before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evidence_question.hpp"

namespace boxwise {

struct EvidenceEngine::Answers {  // of a class
  std::size_t boxes = 0;
  std::uint64_t samples = 0;
  double newest = 0;           // the last row that one of them took
  std::vector<double> shares;  // of the values of the sample
  std::vector<Slot> order;     // of creation, where slots are in another
  std::vector<bool> asked;     // by portion
  std::vector<double> sums;    // by portion, by pair: logarithms of what its boxes say together
  Left left;
  // If slopes are asked for, by portion: the logarithm of what the loudest says; in parts of that, what
  // those say that count; and weighted by these, the slopes, feature by feature.
  std::vector<double> loudest, said, slopes;
};

struct EvidenceEngine::Inquiry {
  explicit Inquiry(bool slopes) : with_slopes(slopes) {}

  const bool with_slopes;
  bool open = false;       // else nothing is asked at present
  std::uint64_t begun = 0;  // in rows with a label
  std::size_t portion = 0;  // boxes
  std::vector<std::size_t> pairs;  // of bandwidth and backoff
  double temperature = 0;
  double rows = 0, memory = 0;  // by which boxes fade
  Sample x;
  std::vector<Code> codes;  // of the sample
  Question q;
  std::vector<Answers> classes;
  std::size_t boxes = 0, boxes_asked = 0;  // of all classes
  std::size_t next_class = 0, next_portion = 0;

  std::size_t portions(const Answers& of) const { return (of.boxes + portion - 1) / portion; }
};

}  // namespace boxwise
