// One KV cache for all sequences, with less room than they would like: nothing fails, nothing is told twice, and every
// text is what it would have been alone.
#include "engine_fixture.h"
#include "memory_estimate.h"

#include <fstream>
#include <random>

// An engine whose sequences share n_cells cells, though each may have n_ctx.
static LoadOptions tight(LoadOptions load_options, int32_t n_cells) {
    const int32_t n_ctx       = load_options.n_ctx;
    load_options.kv_layout    = KvLayout::Unified;
    load_options.n_ctx        = n_cells / load_options.n_parallel;
    const MemoryEstimate full = estimate_memory(load_options);
    CHECK_EQUAL(full.fit.plan.n_cells, n_cells);
    load_options.memory_bytes = full.fit.use[0].total();
    load_options.n_ctx        = n_ctx;
    return load_options;
}

static LoadOptions tight(const std::string & name, int32_t n_parallel, int32_t n_ctx, int32_t n_cells) {
    return tight(options(name, n_parallel, n_ctx), n_cells);
}

static std::string alone(const std::string & name, int32_t n_ctx, const Request & request) {
    Recorder   recorder;
    const auto engine = start(recorder, options(name, 1, n_ctx));
    engine->submit(request);
    return recorder.wait(request.seq).text;
}

static void has_the_cells_that_fit() {
    Recorder   recorder;
    const auto engine = start(recorder, tight("scripted-long", 4, 512, 1024));
    CHECK(engine->info().is_unified);
    CHECK_EQUAL(engine->info().n_ctx, 512);
    CHECK_EQUAL(engine->info().n_cells, 1024);
    CHECK_EQUAL(engine->info().n_parallel, 4);
}

static void gives_everyone_the_whole_text_though_not_all_fit(uint64_t    store_bytes,
                                                             Speculation speculation = Speculation::Off) {
    std::vector<Request>     requests;
    std::vector<std::string> expected;
    for (int64_t seq = 0; seq < 4; seq++) {
        requests.push_back(chat(seq, 400, std::string((size_t) (seq + 1) * 20, 'a')));
        expected.push_back(alone("scripted-long", 512, requests.back()));
    }
    LoadOptions load_options = tight("scripted-long", 4, 512, 1024);
    load_options.store_bytes = store_bytes;
    load_options.speculation = speculation;
    Recorder   recorder;
    const auto engine = start(recorder, load_options);
    for (const Request & request : requests) {
        engine->submit(request);
    }
    for (int64_t seq = 0; seq < 4; seq++) {
        const auto stream = recorder.wait(seq);
        CHECK(stream.last.type == EventType::Done && stream.last.finish_reason == FinishReason::Length);
        CHECK_EQUAL(stream.n_tokens, 400);
        CHECK_EQUAL(stream.text, expected[(size_t) seq]);
        CHECK(stream.last.n_prompt < 130);
    }
    CHECK(engine->stats().n_interrupted > 0);
    CHECK_EQUAL(engine->stats().n_peak_batch_sequences, 4);
}

static void computes_again_what_was_given_up() {
    gives_everyone_the_whole_text_though_not_all_fit(0);
}

static void brings_back_from_host_memory_what_was_given_up() {
    gives_everyone_the_whole_text_though_not_all_fit(64 << 20);
}

static void guesses_only_where_there_is_room_for_guesses() {
    gives_everyone_the_whole_text_though_not_all_fit(0, Speculation::Ngram);
}

static void drops_prefixes_before_it_interrupts_anyone() {
    Recorder   recorder;
    const auto engine = start(recorder, tight("scripted-long", 4, 512, 1024));
    for (int64_t seq = 0; seq < 3; seq++) {
        engine->submit(tokens(seq, 280 + (size_t) seq, 8));  // three prefixes that stay
        recorder.wait(seq);
    }
    engine->submit(chat(10, 350));
    engine->submit(chat(11, 350));
    CHECK_EQUAL(recorder.wait(10).n_tokens, 350);
    CHECK_EQUAL(recorder.wait(11).n_tokens, 350);
    CHECK_EQUAL(engine->stats().n_interrupted, 0u);
}

static void ends_with_length_at_the_context_of_one_request() {
    Recorder   recorder;
    const auto engine = start(recorder, tight("scripted-long", 2, 512, 768));
    engine->submit(chat(1, -1));
    engine->submit(chat(2, -1));
    for (int64_t seq = 1; seq <= 2; seq++) {
        const auto stream = recorder.wait(seq);
        CHECK(stream.last.finish_reason == FinishReason::Length);
        CHECK_EQUAL(stream.last.n_prompt + stream.n_tokens, 513);  // the last token is drawn, not computed
    }
    engine->submit(tokens(3, 512, 1));
    CHECK(recorder.wait(3).last.code == ErrorCode::ContextLengthExceeded);
}

static void holds_a_shared_prompt_once() {
    Recorder   recorder;
    const auto engine = start(recorder, tight("scripted-long", 4, 512, 768));
    for (int64_t seq = 0; seq < 4; seq++) {
        engine->submit(tokens(seq, 400, 40));  // 4 * 440 tokens, in 400 + 4 * 40 cells
    }
    for (int64_t seq = 0; seq < 4; seq++) {
        const auto stream = recorder.wait(seq);
        CHECK_EQUAL(stream.n_tokens, 40);
        CHECK(seq == 0 || stream.last.n_cached == 399);
    }
    CHECK_EQUAL(engine->stats().n_interrupted, 0u);
}

static void holds_the_prompt_of_several_choices_once() {
    Recorder   recorder;
    const auto engine  = start(recorder, tight("scripted-long", 4, 512, 768));
    Request    request = tokens(0, 400, 40);
    request.forks      = { 1, 2, 3 };
    engine->submit(request);
    for (int64_t seq = 0; seq < 4; seq++) {
        CHECK_EQUAL(recorder.wait(seq).n_tokens, 40);
    }
    CHECK_EQUAL(engine->stats().n_interrupted, 0u);
}

// Same tokens up to where two were practically as likely: others in the batch change the last bits of the logits.
static void check_same_but_for_ties(const Recorder::Stream & actual, const Recorder::Stream & expected) {
    for (size_t i = 0; i < expected.tokens.size(); i++) {
        const std::vector<TokenLogprob> & likely =
            expected.tokens[i].logprobs;  // the drawn one, then the likeliest two
        CHECK(i < actual.tokens.size());
        if (actual.tokens[i].token_id != expected.tokens[i].token_id) {
            CHECK(likely[1].logprob - likely[2].logprob < 1e-3f);
            return;
        }
    }
    CHECK_EQUAL(actual.tokens.size(), expected.tokens.size());
}

// Whatever a model remembers by.
static void gives_every_kind_of_model_its_own_text() {
    for (const char * name : { "random-f32", "sliding", "recurrent", "hybrid", "hybrid-sliding" }) {
        LoadOptions load_options     = options(name, 4, 512);
        load_options.flash_attention = FlashAttention::Off;
        load_options.type_k          = GGML_TYPE_F32;
        load_options.type_v          = GGML_TYPE_F32;
        load_options.store_bytes     = 16 << 20;

        std::vector<Request>          requests;
        std::vector<Recorder::Stream> expected;
        LoadOptions                   single = load_options;
        single.n_parallel                    = 1;
        Recorder   single_recorder;
        const auto single_engine = start(single_recorder, single);
        for (int64_t seq = 0; seq < 4; seq++) {
            requests.push_back(tokens(seq, 50, 250));
            for (size_t i = 0; i < 50; i++) {
                requests.back().prompt.tokens[i] += (int32_t) ((i * 7 + (size_t) seq * 13) % 50);
            }
            requests.back().sampling.n_logprobs = 2;
            single_engine->submit(requests.back());
            expected.push_back(single_recorder.wait(seq));
        }
        Recorder recorder;
        // a window is never given a unified cache, however short memory is
        const bool has_window = std::string(name).find("sliding") != std::string::npos;
        const auto engine     = start(recorder, has_window ? load_options : tight(load_options, 768));
        CHECK(!has_window || !engine->info().is_unified);
        for (const Request & request : requests) {
            engine->submit(request);
        }
        for (int64_t seq = 0; seq < 4; seq++) {
            check_same_but_for_ties(recorder.wait(seq), expected[(size_t) seq]);
        }
        // a recurrent state is as large as it is, for any number of tokens
        CHECK_EQUAL(engine->stats().n_interrupted > 0, !has_window && engine->info().n_cells < 4 * 300);
    }
}

static void survives_random_cancels_and_pauses() {
    LoadOptions load_options = tight("scripted-long", 6, 512, 768);
    load_options.store_bytes = 1 << 20;
    Recorder          recorder;
    const auto        engine   = start(recorder, load_options);
    const std::string expected = alone("scripted-long", 512, chat(0, 30));
    std::mt19937      random(5);
    int64_t           seq = 0;
    for (int32_t round = 0; round < 25; round++) {
        const int64_t first = seq;
        for (int32_t i = 0; i < 10; i++) {
            Request request = random() % 2 == 0 ? chat(seq, (int32_t) (random() % 300) + 1)
                                                : tokens(seq, random() % 400 + 1, (int32_t) (random() % 60) + 1);
            seq++;
            while (random() % 4 == 0) {
                request.forks.push_back(seq++);
            }
            if (random() % 5 == 0) {
                request.sampling.seed = 7;
            }
            engine->submit(request);
        }
        for (int64_t s = first; s < seq; s++) {
            if (random() % 3 == 0) {
                engine->set_paused(s, true);
            }
        }
        recorder.wait_tokens(first + (int64_t) (random() % 4), 0);
        for (int64_t s = first; s < seq; s++) {
            engine->set_paused(s, false);
            if (random() % 2 == 0) {
                engine->cancel(s);
            }
        }
        for (int64_t s = first; s < seq; s++) {
            CHECK(recorder.wait(s).last.type == EventType::Done);
        }
    }
    engine->submit(chat(seq, 30));
    CHECK_EQUAL(recorder.wait(seq).text, expected);
    CHECK(engine->stats().n_interrupted > 0);
    CHECK_EQUAL(engine->stats().n_running + engine->stats().n_waiting, 0);
}

static void tells_every_request_when_it_closes() {
    Recorder   recorder;
    const auto engine = start(recorder, tight("scripted-long", 4, 512, 768));
    for (int64_t seq = 0; seq < 8; seq++) {
        engine->submit(chat(seq, 400));
    }
    recorder.wait_tokens(2, 100);
    engine->close();
    for (int64_t seq = 0; seq < 8; seq++) {
        const auto stream = recorder.wait(seq);
        CHECK(stream.last.type == EventType::Done || stream.last.code == ErrorCode::ShuttingDown);
    }
}

int main() {
    RUN(has_the_cells_that_fit);
    RUN(computes_again_what_was_given_up);
    RUN(brings_back_from_host_memory_what_was_given_up);
    RUN(guesses_only_where_there_is_room_for_guesses);
    RUN(drops_prefixes_before_it_interrupts_anyone);
    RUN(ends_with_length_at_the_context_of_one_request);
    RUN(holds_a_shared_prompt_once);
    RUN(holds_the_prompt_of_several_choices_once);
    RUN(gives_every_kind_of_model_its_own_text);
    RUN(survives_random_cancels_and_pauses);
    RUN(tells_every_request_when_it_closes);
}
