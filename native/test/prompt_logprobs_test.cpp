// What the engine tells of the tokens of a prompt: the same however it is computed, and the same as of an answer.
#include "engine_fixture.h"
#include "memory_estimate.h"

#include <algorithm>
#include <cmath>
#include <random>

static std::vector<int32_t> random_tokens(size_t n, uint32_t seed) {
    std::mt19937         random(seed);
    std::vector<int32_t> out;
    for (size_t i = 0; i < n; i++) {
        out.push_back(40 + (int32_t) (random() % 60));
    }
    return out;
}

static Request about(int64_t seq, std::vector<int32_t> prompt, int32_t n_top, int32_t n_max_tokens = 1) {
    Request request           = tokens(seq, 1, n_max_tokens);
    request.prompt.tokens     = std::move(prompt);
    request.n_prompt_logprobs = n_top;
    return request;
}

using Prompt = std::vector<std::vector<RankedToken>>;

static Prompt ask(Engine & engine, Recorder & recorder, Request request) {
    const int64_t seq      = request.seq;
    const size_t  n_prompt = request.prompt.tokens.size();
    engine.submit(std::move(request));
    const Recorder::Stream stream = recorder.wait(seq);
    CHECK(stream.last.type == EventType::Done);
    CHECK_EQUAL(stream.last.n_cached, 0);
    CHECK_EQUAL(stream.last.n_prompt, (int32_t) n_prompt);
    CHECK_EQUAL(stream.prompt.size(), n_prompt - 1);
    return stream.prompt;
}

static float logprob_of(const std::vector<RankedToken> & entries, int32_t token) {
    for (const RankedToken & entry : entries) {
        if (entry.token == token) {
            return entry.logprob;
        }
    }
    return NAN;
}

// Whether it is the same row. Kernels for one and for many tokens round differently, the more so where the weights are
// quantised.
static bool is_same(const std::vector<RankedToken> & all, const std::vector<RankedToken> & some) {
    return std::all_of(some.begin(), some.end(), [&](const RankedToken & entry) {
        return std::fabs(logprob_of(all, entry.token) - entry.logprob) < 0.1f + 0.005f * std::fabs(entry.logprob);
    });
}

// all: of every token of the vocabulary; some: of the same prompt, perhaps of fewer tokens. No two rows of a model that
// is noise are alike.
static void check_same(const Prompt & all, const Prompt & some) {
    CHECK_EQUAL(all.size(), some.size());
    for (size_t i = 0; i < all.size(); i++) {
        CHECK_EQUAL(all[i][0].token, some[i][0].token);
        CHECK(is_same(all[i], some[i]));
        CHECK(i == 0 || !is_same(all[i - 1], some[i]));
    }
}

// What llama.cpp itself computes, in one call, for every token.
static Prompt by_llama(const std::string & name, const std::vector<int32_t> & prompt) {
    const auto           model  = Model::load(options(name, 1, 1024), [](float) { return true; });
    llama_context_params params = llama_context_default_params();
    params.n_ctx                = 1024;
    params.type_k               = GGML_TYPE_F32;
    params.type_v               = GGML_TYPE_F32;
    params.n_threads            = 1;
    params.n_threads_batch      = 1;
    params.n_batch              = 1024;
    params.n_ubatch             = 1024;
    llama_context * context     = llama_init_from_model(model->get(), params);
    const auto      n_vocab     = model->info().n_vocab;
    llama_batch     batch       = llama_batch_init((int32_t) prompt.size(), 0, 1);
    batch.n_tokens              = (int32_t) prompt.size();
    for (size_t i = 0; i < prompt.size(); i++) {
        batch.token[i]     = prompt[i];
        batch.pos[i]       = (int32_t) i;
        batch.n_seq_id[i]  = 1;
        batch.seq_id[i][0] = 0;
        batch.logits[i]    = 1;
    }
    CHECK_EQUAL(llama_decode(context, batch), 0);
    Prompt out(prompt.size() - 1);
    for (size_t i = 0; i < out.size(); i++) {
        rank_tokens(llama_get_logits_ith(context, (int32_t) i), n_vocab, prompt[i + 1], n_vocab, out[i]);
    }
    llama_batch_free(batch);
    llama_free(context);
    return out;
}

static LoadOptions reference_options(const std::string & name, int32_t n_parallel = 4) {
    LoadOptions out = options(name, n_parallel, 1024);
    out.type_k      = GGML_TYPE_F32;
    out.type_v      = GGML_TYPE_F32;
    return out;
}

// Alone, in the widest chunks that the logits have room for.
static void is_what_the_model_computes() {
    for (const char * name : { "random-f32", "sliding", "recurrent", "hybrid", "random" }) {
        const std::vector<int32_t> prompt = random_tokens(150, 1);
        Recorder                   recorder;
        const auto                 engine   = start(recorder, reference_options(name));
        const Prompt               actual   = ask(*engine, recorder, about(1, prompt, 20));
        const std::vector<Event>   progress = recorder.now(1).progress;
        for (size_t i = 1; i <= 4; i++) {
            CHECK_EQUAL(progress[progress.size() - i].n_prefilled, 160 - 32 * (int32_t) i);
        }
        check_same(by_llama(name, prompt), actual);
        for (const std::vector<RankedToken> & entries : actual) {
            CHECK(entries.size() == 20 || entries.size() == 21);
            CHECK_EQUAL(entries.size() == 20, entries[0].rank <= 20);
            for (size_t i = 1; i < entries.size(); i++) {
                const int32_t place = (int32_t) i + (entries[0].rank <= (int32_t) i ? 1 : 0);
                CHECK_EQUAL(entries[i].rank, place);
                CHECK(entries[i].logprob <= entries[i == 1 ? 1 : i - 1].logprob);
                CHECK_EQUAL(entries[i].logprob <= entries[0].logprob, entries[i].rank > entries[0].rank);
            }
        }
    }
}

// Running answers with a pace to keep leave room for a few tokens a step.
static void is_the_same_in_chunks_of_any_size_and_beside_others() {
    for (const char * name : { "random-f32", "recurrent", "hybrid" }) {
        const std::vector<int32_t> prompt = random_tokens(600, 2);  // short ones are not held to a pace
        Recorder                   alone_recorder;
        const auto                 alone    = start(alone_recorder, reference_options(name));
        const Prompt               expected = ask(*alone, alone_recorder, about(1, prompt, INT32_MAX));

        std::vector<uint64_t> n_steps;
        for (const double target_itl_ms : { 1e-6, 1e6 }) {
            LoadOptions load_options   = reference_options(name);
            load_options.target_itl_ms = target_itl_ms;
            Recorder   recorder;
            const auto engine = start(recorder, load_options);
            for (int64_t seq = 1; seq <= 2; seq++) {
                Request answer  = tokens(seq, 20 * (size_t) seq, 800);
                answer.priority = Priority::Interactive;  // else what comes soon after it counts as come together
                engine->submit(std::move(answer));
            }
            recorder.wait_tokens(1, 20);
            recorder.wait_tokens(2, 20);
            const uint64_t n_before = engine->stats().n_steps;
            engine->submit(about(3, random_tokens(90, 3), 0));  // another one at the same time
            check_same(expected, ask(*engine, recorder, about(4, prompt, 20)));
            recorder.wait(3);
            n_steps.push_back(engine->stats().n_steps - n_before);
        }
        CHECK(n_steps[0] > 3 * n_steps[1]);
    }
}

// The answer's own log probabilities, asked for as those of a prompt.
static void is_the_same_as_of_an_answer() {
    for (const char * name : { "random-f32", "sliding", "recurrent", "scripted" }) {
        Recorder   recorder;
        const auto engine           = start(recorder, reference_options(name));
        Request    request          = about(1, random_tokens(40, 4), 0, 60);
        request.sampling.n_logprobs = 20;
        request.ignore_eog          = true;
        std::vector<int32_t> text   = request.prompt.tokens;
        ask(*engine, recorder, std::move(request));
        const std::vector<Event> answer = recorder.tokens(1);
        CHECK_EQUAL(answer.size(), (size_t) 60);
        for (const Event & event : answer) {
            text.push_back(event.token_id);
        }
        const Prompt prompt = ask(*engine, recorder, about(2, text, INT32_MAX));
        for (size_t i = 0; i < answer.size(); i++) {
            const std::vector<RankedToken> & entries = prompt[39 + i];
            CHECK_EQUAL(entries[0].token, answer[i].token_id);
            std::vector<RankedToken> expected;
            for (const TokenLogprob & entry : answer[i].logprobs) {
                expected.push_back({ entry.token_id, entry.logprob, 0 });
            }
            CHECK(is_same(entries, expected));
        }
    }
}

static void names_each_token_once_and_all_of_the_vocabulary_on_request() {
    Recorder   recorder;
    const auto engine  = start(recorder, options("random", 1, 1024));
    const auto n_vocab = (size_t) engine->info().n_vocab;
    for (const std::vector<RankedToken> & entries : ask(*engine, recorder, about(1, { 72, 105, 105 }, INT32_MAX))) {
        CHECK_EQUAL(entries.size(), n_vocab);
        double sum = 0.0;
        for (const RankedToken & entry : entries) {
            sum += std::exp((double) entry.logprob);
        }
        CHECK(std::fabs(sum - 1.0) < 1e-3);
    }
    const auto model = Model::load(options("random", 1), [](float) { return true; });
    const auto names = recorder.now(1).names;
    CHECK_EQUAL(names.size(), n_vocab);
    for (const auto & [token, bytes] : names) {
        CHECK_EQUAL(bytes, model->tokenizer().piece(token));
    }
}

static void computes_all_and_leaves_it_to_others() {
    Recorder                   recorder;
    const auto                 engine = start(recorder, options("random", 2, 1024));
    const std::vector<int32_t> prompt = random_tokens(200, 5);
    const Prompt               first  = ask(*engine, recorder, about(1, prompt, INT32_MAX));
    check_same(first, ask(*engine, recorder, about(2, prompt, 20)));  // not from the first one's cells
    Request plain       = tokens(3, 1, 1);
    plain.prompt.tokens = prompt;
    engine->submit(std::move(plain));
    CHECK_EQUAL(recorder.wait(3).last.n_cached, 199);
}

// A prompt that is read takes longer than one that is not.
static void keeps_nobody_waiting_for_the_same_prompt() {
    Recorder   recorder;
    const auto engine = start(recorder, options("slow", 2, 2048));
    Request    asked  = about(1, random_tokens(1500, 11), 1);
    Request    plain  = asked;
    plain.seq         = 2;
    plain.priority    = Priority::Interactive;
    plain.n_prompt_logprobs.reset();
    engine->submit(std::move(asked));
    recorder.wait_progress(1, 2);
    engine->submit(std::move(plain));
    CHECK(recorder.wait(2).last.type == EventType::Done);
    CHECK_EQUAL(recorder.order(1), 0);
    CHECK_EQUAL(recorder.wait(1).prompt.size(), (size_t) 1499);
}

static void is_told_once_for_all_choices() {
    Recorder   recorder;
    const auto engine  = start(recorder, options("random", 4, 1024));
    Request    request = about(1, random_tokens(100, 6), 2, 5);
    request.forks      = { 2, 3 };
    ask(*engine, recorder, std::move(request));
    for (int64_t seq = 2; seq <= 3; seq++) {
        const Recorder::Stream stream = recorder.wait(seq);
        CHECK_EQUAL(stream.n_tokens, 5);
        CHECK(stream.prompt.empty());
        CHECK_EQUAL(stream.last.n_cached, 99);
    }
}

static void tells_nothing_of_a_single_token() {
    Recorder   recorder;
    const auto engine = start(recorder, options("random", 1));
    CHECK(ask(*engine, recorder, about(1, { 72 }, 3)).empty());
}

static bool is_computed_twice(const Recorder::Stream & stream) {
    return std::adjacent_find(stream.progress.begin(), stream.progress.end(), [](const Event & a, const Event & b) {
               return b.n_prefilled < a.n_prefilled;
           }) != stream.progress.end();
}

// Too few cells for all: a prompt gives its own up and is computed from the start again, but nothing is told twice
// (Recorder). How far the answers are when it comes depends on the machine, so it may take some trials.
static void is_told_once_where_the_prompt_is_computed_twice() {
    LoadOptions load_options   = options("random", 4, 512);
    load_options.kv_layout     = KvLayout::Unified;
    load_options.n_ctx         = 768 / 4;
    load_options.memory_bytes  = estimate_memory(load_options).fit.use[0].total();
    load_options.n_ctx         = 512;
    load_options.target_itl_ms = 1e-6;  // so that prompts take long beside answers

    const std::vector<int32_t> prompt = random_tokens(500, 7);
    Prompt                     actual;
    bool                       is_twice = false;
    for (int trial = 0; trial < 50 && !is_twice; trial++) {
        Recorder   recorder;
        const auto engine = start(recorder, load_options);
        CHECK_EQUAL(engine->info().n_cells, 768);
        for (int64_t seq = 0; seq < 3; seq++) {
            Request answer  = about(seq, random_tokens(10, (uint32_t) seq), 0, 440);
            answer.priority = Priority::Interactive;
            answer.n_prompt_logprobs.reset();
            engine->submit(std::move(answer));
        }
        Request asked  = about(9, prompt, 20);
        asked.priority = Priority::Background;
        actual         = ask(*engine, recorder, std::move(asked));
        is_twice       = is_computed_twice(recorder.now(9));
    }
    CHECK(is_twice);

    Recorder   alone_recorder;
    const auto alone = start(alone_recorder, options("random", 1, 512));
    check_same(ask(*alone, alone_recorder, about(1, prompt, INT32_MAX)), actual);
}

static void refuses_more_than_an_answer_can_hold() {
    Recorder   recorder;
    const auto engine  = start(recorder, options("random", 1, 4096));
    const auto n_vocab = (int64_t) engine->info().n_vocab;
    const auto n_most  = (size_t) (N_PROMPT_LOGPROBS_MAX / n_vocab);
    CHECK(n_most + 2 < 4096);
    engine->submit(about(1, random_tokens(n_most + 2, 8), INT32_MAX));
    const Event refused = recorder.wait(1).last;
    CHECK(refused.type == EventType::Error && refused.code == ErrorCode::TooManyPromptLogprobs);
    for (const std::string & number : { std::to_string(n_most + 1), std::to_string(n_vocab),
                                        std::to_string((int64_t) (n_most + 1) * n_vocab), std::string("1000000") }) {
        CHECK(refused.text.find(number) != std::string::npos);
    }
    ask(*engine, recorder, about(2, random_tokens(n_most + 1, 8), INT32_MAX));
    // what most of a vocabulary is asked of has one entry less than that and the token itself
    engine->submit(about(3, random_tokens(n_most + 2, 8), (int32_t) n_vocab - 1));
    CHECK(recorder.wait(3).last.code == ErrorCode::TooManyPromptLogprobs);
}

static void ends_when_it_is_cancelled() {
    Recorder   recorder;
    const auto engine  = start(recorder, options("slow", 2, 4096));
    Request    request = about(1, random_tokens(3000, 9), 1, 5);
    request.forks      = { 2 };
    engine->submit(std::move(request));
    recorder.wait_progress(1, 2);
    engine->cancel(1);
    engine->cancel(2);
    CHECK(recorder.wait(1).last.finish_reason == FinishReason::Cancelled);
    CHECK(recorder.wait(2).last.finish_reason == FinishReason::Cancelled);
    CHECK(recorder.now(1).prompt.size() < 2999);
    CHECK_EQUAL(engine->stats().n_running, 0);
}

// Short prompts, long ones, with and without the question, with guesses, seeds and cancels, all at the same time.
static void keeps_its_promises_under_any_load() {
    LoadOptions load_options = options("random", 4, 1024);
    load_options.speculation = Speculation::Ngram;
    Recorder     recorder;
    const auto   engine = start(recorder, load_options);
    std::mt19937 random(10);
    for (int64_t seq = 0; seq < 80; seq++) {
        const bool asks    = random() % 2 == 0;
        Request    request = about(seq, random_tokens(1 + random() % 200, (uint32_t) seq), (int32_t) (random() % 40),
                                   1 + (int32_t) (random() % 30));
        if (!asks) {
            request.n_prompt_logprobs.reset();
        }
        if (random() % 3 == 0) {
            request.sampling.seed = (uint32_t) random();
        }
        const size_t n_prompt  = request.prompt.tokens.size();
        const bool   cancelled = random() % 8 == 0;
        engine->submit(std::move(request));
        if (cancelled) {
            engine->cancel(seq);
        } else if (random() % 4 == 0) {
            CHECK_EQUAL(recorder.wait(seq).prompt.size(), asks ? n_prompt - 1 : 0);
        }
    }
    recorder.wait_ended(80);
    CHECK_EQUAL(engine->stats().n_requests, 0);
}

int main() {
    RUN(is_what_the_model_computes);
    RUN(is_the_same_in_chunks_of_any_size_and_beside_others);
    RUN(is_the_same_as_of_an_answer);
    RUN(names_each_token_once_and_all_of_the_vocabulary_on_request);
    RUN(computes_all_and_leaves_it_to_others);
    RUN(keeps_nobody_waiting_for_the_same_prompt);
    RUN(is_told_once_for_all_choices);
    RUN(tells_nothing_of_a_single_token);
    RUN(is_told_once_where_the_prompt_is_computed_twice);
    RUN(refuses_more_than_an_answer_can_hold);
    RUN(ends_when_it_is_cancelled);
    RUN(keeps_its_promises_under_any_load);
    return 0;
}
