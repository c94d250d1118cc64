#include "sampler.h"

#include "candidates.h"
#include "logprobs.h"

#include <algorithm>
#include <cmath>
#include <random>

Sampler::Sampler(const llama_model * model, const SamplingParams & params, std::unique_ptr<TokenGrammar> grammar)
    : grammar_(std::move(grammar)) {
    const llama_vocab * vocab = llama_model_get_vocab(model);
    n_vocab_                  = llama_vocab_n_tokens(vocab);
    n_logprobs_               = params.n_logprobs;

    llama_sampler_chain_params chain_params = llama_sampler_chain_default_params();
    chain_params.no_perf                    = true;
    chain_.reset(llama_sampler_chain_init(chain_params));

    const auto add = [&](llama_sampler * sampler) { llama_sampler_chain_add(chain_.get(), sampler); };

    std::vector<llama_logit_bias> biases;
    for (const auto & [token, bias] : params.logit_bias) {
        // OpenAI: -100 bans a token, 100 makes it the only one
        biases.push_back({ token, bias <= -100.0f ? -INFINITY : bias });
    }
    // tokens that the model's file says must never be written
    int32_t             n_suppressed = 0;
    const llama_token * suppressed   = llama_vocab_get_suppress_tokens(vocab, &n_suppressed);
    for (int32_t i = 0; i < n_suppressed; i++) {
        biases.push_back({ suppressed[i], -INFINITY });
    }
    if (!biases.empty()) {
        add(llama_sampler_init_logit_bias(n_vocab_, (int32_t) biases.size(), biases.data()));
    }
    if (params.repeat_penalty != 1.0f || params.frequency_penalty != 0.0f || params.presence_penalty != 0.0f) {
        const int32_t n_all = llama_model_n_ctx_train(model);
        add(llama_sampler_init_penalties(n_vocab_, std::min(n_all, params.n_penalized.value_or(n_all)),
                                         params.repeat_penalty, params.frequency_penalty, params.presence_penalty));
    }
    // nothing before the cut to the most likely tokens changes their order: the others need not be looked at
    const bool is_greedy  = *params.temperature <= 0.0f;
    const bool is_ordered = llama_sampler_chain_n(chain_.get()) == 0;
    n_top_                = !is_ordered ? 0 : is_greedy ? 1 : *params.top_k;
    if (is_greedy) {
        add(llama_sampler_init_greedy());
        return;
    }
    if (*params.top_k > 0) {
        add(llama_sampler_init_top_k(*params.top_k));
    }
    if (*params.top_p < 1.0f) {
        add(llama_sampler_init_top_p(*params.top_p, 1));
    }
    if (*params.min_p > 0.0f) {
        add(llama_sampler_init_min_p(*params.min_p, 1));
    }
    add(llama_sampler_init_temp(*params.temperature));
    add(llama_sampler_init_dist(params.seed ? *params.seed : std::random_device{}()));
}

// Fills candidates_ with what the chain starts from. llama.cpp's samplers are not made for values that are no numbers.
void Sampler::collect(const float * logits) {
    if (n_top_ > 0) {
        top_candidates(logits, n_vocab_, n_top_, candidates_);
    } else {
        collect_all(logits);
    }
    if (candidates_.empty()) {
        throw RequestError(ErrorCode::EngineFailed, "The model computed no numbers for the next token.");
    }
}

void Sampler::collect_all(const float * logits) {
    candidates_.clear();
    for (llama_token token = 0; token < n_vocab_; token++) {
        if (!std::isnan(logits[token])) {
            candidates_.push_back({ token, logits[token], 0.0f });
        }
    }
}

// Runs the chain over candidates_; LLAMA_TOKEN_NULL where it leaves nothing.
llama_token Sampler::draw_candidate(bool is_sorted) {
    llama_token_data_array array = { candidates_.data(), candidates_.size(), -1, is_sorted };
    llama_sampler_apply(chain_.get(), &array);
    const bool has_token =
        array.selected >= 0 && (size_t) array.selected < array.size && array.data[array.selected].logit > -INFINITY;
    return has_token ? array.data[array.selected].id : LLAMA_TOKEN_NULL;
}

// Draws again, from what the grammar allows.
llama_token Sampler::draw_by_grammar(const float * logits) {
    collect_all(logits);
    grammar_->filter(candidates_);
    const bool        is_empty = candidates_.empty();
    const llama_token token    = is_empty ? LLAMA_TOKEN_NULL : draw_candidate(false);
    if (token == LLAMA_TOKEN_NULL && !grammar_->may_end()) {
        throw RequestError(is_empty ? ErrorCode::InvalidGrammar : ErrorCode::InvalidLogitBias,
                           is_empty ? "The grammar allows nothing that this model's vocabulary can write."
                                    : "No token can follow: logit_bias excludes every one that the grammar allows.");
    }
    return token;
}

Sampler::Draw Sampler::sample(const float * logits) {
    collect(logits);
    Draw draw;
    draw.token = draw_candidate(n_top_ > 0);
    if (grammar_ && (draw.token == LLAMA_TOKEN_NULL || !grammar_->allows(draw.token))) {
        draw.token = draw_by_grammar(logits);
        if (draw.token == LLAMA_TOKEN_NULL) {
            return draw;
        }
    }
    if (draw.token == LLAMA_TOKEN_NULL) {
        throw RequestError(ErrorCode::InvalidLogitBias, "No token can follow: logit_bias excludes every one.");
    }
    llama_sampler_accept(chain_.get(), draw.token);
    if (grammar_) {
        grammar_->accept(draw.token);
    }
    if (n_logprobs_ >= 0) {
        std::vector<RankedToken> ranked;
        rank_tokens(logits, n_vocab_, draw.token, n_logprobs_, ranked);
        for (const RankedToken & entry : ranked) {
            draw.logprobs.emplace_back(entry.token, entry.logprob);
        }
    }
    return draw;
}
