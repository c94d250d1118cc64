#pragma once

// The whole test framework: a failed CHECK prints where and what, and the test program ends with 1. Each case prints a
// line "ok NAME", which the test runner counts.

#include <cstdio>
#include <cstdlib>
#include <iostream>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            std::cerr << __FILE__ << ":" << __LINE__ << ": failed: " << #condition << "\n"; \
            std::exit(1); \
        } \
    } while (0)

#define CHECK_EQUAL(actual, expected) \
    do { \
        const auto & actual_value   = (actual); \
        const auto & expected_value = (expected); \
        if (!(actual_value == expected_value)) { \
            std::cerr << __FILE__ << ":" << __LINE__ << ": " << #actual << "\n  expected: " << expected_value \
                      << "\n  received: " << actual_value << "\n"; \
            std::exit(1); \
        } \
    } while (0)

#define RUN(test) \
    do { \
        test(); \
        std::printf("ok %s\n", #test); \
        std::fflush(stdout); \
    } while (0)
