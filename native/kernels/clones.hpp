// Function multiversioning: one binary has a clone of a kernel for each x86-64 level, and glibc picks the
// best for the processor when the module loads. Results have the same bits on all; bounds may
// differ in the last ones.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && __GNUC__ >= 12 && \
    !defined(__clang__) && !defined(BOXWISE_NO_CLONES)
#define CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
// The same for a function template whose parameter says how many bytes a register has.
#define CLONES_BY_WIDTH(result, name, parameters, arguments)                       \
  [[gnu::target("arch=x86-64-v4")]] static result name##_in_64 parameters {        \
    return name##_in<64> arguments;                                                \
  }                                                                                \
  [[gnu::target("arch=x86-64-v3")]] static result name##_in_32 parameters {        \
    return name##_in<32> arguments;                                                \
  }                                                                                \
  static result name##_in_16 parameters { return name##_in<16> arguments; }        \
  result name parameters {                                                         \
    static const int width = __builtin_cpu_supports("x86-64-v4")   ? 64            \
                             : __builtin_cpu_supports("x86-64-v3") ? 32            \
                                                                   : 16;           \
    return width == 64   ? name##_in_64 arguments                                  \
           : width == 32 ? name##_in_32 arguments                                  \
                         : name##_in_16 arguments;                                 \
  }
#else
#define CLONES
#define CLONES_BY_WIDTH(result, name, parameters, arguments) \
  result name parameters { return name##_in<16> arguments; }
#endif

#if defined(_MSC_VER)
#define RESTRICT __restrict
#else
#define RESTRICT __restrict__
#endif

// Have memory brought near; it changes nothing.
#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) static_cast<void>(address)
#endif
