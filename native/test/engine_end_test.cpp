// Where an answer ends by the tokens themselves, on the real engine: token ids that the caller names, and
// end-of-generation tokens that the caller wants to be passed over.
#include "engine_fixture.h"

static Request stopping(Request request, std::vector<int32_t> ids) {
    request.stop_token_ids = std::move(ids);
    return request;
}

// Texts of all tokens but the last one.
static std::string text_before_last(const Recorder::Stream & stream) {
    std::string out;
    for (size_t i = 0; i + 1 < stream.tokens.size(); i++) {
        out += stream.tokens[i].text;
    }
    return out;
}

static void ends_behind_a_stop_token() {
    Recorder   recorder;
    const auto engine = start(recorder, options("random", 1));
    engine->submit(chat(1, 20));
    const auto    whole = recorder.wait(1);
    const int32_t id    = whole.tokens[7].token_id;
    int32_t       n     = 0;  // until its first occurrence, and with it
    while (whole.tokens[(size_t) n++].token_id != id) {}

    engine->submit(stopping(chat(2, 20), { 1 << 30, id }));
    const auto stream = recorder.wait(2);
    CHECK(stream.last.finish_reason == FinishReason::StopToken);
    CHECK(stream.last.stop_string.empty());
    CHECK_EQUAL(stream.n_tokens, n);
    CHECK_EQUAL(stream.tokens.back().token_id, id);
    CHECK_EQUAL(stream.tokens.back().text, "");
    CHECK_EQUAL(stream.text, whole.text.substr(0, stream.text.size()));
    CHECK_EQUAL(stream.content, stream.text);

    // also where max_tokens ends the answer at the same token
    engine->submit(stopping(chat(3, n), { id }));
    const auto both = recorder.wait(3);
    CHECK(both.last.finish_reason == FinishReason::StopToken);
    CHECK_EQUAL(both.n_tokens, n);
}

static void gives_what_was_held_back_with_the_stop_token() {
    Recorder   recorder;
    const auto engine = start(recorder, options("scripted-long", 1));
    engine->submit(chat(1, 7));
    const auto whole = recorder.wait(1);

    Request request = stopping(chat(2, 7), { whole.tokens.back().token_id });
    request.stop    = { whole.text.substr(1) + "never" };
    engine->submit(std::move(request));
    const auto stream = recorder.wait(2);
    CHECK(stream.last.finish_reason == FinishReason::StopToken);
    CHECK_EQUAL(stream.n_tokens, 7);
    CHECK_EQUAL(stream.text, text_before_last(whole));
    CHECK_EQUAL(stream.content, stream.text);
}

static void stops_at_the_same_token_when_it_guesses() {
    LoadOptions load = options("scripted-long", 1, 1024);
    load.speculation = Speculation::Ngram;
    Recorder   recorder;
    const auto engine = start(recorder, load);
    engine->submit(chat(1, 300));
    const auto whole = recorder.wait(1);
    CHECK(whole.last.timings.n_accepted > 0);

    std::vector<int32_t> ids;
    for (const Event & event : whole.tokens) {
        ids.push_back(event.token_id);
    }
    for (size_t n = 1; n <= 3; n++) {
        const int32_t id       = ids[ids.size() - n];
        const auto    expected = (int32_t) (std::find(ids.begin(), ids.end(), id) - ids.begin()) + 1;
        engine->submit(stopping(chat((int64_t) n + 1, 300), { id }));
        const auto stream = recorder.wait((int64_t) n + 1);
        CHECK(stream.last.finish_reason == FinishReason::StopToken);
        CHECK_EQUAL(stream.n_tokens, expected);
    }
}

static void passes_over_the_end_when_asked_to() {
    Recorder   recorder;
    const auto engine = start(recorder, options("scripted", 1));
    engine->submit(chat(1, -1));
    const auto plain = recorder.wait(1);
    CHECK(plain.last.finish_reason == FinishReason::Eog);

    Request request    = chat(2, plain.n_tokens + 5);
    request.ignore_eog = true;
    engine->submit(std::move(request));
    const auto beyond = recorder.wait(2);
    CHECK(beyond.last.finish_reason == FinishReason::Length);
    CHECK_EQUAL(beyond.n_tokens, plain.n_tokens + 5);
    const Event & end = beyond.tokens[(size_t) plain.n_tokens];
    CHECK_EQUAL(end.text, "");
    CHECK_EQUAL(beyond.text.substr(0, plain.text.size()), plain.text);

    // the end can still be a stop token, and then it is a token
    Request stopped    = stopping(chat(3, plain.n_tokens + 5), { end.token_id });
    stopped.ignore_eog = true;
    engine->submit(std::move(stopped));
    const auto named = recorder.wait(3);
    CHECK(named.last.finish_reason == FinishReason::StopToken);
    CHECK_EQUAL(named.n_tokens, plain.n_tokens + 1);
    CHECK_EQUAL(named.text, plain.text);
}

int main() {
    RUN(ends_behind_a_stop_token);
    RUN(gives_what_was_held_back_with_the_stop_token);
    RUN(stops_at_the_same_token_when_it_guesses);
    RUN(passes_over_the_end_when_asked_to);
}
