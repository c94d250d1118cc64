#pragma once

#include <string>

// JSON and JSON Schema that come from outside, checked before llama.cpp's recursive code sees them. Pure; any thread.

// Throws RequestError(InvalidPrompt) where text is not JSON or too deeply nested. what: its place, for the message.
void check_json(const std::string & text, const std::string & what);

// The grammar, in llama.cpp's notation, of all JSON texts that a schema (JSON text of an object) allows.
// what: the schema's place, for the message. is_strict: refuse also what the grammar would not enforce, such as
// patterns that no grammar can express, in place of allowing more there. Throws RequestError(InvalidGrammar) that says
// why the schema cannot be used.
std::string schema_to_gbnf(const std::string & schema, const std::string & what, bool is_strict);
