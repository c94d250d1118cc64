#pragma once

#include "request.h"

// Checks what of a chat comes from outside before llama.cpp sees it: tools, schemas, earlier calls, template variables.
// Throws RequestError(InvalidPrompt or InvalidGrammar) that says what is wrong. Pure; any thread.
void check_chat(const ChatInput & input, const Constraint & constraint);
