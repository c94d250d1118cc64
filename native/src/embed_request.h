#pragma once

#include "request.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

// What a caller asks of an embedding or rerank model, and what it gets. Plain values, filled at the addon's door.

enum class EmbedTask {
    Embed,   // a vector for each input
    Rerank,  // a score for each input, against the query
};

using EmbedInput = std::variant<std::string, std::vector<int32_t>>;  // UTF-8 text, or token ids taken as they are

struct EmbedRequest {
    int64_t                 id   = 0;  // unique among the requests that have not ended
    EmbedTask               task = EmbedTask::Embed;
    std::string             query;             // Rerank; not empty
    std::vector<EmbedInput> inputs;            // at least one, none empty
    bool                    truncate = false;  // cut an input that is too long at its end instead of refusing it
};

// Everything in the order of the inputs.
struct EmbedResult {
    std::vector<std::vector<float>> vectors;      // Embed: of length 1 each
    std::vector<float>              scores;       // Rerank: larger is closer; see Embedder
    std::vector<int32_t>            n_tokens;     // of each input, with the query and the special tokens beside it
    int64_t                         n_total = 0;  // tokens that went through the model
};

// What becomes of a request.
using EmbedOutcome = std::variant<EmbedResult, RequestError>;
