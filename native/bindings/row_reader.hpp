// Rows that are Python dicts, read straight into the engine: for learning and predicting one row a
// call, where going through arrays would cost more than the engine itself. Only plain rows are
// read; whatever is out of the ordinary is the caller's to handle by the general way.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/learning_engine.hpp"

namespace boxwise {

class RowReader {
 public:
  // An engine, a dict with the keys of all columns in their order, the positions of the numeric
  // ones, the vocabulary of each of the others, and that of the labels. All are the caller's own:
  // the keys stay as they are; vocabularies may grow, and grow here.
  RowReader(nanobind::object engine, nanobind::dict keys, nanobind::tuple numeric,
            nanobind::tuple vocabularies, nanobind::object labels);

  // Learn a row with a label that is known. Returns false, and has done nothing, if the row is not
  // plain: no dict, or it has a column with a value that the model does not know of, or an unusual
  // value. Columns that the row lacks are missing; a text never seen becomes a category.
  bool learn(nanobind::handle row, nanobind::handle label);

  // The label of a row; None if the row is not plain, or no label has been learned.
  nanobind::object predict(nanobind::handle row) const;
  // A dict from label to probability; None if the row is not plain.
  nanobind::object probabilities(nanobind::handle row) const;

 private:
  struct Cells;
  bool read_usual(PyObject* row, bool to_learn, Cells& cells) const;
  std::size_t fetch(nanobind::handle row, std::vector<nanobind::object>& values) const;
  void note_order(nanobind::handle row);
  // Return false for a value that is not plain.
  bool read_numbers(const std::vector<nanobind::object>& values, Cells& cells) const;
  bool read_codes(const std::vector<nanobind::object>& values,
                  std::vector<nanobind::object>* fresh, Cells& cells) const;
  bool has_other_values(nanobind::dict row) const;
  bool read(nanobind::handle row, Cells& cells) const;
  static Cells& cells();

  struct Categorical {
    nanobind::object key;
    nanobind::dict codes;
    nanobind::list values;
    std::size_t limit = SIZE_MAX;  // values that are told apart; the code of all others
    bool is_full() const { return values.size() > limit; }
    // The text looked up last, and its code, which it keeps: a row that was predicted is learned
    // next.
    mutable nanobind::object latest = {};
    mutable Code latest_code = 0;
  };
  nanobind::object keeper_;  // of the engine
  LearningEngine& engine_;
  std::vector<nanobind::object> numeric_;  // the keys
  std::vector<Categorical> categorical_;
  nanobind::dict label_codes_, known_;  // known_: the keys of all columns
  nanobind::list labels_;
  std::vector<std::pair<PyObject*, std::size_t>> usual_;  // keys in the order of rows, which columns
  int tries_ = 3;  // to find one
};

}  // namespace boxwise
