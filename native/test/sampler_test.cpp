#include "sampler.h"

#include "check.h"
#include "engine_fixture.h"

#include <cmath>
#include <limits>
#include <random>

static SamplingParams params(float temperature, int32_t top_k, uint32_t seed) {
    SamplingParams out;
    out.temperature = temperature;
    out.top_k       = top_k;
    out.top_p       = 0.95f;
    out.min_p       = 0.05f;
    out.seed        = seed;
    return out;
}

static std::vector<float> random_logits(std::mt19937 & random, int32_t n_vocab) {
    std::normal_distribution<float> normal(0.0f, 3.0f);
    std::vector<float>              out((size_t) n_vocab);
    for (float & logit : out) {
        logit = normal(random);
    }
    return out;
}

// A bias of nothing makes the sampler look at every token, as it does where the order of the tokens may change.
static void check_same_draws(const SamplingParams & wanted) {
    const auto     model = Model::load(options("random", 1), [](float) { return true; });
    SamplingParams whole = wanted;
    whole.logit_bias     = { { 0, 0.0f } };
    Sampler      fast(model->get(), wanted);
    Sampler      slow(model->get(), whole);
    std::mt19937 random(3);
    for (int32_t i = 0; i < 500; i++) {
        const std::vector<float> logits = random_logits(random, model->info().n_vocab);
        CHECK_EQUAL(fast.sample(logits.data()).token, slow.sample(logits.data()).token);
    }
}

static void test_looking_at_the_top_only_draws_the_same() {
    check_same_draws(params(0.0f, 40, 1));
    check_same_draws(params(0.8f, 40, 1));
    check_same_draws(params(1.5f, 1, 2));
    check_same_draws(params(2.0f, 1000000, 3));
}

static void test_a_row_without_numbers_is_an_error() {
    const auto               model = Model::load(options("random", 1), [](float) { return true; });
    const std::vector<float> logits((size_t) model->info().n_vocab, std::numeric_limits<float>::quiet_NaN());
    for (const SamplingParams & wanted : { params(0.0f, 40, 1), params(1.0f, 40, 1), params(1.0f, 0, 1) }) {
        Sampler sampler(model->get(), wanted);
        bool    refused = false;
        try {
            sampler.sample(logits.data());
        } catch (const RequestError & e) {
            refused = e.code == ErrorCode::EngineFailed;
        }
        CHECK(refused);
    }
}

int main() {
    RUN(test_looking_at_the_top_only_draws_the_same);
    RUN(test_a_row_without_numbers_is_an_error);
}
