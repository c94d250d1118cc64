#include "embed_result.h"

#include <algorithm>
#include <cmath>

// index: of the input, for the error.
static void normalize(std::vector<float> & vector, int32_t index) {
    double sum = 0.0;
    for (const float value : vector) {
        sum += (double) value * value;
    }
    const double length = std::sqrt(sum);
    if (!std::isfinite(length) || length == 0.0) {
        throw RequestError(ErrorCode::EngineFailed, "The model gave no usable numbers for an input.", index);
    }
    for (float & value : vector) {
        value = (float) (value / length);
    }
}

// Of two vectors of length 1; rounding may take the sum a little beyond.
static float cosine(const std::vector<float> & a, const std::vector<float> & b) {
    double sum = 0.0;
    for (size_t i = 0; i < a.size(); i++) {
        sum += (double) a[i] * b[i];
    }
    return (float) std::clamp(sum, -1.0, 1.0);
}

EmbedResult make_embed_result(EmbedTask task, ModelKind kind, const std::vector<std::vector<llama_token>> & prompts,
                              std::vector<std::vector<float>> && outputs) {
    // the query of an embedding model is a prompt of its own, in front
    const size_t n_queries = task == EmbedTask::Rerank && kind == ModelKind::Embedding ? 1 : 0;

    EmbedResult result;
    for (size_t i = 0; i < prompts.size(); i++) {
        result.n_total += (int64_t) prompts[i].size();
        if (i >= n_queries) {
            result.n_tokens.push_back((int32_t) prompts[i].size());
        }
    }
    if (kind == ModelKind::Rerank) {
        for (size_t i = 0; i < outputs.size(); i++) {
            if (!std::isfinite(outputs[i][0])) {
                throw RequestError(ErrorCode::EngineFailed, "The model gave no usable score.", (int32_t) i);
            }
            result.scores.push_back(outputs[i][0]);
        }
        return result;
    }
    for (size_t i = 0; i < outputs.size(); i++) {
        normalize(outputs[i], (int32_t) i - (int32_t) n_queries);
    }
    if (task == EmbedTask::Embed) {
        result.vectors = std::move(outputs);
        return result;
    }
    for (size_t i = n_queries; i < outputs.size(); i++) {
        result.scores.push_back(cosine(outputs[0], outputs[i]));
    }
    return result;
}
