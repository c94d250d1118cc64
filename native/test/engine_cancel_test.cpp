// Cancelling at any moment: the end comes within one step, nobody else notices, and everything is free afterwards.
#include "engine_fixture.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <thread>

static const char * const MODELS[] = { "random-f32", "sliding", "recurrent", "hybrid" };

static Request varied(int64_t seq, std::mt19937 & random, size_t n_prompt, int32_t n_max_tokens) {
    Request request = tokens(seq, n_prompt, n_max_tokens);
    for (size_t i = 100; i < n_prompt; i++) {  // the first hundred are common to all
        request.prompt.tokens[i] = 40 + (int32_t) (random() % 60);
    }
    return request;
}

static void check_all_free(Engine & engine) {
    const EngineStats stats = engine.stats();
    CHECK_EQUAL(stats.n_requests, 0);
    CHECK_EQUAL(stats.n_running, 0);
    CHECK_EQUAL(stats.n_waiting, 0);
}

static std::vector<int32_t> answer(Engine & engine, Recorder & recorder, Request request) {
    const int64_t seq     = request.seq;
    request.sampling.seed = 1;  // computed cold
    engine.submit(std::move(request));
    std::vector<int32_t> out;
    for (const Event & event : recorder.wait(seq).tokens) {
        out.push_back(event.token_id);
    }
    return out;
}

static LoadOptions cancel_options(const std::string & model, int32_t n_parallel, int32_t n_ctx) {
    LoadOptions out     = options(model, n_parallel, n_ctx);
    out.store_bytes     = 4 << 20;
    out.flash_attention = FlashAttention::Off;
    out.type_k          = GGML_TYPE_F32;
    out.type_v          = GGML_TYPE_F32;
    return out;
}

// A long prefill, cancelled somewhere: no further step is begun, and the one that runs is given up.
static void cancels_in_prefill_within_a_step() {
    Recorder   recorder;
    const auto engine = start(recorder, options("slow", 1, 4096));
    for (int64_t seq = 1; seq <= 8; seq++) {
        Request request              = tokens(seq, 3000, 5);
        request.prompt.tokens.back() = 40 + (int32_t) seq;
        engine->submit(std::move(request));
        if (seq % 2 == 0) {
            recorder.wait_progress(seq, 1);
        } else {
            recorder.wait_accepted(seq);
        }
        const uint64_t n_before = engine->stats().n_steps;
        engine->cancel(seq);
        const auto stream = recorder.wait(seq);
        CHECK(stream.last.finish_reason == FinishReason::Cancelled);
        CHECK_EQUAL(stream.n_tokens, 0);
        CHECK(engine->stats().n_steps <= n_before + 1);
        check_all_free(*engine);
    }
    CHECK(engine->stats().n_aborted_steps > 0);
}

static void closes_in_the_middle_of_a_prefill() {
    uint64_t n_aborted = 0;
    for (int round = 0; round < 6 && n_aborted == 0; round++) {
        Recorder   recorder;
        const auto engine = start(recorder, options("slow", 1, 4096));
        engine->submit(tokens(1, 3000, 5));
        recorder.wait_accepted(1);
        const uint64_t n_before = engine->stats().n_steps;
        engine->close();
        CHECK(recorder.wait(1).last.code == ErrorCode::ShuttingDown);
        CHECK(engine->stats().n_steps <= n_before + 1);
        n_aborted = engine->stats().n_aborted_steps;
    }
    CHECK(n_aborted > 0);
}

// What an aborted batch leaves behind is not taken for computed: the same prompt gives the right answer afterwards.
static void goes_on_after_an_aborted_prefill() {
    for (const char * model : MODELS) {
        Recorder      recorder;
        const auto    engine = start(recorder, cancel_options(model, 2, 4096));
        std::mt19937  random(1);
        const Request request  = varied(0, random, 3000, 8);
        Request       first    = request;
        const auto    expected = answer(*engine, recorder, first);
        int64_t       seq      = 0;
        for (int round = 0; round < 12; round++) {
            Request again = request;
            again.seq     = ++seq;
            // not what the round before has computed
            again.prompt.tokens[100 + random() % 2000] = 100 + round;
            engine->submit(again);
            recorder.wait_progress(seq, random() % 3);
            engine->cancel(seq);
            recorder.wait(seq);
            if (round % 4 == 3) {
                Request cold = again;
                cold.seq     = ++seq;
                Request warm = again;
                warm.seq     = ++seq;
                engine->submit(warm);
                const auto           stream = recorder.wait(warm.seq);
                std::vector<int32_t> text;
                for (const Event & event : stream.tokens) {
                    text.push_back(event.token_id);
                }
                CHECK(text == answer(*engine, recorder, cold));
            }
        }
        Request last = request;
        last.seq     = ++seq;
        CHECK(answer(*engine, recorder, last) == expected);
        check_all_free(*engine);
    }
}

// A stream that shares batches with a prefill which is cancelled goes on as if it were alone.
static void hurts_nobody_in_the_same_batch() {
    Recorder   recorder;
    const auto engine = start(recorder, options("scripted-long", 3, 8192));
    engine->submit(chat(0, 60));
    const std::string alone = recorder.wait(0).text;
    engine->submit(chat(1, -1));
    recorder.wait_tokens(1, 1);
    for (int64_t seq = 2; seq < 40; seq++) {
        engine->submit(tokens(seq, 5000, 5));
        recorder.wait_progress(seq, (size_t) (seq % 3));
        engine->cancel(seq);
        CHECK(recorder.wait(seq).last.finish_reason == FinishReason::Cancelled);
    }
    recorder.wait_tokens(1, 60);
    engine->cancel(1);
    CHECK_EQUAL(recorder.wait(1).text.substr(0, alone.size()), alone);
    check_all_free(*engine);
}

static void cancels_what_waits_at_once() {
    Recorder   recorder;
    const auto engine = start(recorder, options("slow", 1, 4096));
    engine->submit(tokens(1, 3000, 5));
    recorder.wait_accepted(1);
    engine->submit(tokens(2, 20, 5));
    recorder.wait_accepted(2);
    const uint64_t n_before = engine->stats().n_steps;
    engine->cancel(2);
    CHECK(recorder.wait(2).last.finish_reason == FinishReason::Cancelled);
    CHECK(engine->stats().n_steps <= n_before + 1);
    CHECK(!recorder.now(1).ended);
    engine->cancel(1);
    recorder.wait(1);
    check_all_free(*engine);
}

// Requests ahead, as told by a progress event.
static int32_t n_ahead(Recorder & recorder, int64_t seq, size_t i_event) {
    const auto stream = recorder.now(seq);
    return stream.progress.at(i_event).n_queued;
}

static void tells_the_place_in_the_queue() {
    Recorder   recorder;
    const auto engine = start(recorder, options("scripted-long", 1, 512));
    engine->submit(chat(1, -1));
    recorder.wait_tokens(1, 1);
    engine->set_paused(1, true);
    for (int64_t seq = 2; seq <= 4; seq++) {
        engine->submit(chat(seq, 3));
        recorder.wait_progress(seq, 1);
        CHECK_EQUAL(n_ahead(recorder, seq, 0), (int32_t) seq - 2);
    }
    engine->cancel(2);
    recorder.wait_progress(4, 2);
    CHECK_EQUAL(n_ahead(recorder, 3, 1), 0);
    CHECK_EQUAL(n_ahead(recorder, 4, 1), 1);
    engine->cancel(1);
    recorder.wait(4);
    CHECK_EQUAL(n_ahead(recorder, 4, 2), 0);
    check_all_free(*engine);
}

// One client: submits and cancels in all ways, and counts what it has submitted.
static void pester(Engine & engine, Recorder & recorder, int64_t first_seq, int n_requests, uint32_t seed) {
    std::mt19937         random(seed);
    std::vector<int64_t> open;
    int64_t              seq = first_seq;
    for (int i = 0; i < n_requests; i++) {
        const bool is_long = random() % 4 == 0;
        Request    request =
            varied(seq, random, is_long ? 300 + random() % 700 : 1 + random() % 150, 1 + (int32_t) (random() % 40));
        request.priority         = (Priority) (random() % 3);
        std::vector<int64_t> own = { seq };
        while (random() % 8 == 0) {
            request.forks.push_back(seq + (int64_t) own.size());
            own.push_back(seq + (int64_t) own.size());
        }
        seq += (int64_t) own.size();
        engine.submit(std::move(request));
        open.insert(open.end(), own.begin(), own.end());

        switch (random() % 6) {
            case 0:  // before the prompt thread, or there
                engine.cancel(own[random() % own.size()]);
                break;
            case 1:  // in prefill, or waiting
                recorder.wait_accepted(own[0]);
                engine.cancel(own[0]);
                break;
            case 2:  // running
                recorder.wait_tokens(own[0], 1 + (int32_t) (random() % 3));
                engine.cancel(own[0]);
                break;
            case 3:  // paused
                engine.set_paused(own[0], true);
                engine.cancel(own[0]);
                engine.cancel(own[0]);
                break;
            case 4:
                engine.set_paused(own[0], true);
                engine.set_paused(own[0], false);
                engine.cancel(open[random() % open.size()]);
                break;
            default:  // it may end by itself
                break;
        }
        if (open.size() > 24) {
            recorder.wait(open.front());
            open.erase(open.begin());
        }
    }
    for (const int64_t s : open) {
        recorder.wait(s);
    }
}

static void survives_a_thousand_random_cancels() {
    int n_cancelled = 0;
    for (const char * model : MODELS) {
        Recorder      recorder;
        const auto    engine = start(recorder, cancel_options(model, 4, 1280));
        std::mt19937  random(9);
        const Request request  = varied(1, random, 200, 20);
        const auto    expected = answer(*engine, recorder, request);

        std::vector<std::thread> clients;
        for (int64_t client = 1; client <= 3; client++) {
            clients.emplace_back([&engine, &recorder, client] {
                pester(*engine, recorder, client * 1'000'000, 160, (uint32_t) client);
            });
        }
        for (std::thread & client : clients) {
            client.join();
        }
        check_all_free(*engine);
        n_cancelled += recorder.n_cancelled();

        // and the engine is as good as new, cold and with what is left in its slots
        Request again = request;
        again.seq     = 2;
        CHECK(answer(*engine, recorder, again) == expected);
        again.seq = 3;
        engine->submit(again);
        const auto stream = recorder.wait(3);
        CHECK(stream.last.n_cached > 0);
        for (size_t i = 0; i < expected.size(); i++) {
            CHECK_EQUAL(stream.tokens.at(i).token_id, expected[i]);
        }
        check_all_free(*engine);
    }
    std::printf("%d cancelled\n", n_cancelled);
    CHECK(n_cancelled >= 1000);
}

static void ends_everything_when_it_closes_among_cancels() {
    std::mt19937 random(11);
    for (int round = 0; round < 20; round++) {
        Recorder    recorder;
        const auto  engine = start(recorder, cancel_options(MODELS[round % 4], 2, 1280));
        std::thread client([&] { pester(*engine, recorder, 1, 25, (uint32_t) round); });
        recorder.wait_ended((int) (random() % 20));
        engine->close();
        client.join();
        check_all_free(*engine);
    }
}

int main() {
    RUN(cancels_in_prefill_within_a_step);
    RUN(closes_in_the_middle_of_a_prefill);
    RUN(goes_on_after_an_aborted_prefill);
    RUN(hurts_nobody_in_the_same_batch);
    RUN(cancels_what_waits_at_once);
    RUN(tells_the_place_in_the_queue);
    RUN(survives_a_thousand_random_cancels);
    RUN(ends_everything_when_it_closes_among_cancels);
}
