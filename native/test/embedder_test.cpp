// The embedder over real (small) models.

#include "embedder.h"

#include "embed_fixture.h"
#include "embed_recorder.h"

#include <cmath>
#include <string>
#include <thread>
#include <vector>

static std::unique_ptr<Embedder> start_embedder(const std::string & name, int32_t n_queue_max = 512) {
    LoadOptions load_options = options(name, 1, 0);
    load_options.n_queue_max = n_queue_max;
    return std::make_unique<Embedder>(load(load_options));
}

static double dot(const std::vector<float> & a, const std::vector<float> & b) {
    CHECK_EQUAL(a.size(), b.size());
    double sum = 0.0;
    for (size_t i = 0; i < a.size(); i++) {
        sum += (double) a[i] * b[i];
    }
    return sum;
}

static double distance(const std::vector<float> & a, const std::vector<float> & b) {
    CHECK_EQUAL(a.size(), b.size());
    double largest = 0.0;
    for (size_t i = 0; i < a.size(); i++) {
        largest = std::max(largest, (double) std::fabs(a[i] - b[i]));
    }
    return largest;
}

static std::vector<std::string> texts(int n, int n_words = 3) {
    std::vector<std::string> out;
    for (int i = 0; i < n; i++) {
        out.push_back(words(i, 1 + (i * 5) % (2 * n_words)));
    }
    return out;
}

static void one_by_one_and_batched_are_the_same() {
    for (const std::string name : { "embed", "embed-cls", "embed-last" }) {
        const auto                     embedder = start_embedder(name);
        EmbedRecorder                  recorder;
        const std::vector<std::string> inputs = texts(100);
        embedder->submit(embed(1000, inputs), recorder.done(1000));
        const EmbedResult batched = recorder.result(1000);
        CHECK_EQUAL(batched.vectors.size(), inputs.size());
        CHECK(embedder->stats().n_peak_batch_inputs > 20);

        int64_t n_total = 0;
        for (size_t i = 0; i < inputs.size(); i++) {
            embedder->submit(embed((int64_t) i, { inputs[i] }), recorder.done((int64_t) i));
            const EmbedResult single = recorder.result((int64_t) i);
            CHECK(distance(single.vectors[0], batched.vectors[i]) < 1e-4);
            CHECK_EQUAL(single.n_tokens[0], batched.n_tokens[i]);
            CHECK_EQUAL(single.n_total, (int64_t) single.n_tokens[0]);
            CHECK(std::fabs(dot(single.vectors[0], single.vectors[0]) - 1.0) < 1e-5);
            n_total += single.n_total;
        }
        CHECK_EQUAL(batched.n_total, n_total);
    }
}

static void texts_that_share_words_are_close() {
    const auto    embedder = start_embedder("embed");
    EmbedRecorder recorder;
    embedder->submit(embed(1, { "climbed the stairs", "the stairs", "rain after midnight" }), recorder.done(1));
    const auto vectors = recorder.result(1).vectors;
    CHECK(dot(vectors[0], vectors[1]) > dot(vectors[0], vectors[2]) + 0.1);
}

static void a_model_without_pooling_takes_the_mean() {
    EmbedRecorder recorder;
    for (const int64_t id : { 1, 2 }) {
        const auto embedder = start_embedder(id == 1 ? "embed" : "embed-unpooled");
        embedder->submit(embed(id, { "climbed the stairs" }), recorder.done(id));
        recorder.result(id);
    }
    CHECK(distance(recorder.result(1).vectors[0], recorder.result(2).vectors[0]) == 0.0);
}

static void takes_tokens_as_they_are() {
    const auto    model    = load(options("embed", 1));
    const auto    embedder = std::make_unique<Embedder>(model);
    EmbedRecorder recorder;
    EmbedRequest  request = embed(1, { "lit the lamp" });
    request.inputs.emplace_back(model->tokenizer().tokenize("lit the lamp", true, true));
    embedder->submit(std::move(request), recorder.done(1));
    const EmbedResult result = recorder.result(1);
    CHECK(distance(result.vectors[0], result.vectors[1]) < 1e-4);
    CHECK_EQUAL(result.n_tokens[0], 5);
    CHECK_EQUAL(result.n_tokens[1], 5);

    EmbedRequest wrong = embed(2, { "lit" });
    wrong.inputs.emplace_back(std::vector<int32_t>{ 1, 1'000'000 });
    embedder->submit(std::move(wrong), recorder.done(2));
    CHECK(recorder.error(2).code == ErrorCode::InvalidPrompt);
    CHECK_EQUAL(recorder.error(2).input, 1);
}

static void refuses_empty_inputs() {
    const auto    embedder = start_embedder("embed");
    EmbedRecorder recorder;
    embedder->submit(embed(1, { "a", "", "b" }), recorder.done(1));
    CHECK(recorder.error(1).code == ErrorCode::InvalidPrompt);
    CHECK_EQUAL(recorder.error(1).input, 1);
    CHECK_EQUAL(std::string(recorder.error(1).what()), std::string("Input 1 is empty."));
    embedder->submit(embed(2, {}), recorder.done(2));
    CHECK(recorder.error(2).code == ErrorCode::InvalidPrompt);
    CHECK_EQUAL(recorder.error(2).input, -1);
    embedder->submit(rerank(3, "", { "a" }), recorder.done(3));
    CHECK(recorder.error(3).code == ErrorCode::InvalidPrompt);
    EmbedRequest no_tokens = embed(4, {});
    no_tokens.inputs.emplace_back(std::vector<int32_t>{});
    embedder->submit(std::move(no_tokens), recorder.done(4));
    CHECK(recorder.error(4).code == ErrorCode::InvalidPrompt);
    // white space is a text
    embedder->submit(embed(5, { "  " }), recorder.done(5));
    CHECK_EQUAL(recorder.result(5).vectors.size(), (size_t) 1);
}

static void refuses_or_cuts_what_is_too_long() {
    const auto    embedder = start_embedder("embed");
    EmbedRecorder recorder;
    embedder->submit(embed(1, { "a", words(1, 700) }), recorder.done(1));
    const RequestError error = recorder.error(1);
    CHECK(error.code == ErrorCode::ContextLengthExceeded);
    CHECK_EQUAL(error.input, 1);
    CHECK(std::string(error.what()).find("has 702 tokens, the model takes 512 tokens at once") != std::string::npos);

    // the longest that fits
    embedder->submit(embed(2, { words(1, 510) }), recorder.done(2));
    CHECK_EQUAL(recorder.result(2).n_tokens[0], 512);

    EmbedRequest cut = embed(3, { words(1, 700) });
    cut.truncate     = true;
    embedder->submit(std::move(cut), recorder.done(3));
    CHECK_EQUAL(recorder.result(3).n_tokens[0], 512);
    CHECK(distance(recorder.result(3).vectors[0], recorder.result(2).vectors[0]) < 1e-4);
}

static void a_causal_model_takes_long_inputs_in_pieces() {
    const auto    embedder = start_embedder("embed-last");
    EmbedRecorder recorder;
    EmbedRequest  request = embed(1, { "short" });
    request.inputs.emplace_back(std::vector<int32_t>(2000, 40));
    request.inputs.emplace_back(std::vector<int32_t>(40, 40));
    embedder->submit(std::move(request), recorder.done(1));
    const EmbedResult result = recorder.result(1);
    CHECK_EQUAL(result.n_tokens[1], 2000);
    CHECK(std::fabs(dot(result.vectors[1], result.vectors[1]) - 1.0) < 1e-5);
    // three batches: the long one goes alone
    CHECK_EQUAL(embedder->stats().n_batches, (uint64_t) 3);

    // alone and after others the long one is the same
    EmbedRequest again = embed(2, {});
    again.inputs.emplace_back(std::vector<int32_t>(2000, 40));
    embedder->submit(std::move(again), recorder.done(2));
    CHECK(distance(recorder.result(2).vectors[0], result.vectors[1]) < 1e-4);
}

static void many_small_inputs() {
    const auto    embedder = start_embedder("embed");
    EmbedRecorder recorder;
    const auto    inputs = texts(1000);
    embedder->submit(embed(1, inputs), recorder.done(1));
    const EmbedResult result = recorder.result(1);
    CHECK_EQUAL(result.vectors.size(), inputs.size());
    CHECK(embedder->stats().n_batches < 40);
    // order: equal texts have equal vectors, wherever they stood
    for (size_t i = 0; i < inputs.size(); i++) {
        for (size_t k = i + 1; k < std::min(inputs.size(), i + 50); k++) {
            CHECK((distance(result.vectors[i], result.vectors[k]) < 1e-4) == (inputs[i] == inputs[k]));
        }
    }
}

static void requests_from_many_threads_share_batches() {
    const auto               embedder = start_embedder("embed");
    EmbedRecorder            recorder;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 25; i++) {
                const int64_t id = t * 100 + i;
                embedder->submit(embed(id, { words(i, 4), words(t, 4) }), recorder.done(id));
            }
        });
    }
    for (std::thread & thread : threads) {
        thread.join();
    }
    for (int t = 0; t < 4; t++) {
        for (int i = 0; i < 25; i++) {
            CHECK(distance(recorder.result(t * 100 + i).vectors[0], recorder.result(i).vectors[0]) < 1e-4);
        }
    }
    CHECK_EQUAL(embedder->stats().n_waiting, 0);
}

// Thousands of inputs: seconds, unless it is cancelled.
static EmbedRequest long_request(int64_t id) {
    return embed(id, std::vector<std::string>(4000, words(1, 500)));
}

static void cancels_running_and_waiting_requests() {
    const auto    embedder = start_embedder("embed");
    EmbedRecorder recorder;
    embedder->submit(long_request(1), recorder.done(1));
    embedder->submit(long_request(2), recorder.done(2));
    embedder->submit(embed(3, { "a" }), recorder.done(3));
    embedder->cancel(2);
    embedder->cancel(1);
    embedder->cancel(77);
    CHECK(recorder.error(1).code == ErrorCode::Cancelled);
    CHECK(recorder.error(2).code == ErrorCode::Cancelled);
    CHECK_EQUAL(recorder.result(3).vectors.size(), (size_t) 1);
    embedder->cancel(3);
    // the id is free again
    embedder->submit(embed(1, { "a" }), recorder.done(10));
    CHECK_EQUAL(recorder.result(10).vectors.size(), (size_t) 1);
}

static void serves_in_order_of_arrival() {
    const auto    embedder = start_embedder("embed");
    EmbedRecorder recorder;
    for (int64_t id = 1; id <= 20; id++) {
        embedder->submit(embed(id, texts(30)), recorder.done(id));
    }
    for (int64_t id = 1; id <= 20; id++) {
        recorder.result(id);
        CHECK_EQUAL(recorder.order(id), (int) id);
    }
}

static void a_full_queue_refuses() {
    const auto    embedder = start_embedder("embed", 2);
    EmbedRecorder recorder;
    embedder->submit(long_request(1), recorder.done(1));
    embedder->submit(embed(2, { "a" }), recorder.done(2));
    embedder->submit(embed(3, { "a" }), recorder.done(3));
    embedder->submit(embed(4, { "a" }), recorder.done(4));
    CHECK(recorder.error(4).code == ErrorCode::QueueFull);
    bool refused = false;
    try {
        embedder->submit(embed(2, { "a" }), recorder.done(99));
    } catch (const std::invalid_argument &) {
        refused = true;
    }
    CHECK(refused);
    embedder->cancel(1);
    recorder.result(3);
}

static void closing_ends_every_request() {
    const auto    embedder = start_embedder("embed");
    EmbedRecorder recorder;
    embedder->submit(long_request(1), recorder.done(1));
    embedder->submit(embed(2, { "a" }), recorder.done(2));
    embedder->close();
    embedder->close();
    embedder->submit(embed(3, { "a" }), recorder.done(3));
    for (const int64_t id : { 1, 2, 3 }) {
        CHECK(recorder.error(id).code == ErrorCode::ShuttingDown);
    }
}

static void a_rerank_model_scores_pairs() {
    const auto    embedder = start_embedder("rerank");
    EmbedRecorder recorder;
    const auto    documents = texts(80, 6);
    embedder->submit(rerank(1, "lit the lamp", documents), recorder.done(1));
    const EmbedResult result = recorder.result(1);
    CHECK(result.vectors.empty());
    CHECK_EQUAL(result.scores.size(), documents.size());
    for (size_t i = 0; i < documents.size(); i++) {
        embedder->submit(rerank(2 + (int64_t) i, "lit the lamp", { documents[i] }), recorder.done(2 + (int64_t) i));
        const EmbedResult single = recorder.result(2 + (int64_t) i);
        CHECK(std::fabs(single.scores[0] - result.scores[i]) < 1e-3);  // logits of about 3
        CHECK_EQUAL(single.n_tokens[0], result.n_tokens[i]);
    }
    embedder->submit(rerank(500, "a clear sky", documents), recorder.done(500));
    CHECK(std::fabs(recorder.result(500).scores[0] - result.scores[0]) > 1e-3);

    embedder->submit(embed(501, { "a" }), recorder.done(501));
    CHECK(recorder.error(501).code == ErrorCode::NotEmbedding);
}

static void an_embedding_model_scores_by_cosine() {
    const auto    embedder = start_embedder("embed");
    EmbedRecorder recorder;
    embedder->submit(rerank(1, "the stairs", { "climbed the stairs", "rain after midnight", "the stairs" }),
                     recorder.done(1));
    embedder->submit(embed(2, { "the stairs", "climbed the stairs" }), recorder.done(2));
    const EmbedResult result  = recorder.result(1);
    const auto        vectors = recorder.result(2).vectors;
    CHECK_EQUAL(result.scores.size(), (size_t) 3);
    CHECK(std::fabs(result.scores[0] - dot(vectors[0], vectors[1])) < 1e-4);
    CHECK(result.scores[2] > 0.9999f && result.scores[2] <= 1.0f);
    CHECK(result.scores[0] > result.scores[1]);
    CHECK_EQUAL(result.n_tokens.size(), (size_t) 3);
    CHECK_EQUAL(result.n_total, (int64_t) (4 + result.n_tokens[0] + result.n_tokens[1] + result.n_tokens[2]));
}

int main() {
    RUN(one_by_one_and_batched_are_the_same);
    RUN(texts_that_share_words_are_close);
    RUN(a_model_without_pooling_takes_the_mean);
    RUN(takes_tokens_as_they_are);
    RUN(refuses_empty_inputs);
    RUN(refuses_or_cuts_what_is_too_long);
    RUN(a_causal_model_takes_long_inputs_in_pieces);
    RUN(many_small_inputs);
    RUN(requests_from_many_threads_share_batches);
    RUN(cancels_running_and_waiting_requests);
    RUN(serves_in_order_of_arrival);
    RUN(a_full_queue_refuses);
    RUN(closing_ends_every_request);
    RUN(a_rerank_model_scores_pairs);
    RUN(an_embedding_model_scores_by_cosine);
    return 0;
}
