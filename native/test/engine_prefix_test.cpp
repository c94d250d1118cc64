// Prompts that share a beginning, and further choices of one request, on the real engine.
#include "engine_fixture.h"

#include <algorithm>
#include <cmath>

// n_system tokens that all prompts share, then some of their own
static Request with_system(int64_t seq, size_t n_system, int32_t own, int32_t n_max_tokens) {
    Request request = tokens(seq, n_system, n_max_tokens);
    for (int32_t i = 0; i < 8; i++) {
        request.prompt.tokens.push_back(41 + own);
    }
    return request;
}

static void computes_a_shared_prefix_once() {
    Recorder   recorder;
    const auto engine = start(recorder, options("random", 16, 1024));
    for (int64_t seq = 0; seq < 16; seq++) {
        engine->submit(with_system(seq, 512, (int32_t) seq, 4));
    }
    int32_t n_computed = 0;
    for (int64_t seq = 0; seq < 16; seq++) {
        const auto stream = recorder.wait(seq);
        n_computed += stream.last.n_prompt - stream.last.n_cached;
    }
    CHECK_EQUAL(n_computed, 520 + 15 * 8);
}

// The distribution of the first token is the same but for rounding: a prompt of which only the end is computed goes
// through other matrix kernels. Something copied wrongly would give another distribution altogether.
static void check_same_distribution(const std::vector<Event> & warm, const std::vector<Event> & cold) {
    CHECK(!warm.empty() && !cold.empty());
    for (size_t i = 1; i <= 5; i++) {
        const TokenLogprob & expected = cold[0].logprobs[i];
        const auto           found =
            std::find_if(warm[0].logprobs.begin() + 1, warm[0].logprobs.end(),
                         [&](const TokenLogprob & other) { return other.token_id == expected.token_id; });
        CHECK(found != warm[0].logprobs.end());
        CHECK(std::fabs(found->logprob - expected.logprob) < 0.2f);
    }
}

static Request with_logprobs(Request request) {
    request.sampling.n_logprobs = 20;
    return request;
}

static void gives_the_same_warm_and_cold() {
    Recorder   recorder;
    const auto cold = start(recorder, options("random", 1, 1024));
    cold->submit(with_logprobs(with_system(1, 300, 1, 1)));
    recorder.wait(1);

    Recorder   warm_recorder;
    const auto warm = start(warm_recorder, options("random", 2, 1024));
    warm->submit(with_system(1, 300, 2, 60));
    warm_recorder.wait_tokens(1, 1);
    warm->submit(with_logprobs(with_system(2, 300, 1, 1)));  // copied from a running one
    CHECK_EQUAL(warm_recorder.wait(2).last.n_cached, 300);
    check_same_distribution(warm_recorder.tokens(2), recorder.tokens(1));
    warm->submit(with_logprobs(with_system(3, 300, 1, 1)));  // from itself, resting
    CHECK(warm_recorder.wait(3).last.n_cached >= 300);
    check_same_distribution(warm_recorder.tokens(3), recorder.tokens(1));
}

static void brings_a_conversation_back_from_host_memory() {
    Recorder    recorder;
    LoadOptions load_options = options("random", 1, 1024);
    load_options.store_bytes = 64 << 20;
    const auto engine        = start(recorder, load_options);
    engine->submit(with_logprobs(with_system(1, 300, 1, 20)));
    recorder.wait(1);
    Request other          = tokens(2, 400, 20);
    other.prompt.tokens[0] = 77;
    engine->submit(std::move(other));
    CHECK_EQUAL(recorder.wait(2).last.n_cached, 0);
    engine->submit(with_logprobs(with_system(3, 300, 1, 20)));
    const auto back = recorder.wait(3);
    CHECK_EQUAL(back.last.n_cached, back.last.n_prompt - 1);
    check_same_distribution(recorder.tokens(3), recorder.tokens(1));
}

static void gives_several_choices_for_one_prefill() {
    Recorder   recorder;
    const auto engine           = start(recorder, options("random", 2, 1024));
    Request    single           = with_system(9, 200, 1, 12);
    single.sampling.temperature = 1.0f;
    single.sampling.seed        = 7;
    engine->submit(std::move(single));
    const std::string alone = recorder.wait(9).text;

    // more choices than slots: the last ones wait
    Request several              = with_system(1, 200, 1, 12);
    several.sampling.temperature = 1.0f;
    several.sampling.seed        = 7;
    several.forks                = { 2, 3, 4 };
    engine->submit(std::move(several));
    CHECK_EQUAL(recorder.wait(1).last.n_cached, 0);
    CHECK_EQUAL(recorder.wait(1).text, alone);
    for (int64_t seq = 2; seq <= 4; seq++) {
        const auto stream = recorder.wait(seq);
        CHECK_EQUAL(stream.last.n_cached, stream.last.n_prompt - 1);
        CHECK(stream.text != recorder.wait(seq - 1).text);
    }
}

static void cancels_a_first_choice_and_keeps_the_others() {
    Recorder   recorder;
    const auto engine  = start(recorder, options("random", 1, 4096));
    Request    several = tokens(1, 3000, 3);
    several.forks      = { 2 };
    engine->submit(std::move(several));
    recorder.wait_accepted(1);
    engine->cancel(1);
    recorder.wait(1);
    CHECK_EQUAL(recorder.wait(2).n_tokens, 3);
}

int main() {
    RUN(computes_a_shared_prefix_once);
    RUN(gives_the_same_warm_and_cold);
    RUN(brings_a_conversation_back_from_host_memory);
    RUN(gives_several_choices_for_one_prefill);
    RUN(cancels_a_first_choice_and_keeps_the_others);
}
