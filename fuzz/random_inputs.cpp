// What runs a fuzz target where the compiler has no libFuzzer: random inputs and mutations of them, not
// guided by coverage. Called as libFuzzer's programs are: files are run once each; -max_total_time=60
// says for how long to look for more, -seed=1 where to begin, -artifact_prefix=folder/ where an input that
// breaks the target is left.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" void __sanitizer_set_death_callback(void (*callback)());

namespace {

constexpr unsigned LONGEST = 25;  // seconds for an input, on a busy machine

std::vector<std::uint8_t> input;  // the one that is run
std::string artifact;             // the file for one that breaks the target

void leave_input() {
  std::FILE* file = std::fopen(artifact.c_str(), "wb");
  if (file == nullptr) return;
  std::fwrite(input.data(), 1, input.size(), file);
  std::fclose(file);
  std::fprintf(stderr, "broken by %s\n", artifact.c_str());
}

void stop_with_input(int signal) {
  if (signal == SIGALRM) std::fprintf(stderr, "an input took over %u s\n", LONGEST);
  leave_input();
  std::_Exit(1);
}

void run_input() {
  alarm(LONGEST);
  LLVMFuzzerTestOneInput(input.data(), input.size());
  alarm(0);
}

void run(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "%s cannot be read\n", path);
    std::exit(2);
  }
  input.assign(std::istreambuf_iterator<char>(file), {});
  run_input();
}

void mutate(std::mt19937_64& random) {
  if (input.empty()) return;
  const auto place = [&] { return static_cast<std::ptrdiff_t>(random() % input.size()); };
  switch (random() % 8) {
    case 0: input.erase(input.begin() + place(), input.end()); break;
    case 1: input.erase(input.begin() + place()); break;
    case 2: input.insert(input.begin() + place(), static_cast<std::uint8_t>(random())); break;
    default:
      for (auto changes = 1 + random() % 8; changes > 0; --changes)
        input[random() % input.size()] = static_cast<std::uint8_t>(random());
  }
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 0;
  unsigned long seed = std::random_device{}();
  std::vector<const char*> files;
  artifact = "crash";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto value = [&](std::string_view name) {
      return argument.starts_with(name) ? argv[i] + name.size() : nullptr;
    };
    if (const char* text = value("-max_total_time=")) seconds = std::atof(text);
    else if (const char* text = value("-seed=")) seed = std::strtoul(text, nullptr, 10);
    else if (const char* text = value("-artifact_prefix=")) artifact = std::string(text) + "crash";
    else files.push_back(argv[i]);
  }
  __sanitizer_set_death_callback(leave_input);
  std::signal(SIGABRT, stop_with_input);  // of a promise that is broken
  std::signal(SIGALRM, stop_with_input);
  for (const char* file : files) run(file);
  if (seconds <= 0) return 0;

  std::printf("seed %lu\n", seed);
  std::fflush(stdout);
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::uint8_t>> pool;
  unsigned long long runs = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (; std::chrono::steady_clock::now() < end; ++runs) {
    if (pool.size() < 100 || random() % 4 == 0) {
      input.resize(random() % 1000);
      for (auto& byte : input) byte = static_cast<std::uint8_t>(random());
    } else {
      input = pool[random() % pool.size()];
      mutate(random);
    }
    run_input();
    if (pool.size() < 1000)
      pool.push_back(input);
    else
      pool[random() % pool.size()] = input;
  }
  std::printf("%llu inputs, nothing found\n", runs);
}
