#pragma once

#include <string>

// Whether llama.cpp can be given a regular expression that comes from outside. It writes a repetition out item by item,
// without end where the bounds are reversed, and a grammar that can match nothing in many ways costs time beyond
// measure at every token. Pure; linear in the pattern.
//
// The reason why not, as a sentence; empty: it can. What else it cannot express, llama.cpp says.
std::string pattern_problem(const std::string & pattern);
