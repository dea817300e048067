// The inputs of the additive layer: which there are, and those of a row that are not 0.
//
// A numeric column has a linear input and five hat functions over its scale, and one that is 1 where
// the value is missing; a categorical column has one for each of its first values and one for all
// others, those among them that were never seen. Inputs are numbered as they are met. A column has none until it has two values, so that a
// column that comes late is as one whose values were missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evidence/scales.hpp"

namespace boxwise::additive {

constexpr std::size_t HATS = 5;
constexpr std::size_t OWN_VALUES = 12;  // of a categorical column that have an input each

struct Active {
  std::size_t slot;
  double x;
};

// Slots name inputs whether they have been met or not: column by column, numeric ones first.
class Slots {
 public:
  static constexpr std::size_t NUMERIC = HATS + 2, CATEGORICAL = OWN_VALUES + 1;
  static constexpr std::size_t LINEAR = 0, MISSING = HATS + 1;  // of a numeric column

  Slots(std::size_t n_numeric, std::size_t n_categorical) : n_(n_numeric), r_(n_categorical) {}

  std::size_t count() const { return n_ * NUMERIC + r_ * CATEGORICAL; }
  std::size_t columns() const { return n_ + r_; }
  std::size_t column(std::size_t slot) const {
    return slot < n_ * NUMERIC ? slot / NUMERIC : n_ + (slot - n_ * NUMERIC) / CATEGORICAL;
  }
  std::size_t first(std::size_t column) const {
    return column < n_ ? column * NUMERIC : n_ * NUMERIC + (column - n_) * CATEGORICAL;
  }
  // Whether it is one of those of a number, which are met together.
  bool is_of_number(std::size_t slot) const {
    return slot < n_ * NUMERIC && slot % NUMERIC != MISSING;
  }
  bool is_hat(std::size_t slot) const { return is_of_number(slot) && slot % NUMERIC != LINEAR; }

  // The inputs of a row that are not 0, in order of their slots.
  void read(const evidence::Query& x, const evidence::Scales& scales,
            const std::vector<double>& values_known, std::vector<Active>& out) const;
  // Adds those of one number, whose scale is ready.
  void read_number(const evidence::Query::Number& number, const evidence::Scales& scales,
                   std::vector<Active>& out) const;

 private:
  std::size_t n_, r_;
};

// Where the weights of an input are: all in one block, or the inputs of a column in one of their own.
class Layout {
 public:
  static constexpr std::size_t BIAS = 0, BOXES = 1;  // the inputs that are there from the start
  struct Place {
    std::size_t block, position;
  };

  Layout(std::size_t n_numeric, std::size_t n_categorical);

  // The number of an input; -1 if it was not met yet.
  std::ptrdiff_t find(std::size_t slot) const { return index_of_[slot]; }
  // Numbers the inputs of a row that are met for the first time.
  void meet(const std::vector<Active>& inputs);
  // A block for each column from now on; the bias and the boxes have the first.
  void decouple();

  bool is_decoupled() const { return decoupled_; }
  std::size_t size() const { return places_.size(); }
  std::size_t n_blocks() const { return sizes_.size(); }
  std::size_t block_size(std::size_t block) const { return sizes_[block]; }
  Place place(std::size_t index) const { return places_[index]; }
  double first_variance(std::size_t index) const;
  const Slots& slots() const { return slots_; }
  const std::vector<std::size_t>& met() const { return met_; }  // slots, in order
  void restore(const std::vector<std::size_t>& met, bool decoupled);

 private:
  void add(std::size_t slot);
  void put(std::size_t block);

  Slots slots_;
  std::vector<std::ptrdiff_t> index_of_;  // by slot
  std::vector<std::size_t> met_;          // by index, less the bias and the boxes
  std::vector<Place> places_;             // by index
  std::vector<std::size_t> sizes_;        // by block
  bool decoupled_ = false;
};

}  // namespace boxwise::additive
