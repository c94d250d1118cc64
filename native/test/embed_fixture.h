#pragma once

// What the tests of embeddings and rerank share.

#include "embed_request.h"
#include "engine_fixture.h"

#include <string>
#include <vector>

inline std::shared_ptr<const Model> load(const LoadOptions & load_options) {
    return Model::load(load_options, [](float) { return true; });
}

inline EmbedRequest embed(int64_t id, const std::vector<std::string> & texts) {
    EmbedRequest request;
    request.id = id;
    request.inputs.assign(texts.begin(), texts.end());
    return request;
}

inline EmbedRequest rerank(int64_t id, const std::string & query, const std::vector<std::string> & documents) {
    EmbedRequest request = embed(id, documents);
    request.task         = EmbedTask::Rerank;
    request.query        = query;
    return request;
}

// n words, different for each i.
inline std::string words(int i, int n) {
    static const std::vector<std::string> WORDS = { "the",  "weather", "small", "light", "keeper", "first",
                                                    "lamp", "morning", "a",     "story", "ships",  "wind" };
    std::string                           text;
    for (int k = 0; k < n; k++) {
        text += (k > 0 ? " " : "") + WORDS[(size_t) (i * 7 + k * (i + 3)) % WORDS.size()];
    }
    return text;
}
