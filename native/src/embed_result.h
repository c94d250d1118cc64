#pragma once

#include "embed_request.h"
#include "model.h"

#include <vector>

// Makes a request's result of what the model gave for each of its prompts (see EmbedPrompt): embeddings scaled to
// length 1, scores of a rerank model as they are, the cosines of an embedding model. Throws RequestError where the
// model gave something that is no number or has no direction. Pure.
EmbedResult make_embed_result(EmbedTask task, ModelKind kind, const std::vector<std::vector<llama_token>> & prompts,
                              std::vector<std::vector<float>> && outputs);
