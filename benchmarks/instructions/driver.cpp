// A fixed piece of work for the engine, whose instructions callgrind counts: rows are learned and
// predicted, by membership, with the index and without it, and by evidence. Between the cases
// callgrind writes down its count (--dump-after); the order of the cases goes to standard output.
// Rows are drawn by a generator of our own, so that they are the same everywhere.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "eiol/entropy_engine.hpp"
#include "evidence/engine.hpp"

namespace {

using boxwise::Code;
using boxwise::LearningEngine;
using boxwise::Rows;

constexpr std::size_t CONTINUOUS = 6, CATEGORICAL = 3;

struct Decision {
  const char* name;
  std::size_t learned, predicted;  // rows; a row costs more by evidence
};
constexpr Decision DECISIONS[] = {{"membership", 6000, 500}, {"evidence", 3000, 500}};

struct Table {
  std::vector<double> numbers;
  std::vector<Code> codes;
  std::vector<std::int32_t> labels;
  Rows rows(std::size_t begin, std::size_t end) const {
    const double* first = numbers.data() + begin * CONTINUOUS;
    return {end - begin, first, first, codes.data() + begin * CATEGORICAL};
  }
};

class Draw {
 public:
  double operator()() {  // xorshift: from 0 to 1
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(state_ >> 11) / 9007199254740992.0;
  }

 private:
  std::uint64_t state_ = 88172645463325252ULL;
};

Table make_table(std::size_t count) {
  static constexpr double VALUES[CATEGORICAL] = {5, 20, 9};
  Draw draw;
  Table table;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < CONTINUOUS; ++j) table.numbers.push_back(draw());
    for (const double values : VALUES) table.codes.push_back(static_cast<Code>(draw() * values));
    const double* x = table.numbers.data() + i * CONTINUOUS;
    table.labels.push_back((x[0] + x[1] > 1) != (draw() < 0.05));
  }
  return table;
}

boxwise::EntropySettings learning(double size) {
  constexpr double share = static_cast<double>(CONTINUOUS) / (CONTINUOUS + CATEGORICAL);
  return {size, size, share, std::vector<double>(CONTINUOUS, 1.0), false};
}

std::unique_ptr<LearningEngine> make_engine(const Decision& decision, double size, bool indexed) {
  const std::vector<boxwise::Range> ranges(CONTINUOUS, {boxwise::UNSET, -boxwise::UNSET, true});
  if (decision.name == std::string("evidence"))
    return std::make_unique<boxwise::evidence::EvidenceEngine>(
        CONTINUOUS, CATEGORICAL, boxwise::evidence::Settings{{size, size}}, ranges);
  auto engine =
      std::make_unique<boxwise::EntropyEngine>(CONTINUOUS, CATEGORICAL, learning(size), ranges);
  engine->set_index(indexed ? boxwise::IndexMode::ON : boxwise::IndexMode::OFF);
  return engine;
}

// Counts can only be compared between builds of one kind, for one kind of processor: valgrind shows
// its own to the engine's kernels, which choose by it.
void tell_how_it_was_built() {
#if defined(__clang__)
  std::printf("compiler: clang %d\n", __clang_major__);
#else
  std::printf("compiler: gcc %d\n", __GNUC__);
#endif
  const char* instructions = "portable";
#if defined(__x86_64__) && !defined(__clang__)
  instructions = __builtin_cpu_supports("x86-64-v4")   ? "x86-64-v4"
                 : __builtin_cpu_supports("x86-64-v3") ? "x86-64-v3"
                                                       : "x86-64";
#endif
  std::printf("instructions: %s\n", instructions);
}

}  // namespace

// What callgrind is told to count: names without arguments, never inlined.
extern "C" __attribute__((noinline)) void measured_learn(LearningEngine* engine, const Rows* rows,
                                                         const std::int32_t* labels) {
  engine->learn(*rows, labels);
}
extern "C" __attribute__((noinline)) void measured_predict(const LearningEngine* engine, const Rows* rows,
                                                           std::int32_t* labels) {
  engine->predict(*rows, labels);
}

int main() {
  tell_how_it_was_built();
  const Table table = make_table(DECISIONS[0].learned + DECISIONS[0].predicted);
  for (const Decision& decision : DECISIONS)
    for (const double size : {0.1, 0.5})
      for (const bool indexed : {false, true}) {
        const bool has_index = decision.name == std::string("membership");
        if (indexed && !has_index) continue;
        const auto engine = make_engine(decision, size, indexed);
        const Rows learned = table.rows(0, decision.learned);
        const Rows unseen = table.rows(decision.learned, decision.learned + decision.predicted);
        std::vector<std::int32_t> predicted(unseen.count);
        measured_learn(engine.get(), &learned, table.labels.data());
        measured_predict(engine.get(), &unseen, predicted.data());
        for (const char* what : {"learn", "predict"})
          std::printf("%s %.1f,%s %s\n", decision.name, size,
                      has_index ? (indexed ? " index on," : " index off,") : "", what);
      }
  return 0;
}
