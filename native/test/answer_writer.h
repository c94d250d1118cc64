#pragma once

// Answers without a model's opinion: tokens by chance through the real sampler and grammar, and what the parser makes
// of a text.

#include "chat_template.h"
#include "check.h"
#include "model.h"
#include "sampler.h"
#include "utf8.h"

#include <random>
#include <string>
#include <vector>

struct Written {
    std::string text;
    bool        is_complete = false;  // ended by itself
};

// The ids that a rendered chat shows as text.
inline std::unordered_set<llama_token> shown_tokens(const Model & model, const RenderedChat & rendered) {
    std::unordered_set<llama_token> out;
    for (llama_token token = 0; token < model.info().n_vocab; token++) {
        for (const std::string & text : rendered.preserved) {
            if (model.piece(token, true) == text) {
                out.insert(token);
            }
        }
    }
    return out;
}

// Draws up to n_max tokens. Marks that close something are likelier than all others, so that texts come to an end.
inline Written write_answer(const Model & model, const RenderedChat & rendered, uint32_t seed, int n_max) {
    const auto                    shown = shown_tokens(model, rendered);
    std::unique_ptr<TokenGrammar> grammar;
    if (!rendered.grammar.gbnf.empty()) {
        grammar = std::make_unique<TokenGrammar>(llama_model_get_vocab(model.get()), rendered.grammar, shown);
    }
    SamplingParams params;
    params.temperature = 1.0f;
    params.top_k       = 0;
    params.top_p       = 1.0f;
    params.min_p       = 0.0f;
    params.seed        = seed;
    Sampler                         sampler(model.get(), params, std::move(grammar));
    std::mt19937                    random(seed);
    std::normal_distribution<float> normal(0.0f, 2.0f);
    std::vector<float>              logits((size_t) model.info().n_vocab);
    Utf8Assembler                   utf8;
    Written                         out;
    for (int i = 0; i < n_max; i++) {
        for (llama_token token = 0; token < model.info().n_vocab; token++) {
            const std::string piece  = model.piece(token, true);
            const bool        closes = !piece.empty() && std::string("\"}]<>|").find(piece[0]) != std::string::npos;
            logits[(size_t) token]   = normal(random) + (closes ? 6.0f : model.is_eog(token) ? 8.0f : 0.0f);
        }
        const llama_token token = sampler.sample(logits.data()).token;
        if (token == LLAMA_TOKEN_NULL || model.is_eog(token)) {
            out.is_complete = true;
            break;
        }
        out.text += utf8.push(model.piece(token, shown.count(token) > 0));
    }
    out.text += utf8.flush();
    return out;
}

struct Answer {
    std::string           content;
    std::string           reasoning;
    std::vector<ToolCall> calls;
};

inline void add(Answer & answer, const ChatParser::Delta & delta) {
    answer.content += delta.content;
    answer.reasoning += delta.reasoning;
    for (const ToolCallDelta & piece : delta.tool_calls) {
        if ((size_t) piece.index == answer.calls.size()) {
            CHECK(!piece.id.empty() && !piece.name.empty());
            answer.calls.push_back({ piece.id, piece.name, "" });
        } else {
            CHECK(piece.id.empty() && piece.name.empty());
        }
        answer.calls.at((size_t) piece.index).arguments += piece.arguments;
    }
}

// A text in pieces of three bytes through the rendered chat's parser.
inline Answer parse_answer(RenderedChat & rendered, const std::string & text) {
    Answer answer;
    if (!rendered.parser) {
        answer.content = text;
        return answer;
    }
    for (size_t i = 0; i < text.size(); i += 3) {
        add(answer, rendered.parser->push(std::string_view(text).substr(i, 3), false));
    }
    add(answer, rendered.parser->push("", true));
    return answer;
}
