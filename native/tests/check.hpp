// A checker for the native tests: cases register themselves, CHECK counts and reports failures. Each
// file of tests is a group of cases, named like the file.
#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace check {

struct Case {
  std::string group, name;
  std::function<void()> run;
};
inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}
inline int failures = 0;

inline std::string stem(std::string_view path) {
  path.remove_prefix(path.find_last_of("/\\") + 1);
  return std::string(path.substr(0, path.find('.')));
}
inline bool add(const char* file, const char* name, std::function<void()> run) {
  cases().push_back({stem(file), name, std::move(run)});
  return true;
}
inline void that(bool holds, const char* file, int line, const char* condition) {
  if (!holds && ++failures <= 20) std::fprintf(stderr, "%s:%d: %s\n", file, line, condition);
}

// Random numbers that are the same with every standard library.
class Random {
 public:
  explicit Random(unsigned seed) : bits_(seed) {}
  double unit() { return static_cast<double>(bits_()) / 4294967296.0; }
  unsigned below(unsigned count) { return bits_() % count; }

 private:
  std::mt19937 bits_;
};

}  // namespace check

#define CHECK(condition) check::that((condition), __FILE__, __LINE__, #condition)
#define CHECK_NEAR(a, b, tolerance) CHECK(std::abs((a) - (b)) <= (tolerance))
#define TEST(name)                                                        \
  static void name();                                                     \
  static const bool name##_added = check::add(__FILE__, #name, name);     \
  static void name()
