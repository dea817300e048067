// Runs the cases of one group, or all: native_tests [GROUP]. Fails if a check fails or none was run.
#include "tests/check.hpp"

int main(int count, char** arguments) {
  int run = 0, failed = 0;
  for (const check::Case& one : check::cases()) {
    if (count > 1 && one.group != arguments[1]) continue;
    check::failures = 0;
    one.run();
    ++run;
    if (check::failures == 0) continue;
    ++failed;
    std::fprintf(stderr, "%s: %s: %d checks failed\n", one.group.c_str(), one.name.c_str(),
                 check::failures);
  }
  std::printf("%d cases, %d failed\n", run, failed);
  return run > 0 && failed == 0 ? 0 : 1;
}
