// The real decode loop over small real models.
#include "engine_fixture.h"

#include <cmath>
#include <random>

static void answers_a_chat() {
    Recorder   recorder;
    const auto engine = start(recorder, options("scripted", 2));
    engine->submit(chat(1, -1));
    const auto stream = recorder.wait(1);
    CHECK(stream.last.type == EventType::Done);
    CHECK(stream.last.finish_reason == FinishReason::Eog);
    CHECK(!stream.text.empty());
    CHECK_EQUAL(stream.content, stream.text);
}

static void runs_sixteen_in_one_batch() {
    Recorder   recorder;
    const auto engine = start(recorder, options("scripted-long", 16, 8192));
    for (int64_t seq = 0; seq < 16; seq++) {
        engine->submit(chat(seq, -1));
    }
    // they only end by the cancel, so that all of them run when the last one has begun
    for (int64_t seq = 0; seq < 16; seq++) {
        recorder.wait_tokens(seq, 40);
    }
    CHECK_EQUAL(engine->stats().n_peak_batch_sequences, 16);
    for (int64_t seq = 0; seq < 16; seq++) {
        engine->cancel(seq);
    }
    const std::string text = recorder.wait(0).text.substr(0, 100);
    for (int64_t seq = 0; seq < 16; seq++) {
        const auto stream = recorder.wait(seq);
        CHECK(stream.last.finish_reason == FinishReason::Cancelled);
        CHECK_EQUAL(stream.content.substr(0, 100), text);
    }
}

static void stops_before_a_stop_string() {
    Recorder   recorder;
    const auto engine = start(recorder, options("scripted-long", 1));
    engine->submit(chat(1, 60));
    const std::string whole = recorder.wait(1).text;
    CHECK(whole.size() > 20);

    Request           request = chat(2, 60);
    const std::string stop    = whole.substr(9, 8);
    request.stop              = { "never seen", stop };
    engine->submit(std::move(request));
    const auto stream = recorder.wait(2);
    CHECK(stream.last.finish_reason == FinishReason::StopString);
    CHECK_EQUAL(stream.last.stop_string, stop);
    CHECK_EQUAL(stream.text, whole.substr(0, whole.find(stop)));
    CHECK_EQUAL(stream.content, stream.text);
}

static void gives_held_text_at_the_end() {
    Recorder   recorder;
    const auto engine = start(recorder, options("scripted-long", 1));
    engine->submit(chat(1, 7));
    const std::string whole = recorder.wait(1).text;

    Request request = chat(2, 7);
    request.stop    = { whole.substr(1) + "never" };
    engine->submit(std::move(request));
    const auto stream = recorder.wait(2);
    CHECK(stream.last.finish_reason == FinishReason::Length);
    CHECK_EQUAL(stream.text, whole);
}

static void cancels_while_running_waiting_and_in_prefill() {
    Recorder   recorder;
    const auto engine = start(recorder, options("scripted-long", 1, 4096));
    engine->submit(chat(1, -1));
    recorder.wait_tokens(1, 3);
    engine->submit(chat(2, -1));
    recorder.wait_accepted(2);
    engine->cancel(2);
    const auto waiting = recorder.wait(2);
    CHECK(waiting.last.finish_reason == FinishReason::Cancelled);
    CHECK_EQUAL(waiting.n_tokens, 0);

    engine->cancel(1);
    CHECK(recorder.wait(1).last.finish_reason == FinishReason::Cancelled);

    engine->submit(tokens(3, 4000, 1));
    recorder.wait_accepted(3);
    engine->cancel(3);
    const auto prefill = recorder.wait(3);
    CHECK(prefill.last.type == EventType::Done);

    engine->cancel(99);  // unknown: nothing happens
    engine->submit(chat(4, 5));
    CHECK_EQUAL(recorder.wait(4).n_tokens, 5);
    CHECK_EQUAL(engine->stats().n_waiting, 0);
}

static void pauses_one_and_no_other() {
    Recorder   recorder;
    const auto engine = start(recorder, options("scripted-long", 2));
    engine->submit(chat(1, 200));
    recorder.wait_tokens(1, 2);
    engine->set_paused(1, true);
    engine->submit(chat(2, 100));
    recorder.wait(2);
    const int32_t at_pause = recorder.now(1).n_tokens;
    engine->submit(chat(3, 100));
    recorder.wait(3);
    CHECK_EQUAL(recorder.now(1).n_tokens, at_pause);
    engine->set_paused(1, false);
    CHECK_EQUAL(recorder.wait(1).n_tokens, 200);
}

static void reuses_the_prefix_of_the_last_turn() {
    Recorder   recorder;
    const auto engine = start(recorder, options("scripted", 1));
    engine->submit(chat(1, -1, "What is this, and how does it work?"));
    const auto cold = recorder.wait(1);
    CHECK_EQUAL(cold.last.n_cached, 0);
    engine->submit(chat(2, -1, "What is this, and how does it work?"));
    const auto warm = recorder.wait(2);
    CHECK_EQUAL(warm.last.n_cached, warm.last.n_prompt - 1);
    CHECK_EQUAL(warm.text, cold.text);

    Request seeded       = chat(3, -1, "What is this, and how does it work?");
    seeded.sampling.seed = 1;
    engine->submit(std::move(seeded));
    CHECK_EQUAL(recorder.wait(3).last.n_cached, 0);
}

static void refuses_what_cannot_run() {
    Recorder   recorder;
    const auto engine = start(recorder, options("random", 1, 256));
    engine->submit(tokens(1, 256, 1));
    CHECK(recorder.wait(1).last.code == ErrorCode::ContextLengthExceeded);

    Request outside       = tokens(2, 1, 1);
    outside.prompt.tokens = { 1 << 30 };
    engine->submit(std::move(outside));
    CHECK(recorder.wait(2).last.code == ErrorCode::InvalidPrompt);

    // what cannot fit is refused before any work, however long it is
    Request long_text     = tokens(4, 1, 1);
    long_text.prompt.kind = PromptKind::Text;
    long_text.prompt.text = std::string(30'000'000, 'a');
    engine->submit(std::move(long_text));
    CHECK(recorder.wait(4).last.code == ErrorCode::ContextLengthExceeded);
    Request many_messages = chat(5, 1);
    many_messages.prompt.chat.messages.resize(600'000, { "user", "a", "" });
    engine->submit(std::move(many_messages));
    CHECK(recorder.wait(5).last.code == ErrorCode::ContextLengthExceeded);

    Request banned = tokens(6, 1, 1);
    for (int32_t token = 0; token < engine->info().n_vocab; token++) {
        banned.sampling.logit_bias.push_back({ token, -100.0f });
    }
    engine->submit(std::move(banned));
    CHECK(recorder.wait(6).last.code == ErrorCode::InvalidLogitBias);

    Request bias             = tokens(3, 1, 1);
    bias.sampling.logit_bias = { { -1, 5.0f } };
    engine->submit(std::move(bias));
    CHECK(recorder.wait(3).last.code == ErrorCode::InvalidLogitBias);
}

static void ends_with_length_when_the_context_is_full() {
    Recorder   recorder;
    const auto engine = start(recorder, options("scripted-long", 1, 256));
    engine->submit(chat(1, -1));
    const auto stream = recorder.wait(1);
    CHECK(stream.last.finish_reason == FinishReason::Length);
    CHECK_EQUAL(stream.last.n_prompt + stream.n_tokens, 256 + 1);
}

static void repeats_itself_at_the_same_seed() {
    Recorder   recorder;
    const auto engine = start(recorder, options("random", 1));
    for (int64_t seq = 1; seq <= 3; seq++) {
        Request request              = chat(seq, 30);
        request.sampling.temperature = 1.0f;
        request.sampling.seed        = seq == 3 ? 43 : 42;
        engine->submit(std::move(request));
        recorder.wait(seq);
    }
    CHECK_EQUAL(recorder.wait(1).text, recorder.wait(2).text);
    CHECK(recorder.wait(1).text != recorder.wait(3).text);
}

static void follows_what_the_file_recommends() {
    for (const bool recommends : { true, false }) {
        Recorder   recorder;
        const auto engine = start(recorder, options(recommends ? "greedy" : "random", 1));
        for (int64_t seq = 1; seq <= 2; seq++) {
            Request request = chat(seq, 30);
            request.sampling.temperature.reset();
            engine->submit(std::move(request));
            recorder.wait(seq);
        }
        CHECK_EQUAL(recorder.wait(1).text == recorder.wait(2).text, recommends);
    }
}

static void bans_and_forces_tokens() {
    Recorder   recorder;
    const auto engine = start(recorder, options("random", 1));
    for (const float bias : { 100.0f, -100.0f }) {
        Request request             = tokens(bias > 0 ? 1 : 2, 3, 10);
        request.sampling.logit_bias = { { 70, bias } };
        engine->submit(std::move(request));
    }
    CHECK_EQUAL(recorder.wait(1).text.size() % 10, (size_t) 0);
    CHECK(recorder.wait(2).text != recorder.wait(1).text);
}

static void survives_random_cancels() {
    Recorder     recorder;
    const auto   engine = start(recorder, options("scripted-long", 4));
    std::mt19937 random(3);
    for (int64_t seq = 0; seq < 300; seq++) {
        engine->submit(chat(seq, 1 + (int32_t) (random() % 30)));
        if (random() % 2 == 0) {
            engine->cancel((int64_t) (random() % (uint32_t) (seq + 1)));
        }
        if (random() % 8 == 0) {
            engine->set_paused(seq, true);
            engine->set_paused(seq, false);
        }
    }
    for (int64_t seq = 0; seq < 300; seq++) {
        CHECK(recorder.wait(seq).last.type == EventType::Done);
    }
    engine->submit(chat(1000, 1));
    recorder.wait(1000);
    CHECK_EQUAL(engine->stats().n_running, 0);
    CHECK_EQUAL(engine->stats().n_waiting, 0);
}

static void tells_every_request_when_it_closes() {
    Recorder recorder;
    auto     engine = start(recorder, options("scripted-long", 2));
    for (int64_t seq = 0; seq < 5; seq++) {
        engine->submit(chat(seq, -1));
    }
    recorder.wait_tokens(0, 1);
    engine->close();
    engine->close();
    for (int64_t seq = 0; seq < 5; seq++) {
        const auto stream = recorder.wait(seq);
        CHECK(stream.last.type == EventType::Error && stream.last.code == ErrorCode::ShuttingDown);
    }
    engine->submit(chat(9, 1));
    CHECK(recorder.wait(9).last.code == ErrorCode::ShuttingDown);
}

static void serves_people_before_programs() {
    Recorder   recorder;
    const auto engine = start(recorder, options("scripted-long", 1));
    engine->submit(chat(1, 400));
    engine->set_paused(1, true);
    Request background  = chat(2, 5);
    background.priority = Priority::Background;
    engine->submit(std::move(background));
    Request interactive  = chat(3, 5);
    interactive.priority = Priority::Interactive;
    engine->submit(std::move(interactive));
    recorder.wait_accepted(3);
    engine->cancel(1);
    recorder.wait(3);
    CHECK(recorder.order(3) < recorder.order(2) || !recorder.now(2).ended);
    recorder.wait(2);
    CHECK(recorder.order(3) < recorder.order(2));
}

// Chunks in which a prompt of 3,000 tokens is read beside a running stream.
static size_t chunks_beside_a_stream(double target_itl_ms) {
    LoadOptions load   = options("scripted-long", 2, 8192);
    load.target_itl_ms = target_itl_ms;
    Recorder   recorder;
    const auto engine = start(recorder, load);
    // of a class of its own, or it would give way to what comes within the same second
    Request running  = chat(1, -1);
    running.priority = Priority::Interactive;
    engine->submit(std::move(running));
    recorder.wait_tokens(1, 20);
    engine->submit(tokens(2, 3000, 1));
    return recorder.wait(2).progress.size();
}

static void reads_a_long_prompt_at_the_pace_that_was_asked_for() {
    CHECK(chunks_beside_a_stream(0.0) > 2 * chunks_beside_a_stream(60'000.0));
}

static void bounds_its_queue() {
    Recorder    recorder;
    LoadOptions load_options = options("scripted-long", 1);
    load_options.n_queue_max = 2;
    const auto engine        = start(recorder, load_options);
    for (int64_t seq = 1; seq <= 3; seq++) {
        engine->submit(chat(seq, -1));
    }
    engine->submit(chat(4, 1));
    CHECK(recorder.wait(4).last.code == ErrorCode::QueueFull);
    for (int64_t seq = 1; seq <= 3; seq++) {
        engine->cancel(seq);
        recorder.wait(seq);
    }
    engine->submit(chat(5, 1));
    CHECK(recorder.wait(5).last.type == EventType::Done);
}

static void tells_log_probabilities() {
    Recorder   recorder;
    const auto engine           = start(recorder, options("scripted", 1));
    Request    request          = chat(1, 3);
    request.sampling.n_logprobs = 20;
    engine->submit(std::move(request));
    recorder.wait(1);
    for (const Event & event : recorder.tokens(1)) {
        CHECK_EQUAL(event.logprobs.size(), (size_t) 21);
        CHECK_EQUAL(event.logprobs[0].token_id, event.token_id);
        CHECK_EQUAL(event.logprobs[1].token_id, event.token_id);  // greedy: the most likely one
        double sum = 0.0;
        for (size_t i = 1; i < event.logprobs.size(); i++) {
            CHECK(event.logprobs[i].logprob <= event.logprobs[i == 1 ? 1 : i - 1].logprob);
            sum += std::exp((double) event.logprobs[i].logprob);
        }
        CHECK(sum > 0.5 && sum < 1.0001);
    }
}

int main() {
    RUN(answers_a_chat);
    RUN(runs_sixteen_in_one_batch);
    RUN(stops_before_a_stop_string);
    RUN(gives_held_text_at_the_end);
    RUN(cancels_while_running_waiting_and_in_prefill);
    RUN(pauses_one_and_no_other);
    RUN(reuses_the_prefix_of_the_last_turn);
    RUN(refuses_what_cannot_run);
    RUN(ends_with_length_when_the_context_is_full);
    RUN(repeats_itself_at_the_same_seed);
    RUN(follows_what_the_file_recommends);
    RUN(bans_and_forces_tokens);
    RUN(survives_random_cancels);
    RUN(tells_every_request_when_it_closes);
    RUN(serves_people_before_programs);
    RUN(reads_a_long_prompt_at_the_pace_that_was_asked_for);
    RUN(bounds_its_queue);
    RUN(tells_log_probabilities);
}
