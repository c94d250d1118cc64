// Guessing ahead on the real engine: it may only ever change how fast a text comes. With one compute thread, steps of
// all widths round alike on these models, so that greedy texts are compared to the letter.
#include "engine_fixture.h"

#include <cmath>
#include <random>

static LoadOptions speculating(const std::string & name, Speculation speculation, int32_t n_parallel = 1,
                               int32_t n_ctx = 1024) {
    LoadOptions out = options(name, n_parallel, n_ctx);
    out.speculation = speculation;
    return out;
}

static LoadOptions drafting(const std::string & name, const std::string & draft, int32_t n_parallel = 1) {
    LoadOptions out = speculating(name, Speculation::Draft, n_parallel);
    out.draft_path  = model_path(draft);
    return out;
}

static Request with(Request request, Speculation speculation) {
    request.speculation = speculation;
    return request;
}

// A text of few different tokens, in which runs of three often repeat and seldom go on as before.
static Request repetitive(int64_t seq, uint32_t seed, int32_t n_max_tokens) {
    std::mt19937 random(seed);
    Request      request = tokens(seq, 0, n_max_tokens);
    for (int32_t i = 0; i < 5; i++) {
        request.sampling.logit_bias.push_back({ 40 + (int32_t) (random() % 200), 60.0f });
    }
    for (uint32_t i = 0; i < 30 + seed % 50; i++) {
        request.prompt.tokens.push_back(request.sampling.logit_bias[random() % 5].first);
    }
    return request;
}

static bool same_tokens(const Recorder::Stream & a, const Recorder::Stream & b) {
    return a.text == b.text && a.n_tokens == b.n_tokens && a.last.finish_reason == b.last.finish_reason &&
           std::equal(a.tokens.begin(), a.tokens.end(), b.tokens.begin(),
                      [](const Event & x, const Event & y) { return x.token_id == y.token_id; });
}

// The same requests with and without, each on a fresh engine: all texts are equal. Gives accepted and drafted tokens.
static std::pair<int32_t, int32_t> compare(const LoadOptions & load_options, const std::vector<Request> & requests) {
    LoadOptions plain_options = load_options;
    plain_options.speculation = Speculation::Off;
    plain_options.draft_path.clear();
    Recorder   plain_recorder;
    Recorder   recorder;
    const auto plain      = start(plain_recorder, plain_options);
    const auto engine     = start(recorder, load_options);
    int32_t    n_accepted = 0;
    int32_t    n_drafted  = 0;
    for (const Request & request : requests) {
        // one after the other: both at once would share the C library's time zone, whose lock tsan does not see
        plain->submit(request);
        const auto without = plain_recorder.wait(request.seq);
        engine->submit(request);
        const auto with = recorder.wait(request.seq);
        CHECK(with.last.type == EventType::Done);
        CHECK(same_tokens(with, without));
        CHECK_EQUAL(without.last.timings.n_drafted, 0);
        CHECK(with.last.timings.n_accepted <= with.last.timings.n_drafted);
        n_accepted += with.last.timings.n_accepted;
        n_drafted += with.last.timings.n_drafted;
    }
    return { n_accepted, n_drafted };
}

static void keeps_greedy_texts_with_ngrams() {
    for (const std::string name : { "greedy", "random" }) {
        std::vector<Request> requests;
        for (int64_t seq = 1; seq <= 16; seq++) {
            requests.push_back(repetitive(seq, (uint32_t) seq, 120));
        }
        const auto [n_accepted, n_drafted] = compare(speculating(name, Speculation::Ngram), requests);
        std::printf("%s: %d of %d guesses held\n", name.c_str(), n_accepted, n_drafted);
        CHECK(n_accepted > 0);
        CHECK(n_accepted < n_drafted);  // wrong guesses were taken back, too
    }
}

static void takes_guesses_back_out_of_a_sliding_window() {
    std::vector<Request> requests;
    for (int64_t seq = 1; seq <= 6; seq++) {
        requests.push_back(repetitive(seq, (uint32_t) seq, 400));  // far beyond the window
    }
    const auto [n_accepted, n_drafted] = compare(speculating("sliding", Speculation::Ngram), requests);
    std::printf("sliding: %d of %d guesses held\n", n_accepted, n_drafted);
    CHECK(n_accepted > 0 && n_accepted < n_drafted);
}

static void guesses_nothing_where_it_could_not_be_taken_back() {
    for (const std::string name : { "hybrid", "hybrid-sliding" }) {
        Recorder   recorder;
        const auto engine = start(recorder, speculating(name, Speculation::Ngram));
        CHECK(!engine->info().can_speculate);
        CHECK(engine->info().speculation == Speculation::Off);
        engine->submit(with(repetitive(1, 1, 100), Speculation::Ngram));
        const auto stream = recorder.wait(1);
        CHECK_EQUAL(stream.n_tokens, 100);
        CHECK_EQUAL(stream.last.timings.n_drafted, 0);
    }
}

static void takes_several_tokens_a_step() {
    Recorder   recorder;
    const auto engine = start(recorder, speculating("scripted-long", Speculation::Ngram));
    engine->submit(chat(1, 300));
    const auto stream = recorder.wait(1);
    CHECK_EQUAL(stream.n_tokens, 300);
    CHECK_EQUAL(stream.last.timings.n_accepted, stream.last.timings.n_drafted);
    CHECK(stream.last.timings.n_accepted > 0);
    CHECK(engine->stats().n_steps < 300);

    engine->submit(with(chat(2, 300), Speculation::Off));
    const auto plain = recorder.wait(2);
    CHECK_EQUAL(plain.last.timings.n_drafted, 0);
    CHECK_EQUAL(plain.text, stream.text);
}

static void ends_where_it_would_have_ended() {
    // the answer stands in the prompt already, so that its end is guessed as well
    Recorder   recorder;
    const auto scripted = start(recorder, speculating("scripted", Speculation::Off));
    scripted->submit(chat(1, -1));
    const std::string    answer = recorder.wait(1).text;
    std::vector<Request> ends   = { chat(1, -1, answer + answer) };
    ends.back().prompt.chat.messages.insert(ends.back().prompt.chat.messages.begin(),
                                            { { "user", "Hello" }, { "assistant", answer } });
    CHECK(compare(speculating("scripted", Speculation::Ngram), ends).first > 0);

    // max_tokens and stop strings at every place within a guess
    std::vector<Request> requests;
    for (int32_t i = 1; i <= 12; i++) {
        requests.push_back(chat(i, 40 + i));
    }
    const auto long_engine = start(recorder, speculating("scripted-long", Speculation::Off));
    long_engine->submit(chat(100, 60));
    const std::string text = recorder.wait(100).text;
    for (int32_t i = 0; i < 12; i++) {
        requests.push_back(chat(200 + i, -1));
        requests.back().stop = { text.substr(100 + (size_t) i, 40) + "never", text.substr(0, 80) + text.substr(80, 9) };
    }
    requests.push_back(chat(300, -1));
    requests.back().stop = { "never" };  // the context ends it
    CHECK(compare(speculating("scripted-long", Speculation::Ngram, 1, 256), requests).first > 0);
}

static void leaves_seeds_alone() {
    Recorder   recorder;
    const auto engine    = start(recorder, speculating("scripted-long", Speculation::Ngram));
    Request    seeded    = chat(1, 100);
    seeded.sampling.seed = 1;
    engine->submit(std::move(seeded));
    CHECK_EQUAL(recorder.wait(1).last.timings.n_drafted, 0);
}

static void works_for_sampled_texts_and_choices() {
    Recorder   recorder;
    const auto engine            = start(recorder, speculating("scripted-long", Speculation::Ngram, 2));
    Request    several           = chat(1, 150);
    several.sampling.temperature = 1.0f;
    several.sampling.n_logprobs  = 2;
    several.forks                = { 2, 3 };
    engine->submit(std::move(several));
    for (int64_t seq = 1; seq <= 3; seq++) {
        const auto stream = recorder.wait(seq);
        CHECK_EQUAL(stream.n_tokens, 150);
        CHECK_EQUAL(stream.text, recorder.wait(1).text);
        CHECK(stream.last.timings.n_accepted > 0);
        for (const Event & event : stream.tokens) {
            CHECK_EQUAL(event.logprobs.size(), (size_t) 3);
            CHECK_EQUAL(event.logprobs[0].token_id, event.token_id);
            CHECK(event.logprobs[0].logprob > -0.01f);
        }
    }
}

// How often each token follows each other one, of five; a share of all pairs.
static std::vector<double> pairs_of(const std::vector<Recorder::Stream> & streams) {
    std::vector<double> out(25, 0.0);
    double              n_pairs = 0.0;
    for (const auto & stream : streams) {
        for (size_t i = 1; i < stream.tokens.size(); i++) {
            out[(size_t) (stream.tokens[i - 1].token_id - 60) * 5 + (size_t) (stream.tokens[i].token_id - 60)] += 1.0;
            n_pairs += 1.0;
        }
    }
    for (double & share : out) {
        share /= n_pairs;
    }
    return out;
}

// What is guessed does not make it more likely: pairs of tokens are as frequent as without guesses. (Taking wrong
// guesses would make the texts copy themselves; drawing again after a rejection would make guesses rarer.)
static void draws_from_the_models_own_distribution() {
    std::vector<double> shares[2];
    int32_t             n_accepted = 0;
    int32_t             n_drafted  = 0;
    for (const bool guesses : { false, true }) {
        Recorder   recorder;
        const auto engine = start(recorder, speculating("random", guesses ? Speculation::Ngram : Speculation::Off, 1));
        std::vector<Recorder::Stream> streams;
        for (int64_t seq = 0; seq < 60; seq++) {
            Request request              = tokens(seq, 0, 150);
            request.sampling.temperature = 2.0f;
            request.sampling.top_k       = 0;
            request.sampling.top_p       = 1.0f;
            request.sampling.min_p       = 0.0f;
            for (int32_t token = 60; token < 65; token++) {
                request.sampling.logit_bias.push_back({ token, 80.0f });
            }
            for (int32_t i = 0; i < 40; i++) {
                request.prompt.tokens.push_back(60 + (i * i) % 5);
            }
            engine->submit(std::move(request));
            streams.push_back(recorder.wait(seq));
            n_accepted += streams.back().last.timings.n_accepted;
            n_drafted += streams.back().last.timings.n_drafted;
        }
        shares[guesses ? 1 : 0] = pairs_of(streams);
    }
    double distance = 0.0;
    for (size_t i = 0; i < shares[0].size(); i++) {
        distance += std::fabs(shares[0][i] - shares[1][i]) / 2.0;
    }
    std::printf("%d of %d guesses held, distance %.3f\n", n_accepted, n_drafted, distance);
    CHECK(n_accepted > 10 && n_accepted < n_drafted);
    CHECK(distance < 0.08);
}

static void keeps_texts_of_streams_side_by_side() {
    Recorder   recorder;
    const auto engine = start(recorder, speculating("scripted-long", Speculation::Ngram, 6));
    for (int64_t seq = 0; seq < 12; seq++) {
        engine->submit(with(chat(seq, 100 + 10 * (int32_t) seq), seq % 3 == 0 ? Speculation::Off : Speculation::Ngram));
    }
    const std::string whole = recorder.wait(11).text;
    for (int64_t seq = 0; seq < 12; seq++) {
        const auto stream = recorder.wait(seq);
        CHECK_EQUAL(stream.n_tokens, 100 + 10 * (int32_t) seq);
        CHECK_EQUAL(stream.text, whole.substr(0, stream.text.size()));
        CHECK(seq % 3 != 0 || stream.last.timings.n_drafted == 0);
    }
}

static void survives_cancels_and_pauses_amid_guesses() {
    Recorder     recorder;
    const auto   engine = start(recorder, drafting("scripted-long", "scripted-long", 3));
    std::mt19937 random(9);
    for (int64_t seq = 0; seq < 120; seq++) {
        engine->submit(with(chat(seq, 1 + (int32_t) (random() % 60)), (Speculation) (random() % 3)));
        if (random() % 2 == 0) {
            const auto earlier = (int64_t) (random() % (uint32_t) (seq + 1));
            recorder.wait_tokens(earlier, (int32_t) (random() % 5));
            engine->cancel(earlier);
        }
        if (random() % 6 == 0) {
            engine->set_paused(seq, true);
            engine->set_paused(seq, false);
        }
    }
    for (int64_t seq = 0; seq < 120; seq++) {
        CHECK(recorder.wait(seq).last.type == EventType::Done);
    }
    engine->submit(chat(1000, 100));
    const auto stream = recorder.wait(1000);
    CHECK_EQUAL(stream.n_tokens, 100);
    CHECK(stream.last.timings.n_accepted > 0);
    engine->submit(chat(1001, -1));
    recorder.wait_tokens(1001, 20);
    engine->close();
    CHECK(recorder.wait(1001).last.code == ErrorCode::ShuttingDown);
}

// A token of what scripted-long says.
static int32_t sure_token(int32_t i) {
    Recorder   recorder;
    const auto engine = start(recorder, options("scripted-long", 1));
    engine->submit(chat(1, 7));
    return recorder.wait(1).tokens[(size_t) i].token_id;
}

static void keeps_greedy_texts_with_a_draft_model() {
    const LoadOptions same = drafting("scripted-long", "scripted-long");
    const auto        sure = compare(same, { chat(1, 300), chat(2, 200, "What?") });
    CHECK_EQUAL(sure.first, sure.second);
    CHECK(sure.first > 0);

    // one that is often wrong: the model may not write a token of which the draft model is sure
    std::vector<Request> requests;
    for (int32_t i = 0; i < 5; i++) {
        requests.push_back(chat(i, 100));
        requests.back().sampling.logit_bias = { { sure_token(i), -100.0f } };
    }
    const auto wrong = compare(same, requests);
    CHECK(wrong.first > 0);
    CHECK(wrong.first < wrong.second);

    // one that is seldom sure, with weights of its own
    std::vector<Request> noise;
    for (int64_t seq = 1; seq <= 4; seq++) {
        noise.push_back(repetitive(seq, (uint32_t) seq, 80));
    }
    compare(drafting("greedy", "random"), noise);
}

static void brings_a_long_prompt_to_the_draft_model_bit_by_bit() {
    Recorder    recorder;
    const auto  engine = start(recorder, drafting("scripted-long", "scripted-long"));
    std::string text;
    for (int i = 0; i < 60; i++) {
        text += "word number " + std::to_string(i) + " ";
    }
    engine->submit(chat(1, 200, text));
    const auto stream = recorder.wait(1);
    CHECK(stream.last.n_prompt > 300);
    CHECK(stream.last.timings.n_accepted > 0);
    engine->submit(with(chat(2, 200, text), Speculation::Off));
    CHECK_EQUAL(recorder.wait(2).text, stream.text);
}

static void refuses_a_draft_model_of_another_vocabulary() {
    for (const std::string draft : { "toolcall", "missing", "not-a-model", "embed", "hybrid" }) {
        try {
            Model::load(drafting("scripted-long", draft), [](float) { return true; });
            CHECK(false);
        } catch (const LoadError & error) {
            std::printf("%s\n", error.what());
            CHECK(std::string(error.what()).find("draft model") != std::string::npos);
        }
    }
    Recorder   recorder;
    const auto engine = start(recorder, options("random", 1));
    engine->submit(with(chat(1, 1), Speculation::Draft));
    CHECK(recorder.wait(1).last.code == ErrorCode::NoDraftModel);
}

int main() {
    RUN(keeps_greedy_texts_with_ngrams);
    RUN(takes_guesses_back_out_of_a_sliding_window);
    RUN(guesses_nothing_where_it_could_not_be_taken_back);
    RUN(takes_several_tokens_a_step);
    RUN(ends_where_it_would_have_ended);
    RUN(leaves_seeds_alone);
    RUN(works_for_sampled_texts_and_choices);
    RUN(draws_from_the_models_own_distribution);
    RUN(keeps_texts_of_streams_side_by_side);
    RUN(survives_cancels_and_pauses_amid_guesses);
    RUN(keeps_greedy_texts_with_a_draft_model);
    RUN(brings_a_long_prompt_to_the_draft_model_bit_by_bit);
    RUN(refuses_a_draft_model_of_another_vocabulary);
}
