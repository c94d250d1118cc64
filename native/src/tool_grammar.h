#pragma once

#include "request.h"

#include <string>
#include <vector>

// How a template's grammar for tool calls is to be changed.
struct ToolGrammarOptions {
    bool is_lazy      = false;  // only the calls, for after a trigger
    bool without_text = false;  // no text beside the calls
    bool single_call  = false;  // one call at most
};

// The grammar of an output format with tools, in llama.cpp's notation, from the parser that llama.cpp made of the
// template (common_chat_params::parser). Arguments follow the tools' schemas wherever the format writes them as JSON.
// Throws std::exception where a schema does not convert. Any thread.
std::string tool_grammar(const std::string & parser, const std::vector<Tool> & tools,
                         const ToolGrammarOptions & options);
