#pragma once

#include "request.h"

// Checks what of a chat comes from outside before llama.cpp sees it: tools, schemas, earlier calls, template variables.
// Throws RequestError that says what is wrong: InvalidTool with its index, InvalidToolChoice, InvalidGrammar for the
// constraint, else InvalidPrompt. Pure; any thread.
void check_chat(const ChatInput & input, const Constraint & constraint);
