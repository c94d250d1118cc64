// What is reused never changes an answer, whatever the model remembers by: a KV cache, a sliding window, a recurrent
// state, or a mixture.
#include "engine_fixture.h"

#include <cmath>
#include <map>
#include <random>

static const char * const MODELS[] = { "random-f32", "sliding", "recurrent", "hybrid", "hybrid-sliding" };

static constexpr int32_t N_CTX = 1536;

using Tokens = std::vector<int32_t>;

static LoadOptions memory_options(const std::string & model, int32_t n_parallel, uint64_t store_bytes,
                                  KvLayout layout = KvLayout::Split) {
    LoadOptions out     = options(model, n_parallel, N_CTX);
    out.store_bytes     = store_bytes;
    out.kv_layout       = layout;
    out.flash_attention = FlashAttention::Off;
    out.type_k          = GGML_TYPE_F32;
    out.type_v          = GGML_TYPE_F32;
    return out;
}

static Request greedy(int64_t seq, const Tokens & prompt, int32_t n_max_tokens) {
    Request request             = tokens(seq, 1, n_max_tokens);
    request.prompt.tokens       = prompt;
    request.sampling.n_logprobs = 5;
    return request;
}

static Tokens some_tokens(std::mt19937 & random, size_t n) {
    Tokens out(n);
    for (int32_t & token : out) {
        token = 40 + (int32_t) (random() % 60);
    }
    return out;
}

static Tokens operator+(Tokens a, const Tokens & b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

static Tokens first(const Tokens & tokens, size_t n) {
    return { tokens.begin(), tokens.begin() + (std::ptrdiff_t) std::min(n, tokens.size()) };
}

static Tokens answer_of(const Recorder::Stream & stream) {
    Tokens out;
    for (const Event & event : stream.tokens) {
        out.push_back(event.token_id);
    }
    return out;
}

// Answers computed with nothing to reuse, one after the other.
class Cold {
  public:
    explicit Cold(const std::string & model) : engine_(start(recorder_, memory_options(model, 1, 0))) {}

    std::vector<Event> answer(const Tokens & prompt, int32_t n_max_tokens) {
        const auto key   = std::make_pair(prompt, n_max_tokens);
        const auto found = answers_.find(key);
        if (found != answers_.end()) {
            return found->second;
        }
        Request request       = greedy(++seq_, prompt, n_max_tokens);
        request.sampling.seed = 1;  // with a seed nothing is reused
        engine_->submit(std::move(request));
        const auto stream = recorder_.wait(seq_);
        CHECK_EQUAL(stream.last.n_cached, 0);
        return answers_[key] = stream.tokens;
    }

  private:
    Recorder                                                 recorder_;
    std::unique_ptr<Engine>                                  engine_;
    int64_t                                                  seq_ = 0;
    std::map<std::pair<Tokens, int32_t>, std::vector<Event>> answers_;
};

// A prompt that is divided into other batches is rounded in another way. With F32 weights and memory and without flash
// attention that is some 1e-5; a wrong state makes much more.
static constexpr float ROUNDING = 2e-3f;

// The same tokens with the same probabilities, but where two tokens are equally likely.
static void check_same(const std::string & model, const std::vector<Event> & warm, const std::vector<Event> & cold) {
    for (size_t i = 0; i < cold.size(); i++) {
        const std::vector<TokenLogprob> & likely = cold[i].logprobs;
        CHECK(i < warm.size());
        if (std::fabs(warm[i].logprobs[0].logprob - likely[0].logprob) > ROUNDING) {
            std::cerr << model << ": token " << i << " is " << warm[i].token_id << " (" << warm[i].logprobs[0].logprob
                      << ") warm and " << cold[i].token_id << " (" << likely[0].logprob << ") cold\n";
            CHECK(false);
        }
        if (warm[i].token_id != cold[i].token_id) {
            CHECK(likely[1].logprob - likely[2].logprob < ROUNDING);
            return;
        }
    }
    CHECK_EQUAL(warm.size(), cold.size());
}

// Random conversations on one warm engine: shared system prompts, several turns, answers cut short or left out as when
// reasoning is dropped, the same question again, edited questions, several choices, several requests at once.
class Talk {
  public:
    Talk(std::string model, uint32_t seed, uint64_t store_bytes, KvLayout layout = KvLayout::Split)
        : model_(std::move(model)), random_(seed), cold_(model_),
          engine_(start(recorder_, memory_options(model_, 3, store_bytes, layout))) {
        for (int i = 0; i < 3; i++) {
            systems_.push_back(some_tokens(random_, 40 + random_() % 500));
        }
    }

    void run(int n_rounds) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        n_rounds = 1 + n_rounds / 5;  // each takes ten times as long there
#endif
        for (int round = 0; round < n_rounds; round++) {
            std::vector<Turn> turns(1 + random_() % 3);
            for (Turn & turn : turns) {
                turn = begin_turn();
            }
            for (const Turn & turn : turns) {
                end_turn(turn);
            }
        }
        CHECK_EQUAL(engine_->stats().n_prefill_tokens, (uint64_t) n_computed_);
        CHECK_EQUAL(engine_->stats().n_requests, 0);
    }

    // Of all prompt tokens, the share that was not computed.
    double reused() const {
        return 1.0 - (double) n_computed_ / (double) n_prompt_;
    }

  private:
    struct Turn {
        int64_t seq;
        Tokens  prompt;
        int32_t n_max_tokens;
        bool    is_forked;
    };

    std::string             model_;
    std::mt19937            random_;
    Cold                    cold_;
    Recorder                recorder_;
    std::unique_ptr<Engine> engine_;
    std::vector<Tokens>     systems_;
    std::vector<Tokens>     prompts_;    // of all turns
    std::vector<Tokens>     histories_;  // prompt and answer
    int64_t                 seq_        = 0;
    int64_t                 n_prompt_   = 0;
    int64_t                 n_computed_ = 0;

    Tokens make_prompt() {
        const Tokens question = some_tokens(random_, 1 + random_() % 80);
        const Tokens fresh    = systems_[random_() % systems_.size()] + question;
        if (histories_.empty() || random_() % 4 == 0) {
            return fresh;
        }
        const size_t   i       = histories_.size() - 1 - random_() % std::min<size_t>(4, histories_.size());
        const Tokens & prompt  = prompts_[i];
        const Tokens & history = histories_[i];
        Tokens         out;
        switch (random_() % 5) {
            case 0:
                out = prompt;
                break;
            case 1:
                out = prompt + question;
                break;
            case 2:
                out = first(history, history.size() - random_() % 6) + question;
                break;
            case 3:
                out = first(prompt, 1 + random_() % prompt.size()) + question;
                break;
            default:
                out = history + question;
        }
        return out.size() + 40 < (size_t) N_CTX ? out : fresh;
    }

    Turn begin_turn() {
        Turn    turn{ ++seq_, make_prompt(), 1 + (int32_t) (random_() % 20), random_() % 8 == 0 };
        Request request = greedy(turn.seq, turn.prompt, turn.n_max_tokens);
        if (turn.is_forked) {
            request.forks = { ++seq_ };
        }
        engine_->submit(std::move(request));
        return turn;
    }

    void end_turn(const Turn & turn) {
        const std::vector<Event> cold = cold_.answer(turn.prompt, turn.n_max_tokens);
        for (int64_t seq = turn.seq; seq <= turn.seq + (turn.is_forked ? 1 : 0); seq++) {
            const auto stream = recorder_.wait(seq);
            CHECK(stream.last.type == EventType::Done);
            check_same(model_, stream.tokens, cold);
            const bool is_fork = seq != turn.seq;
            n_prompt_ += stream.last.n_prompt;
            // a fork begins with the logits of the first choice: it does not even compute the last token
            n_computed_ += is_fork ? 0 : stream.last.n_prompt - stream.last.n_cached;
            if (!is_fork) {
                prompts_.push_back(turn.prompt);
                histories_.push_back(turn.prompt + answer_of(stream));
            }
        }
    }
};

static void answers_the_same_warm_and_cold() {
    for (const char * model : MODELS) {
        Talk talk(model, 1, 16 << 20);
        talk.run(60);
        std::printf("%s: %.0f %% of the prompt tokens reused\n", model, 100.0 * talk.reused());
        CHECK(talk.reused() > 0.5);
    }
}

// Room for a few checkpoints only, or for none.
static void answers_the_same_with_little_memory() {
    for (const char * model : MODELS) {
        Talk little(model, 2, 200 << 10);
        little.run(30);
        Talk none(model, 3, 0);
        none.run(20);
    }
}

// Windows are split even then: a unified cache loses cells of theirs while several prompts share a batch.
static void answers_the_same_in_a_unified_cache() {
    for (const char * model : MODELS) {
        Talk talk(model, 2, 200 << 10, KvLayout::Unified);
        talk.run(20);
    }
}

static void computes_a_shared_prefix_once() {
    for (const char * model : MODELS) {
        // also where there are fewer slots than clients, or one only
        for (const int32_t n_parallel : { 16, 3, 1 }) {
            Recorder     recorder;
            const auto   engine = start(recorder, memory_options(model, n_parallel, 16 << 20));
            std::mt19937 random(4);
            const Tokens system = some_tokens(random, 512);
            // all slots are taken until all clients have come
            for (int64_t seq = 100; seq < 100 + n_parallel; seq++) {
                engine->submit(tokens(seq, 1, 1400));
                recorder.wait_tokens(seq, 1);
                engine->set_paused(seq, true);
            }
            for (int64_t seq = 0; seq < 16; seq++) {
                engine->submit(greedy(seq, system + Tokens(60, 40 + (int32_t) seq), 4));
                recorder.wait_accepted(seq);
            }
            for (int64_t seq = 100; seq < 100 + n_parallel; seq++) {
                engine->cancel(seq);
            }
            int32_t n_computed = 0;
            for (int64_t seq = 0; seq < 16; seq++) {
                const auto stream = recorder.wait(seq);
                n_computed += stream.last.n_prompt - stream.last.n_cached;
            }
            CHECK_EQUAL(n_computed, 572 + 15 * 60);
            CHECK_EQUAL(engine->stats().n_prefill_tokens, (uint64_t) (n_computed + n_parallel));
        }
    }
}

// The next turn of a conversation whose answer comes back otherwise than it was written computes little but what is
// new.
static void goes_back_to_before_the_answer() {
    for (const char * model : MODELS) {
        Recorder     recorder;
        const auto   engine = start(recorder, memory_options(model, 1, 16 << 20));
        std::mt19937 random(5);
        const Tokens prompt = some_tokens(random, 1000);
        engine->submit(greedy(1, prompt, 100));
        recorder.wait(1);
        const Tokens next = prompt + some_tokens(random, 50);
        engine->submit(greedy(2, next, 10));
        const auto stream = recorder.wait(2);
        CHECK(stream.last.n_cached >= 1000 - 16);
        check_same(model, stream.tokens, Cold(model).answer(next, 10));
    }
}

// A copy of a sequence with a sliding window, such as a further choice starts from, holds the last window only. It is
// not taken up where a token of it would look further back.
static void takes_up_a_window_only_where_it_is_whole() {
    Cold         cold("sliding");
    Recorder     recorder;
    const auto   engine = start(recorder, memory_options("sliding", 2, 0));
    std::mt19937 random(6);
    const Tokens prompt   = some_tokens(random, 300);
    int64_t      seq      = 0;
    int32_t      n_reused = 0;
    for (size_t n = 270; n < 340; n += 2) {
        Request both = greedy(++seq, prompt, 2);
        both.forks   = { ++seq };
        engine->submit(std::move(both));
        recorder.wait(seq - 1);
        const Tokens base = prompt + first(answer_of(recorder.wait(seq)), 1);
        // this one takes the slot of the first choice, so that the other one's is left
        const int64_t resting = ++seq;
        engine->submit(greedy(resting, base + some_tokens(random, 5), 200));
        recorder.wait_tokens(resting, 1);
        engine->set_paused(resting, true);

        const Tokens longer = base + some_tokens(random, 60);
        engine->submit(greedy(++seq, longer, 1));
        CHECK_EQUAL(recorder.wait(seq).last.n_cached, 301);
        const Tokens shorter = first(longer, n) + some_tokens(random, 10);
        engine->submit(greedy(++seq, shorter, 3));
        const auto stream = recorder.wait(seq);
        check_same("sliding", stream.tokens, cold.answer(shorter, 3));
        n_reused += stream.last.n_cached > 0 ? 1 : 0;
        engine->cancel(resting);
        recorder.wait(resting);
    }
    CHECK(n_reused >= 15 && n_reused < 35);
}

int main() {
    RUN(answers_the_same_warm_and_cold);
    RUN(answers_the_same_with_little_memory);
    RUN(answers_the_same_in_a_unified_cache);
    RUN(computes_a_shared_prefix_once);
    RUN(goes_back_to_before_the_answer);
    RUN(takes_up_a_window_only_where_it_is_whole);
}
