// Prompts with images, on models of each kind: whose images are read in order, whose tokens see each other, and whose
// positions have rows and columns.
#include "engine_fixture.h"
#include "memory_estimate.h"
#include "pictures.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

using Image = std::shared_ptr<const ImageBytes>;

static LoadOptions seeing(const std::string & name, int32_t n_parallel, int32_t n_ctx = 1024) {
    LoadOptions out    = options(name, n_parallel, n_ctx);
    out.projector_path = model_path("mmproj-" + name);
    return out;
}

static Request look(int64_t seq, std::vector<ContentPart> parts, int32_t n_max_tokens = 4) {
    Request request                               = chat(seq, n_max_tokens);
    request.prompt.chat.messages[0].content       = {};
    request.prompt.chat.messages[0].content_parts = std::move(parts);
    return request;
}

static Request with_logprobs(Request request) {
    request.sampling.n_logprobs = 20;
    return request;
}

static std::vector<std::string> kinds() {
    return { "sees", "sliding", "rows" };
}

static Image noise(uint32_t seed, int32_t width = 64, int32_t height = 64) {
    std::mt19937 random(seed);
    return std::make_shared<const ImageBytes>(png(width, height, [&](int32_t, int32_t) {
        return Colour{ (uint8_t) random(), (uint8_t) random(), (uint8_t) random() };
    }));
}

static void sees_colours() {
    Recorder   recorder;
    const auto engine = start(recorder, seeing("sees", 2));
    CHECK(engine->info().sees);
    engine->submit(look(1, { "What colour is it?", picture(RED) }));
    engine->submit(look(2, { "What colour is it?", picture(GREEN, 300, 200) }));
    engine->submit(look(3, { picture(BLUE, 1, 1), "What colour is it?" }));
    engine->submit(look(4, { "What colour is it?" }));
    CHECK_EQUAL(recorder.wait(1).content, "It is red.");
    CHECK_EQUAL(recorder.wait(2).content, "It is green.");
    CHECK_EQUAL(recorder.wait(3).content, "It is blue.");
    CHECK_EQUAL(recorder.wait(4).content, "Nothing to see.");
    // 16 places for an image, counted as tokens of the prompt
    CHECK_EQUAL(recorder.wait(1).last.n_prompt, recorder.wait(4).last.n_prompt + 16);
}

// The same text with another image shares nothing behind the image's place, and the same image is not encoded again.
static void compares_images_by_their_bytes() {
    Recorder   recorder;
    const auto engine = start(recorder, seeing("sees", 1));
    const auto ask    = [&](int64_t seq, const Image & image) {
        engine->submit(look(seq, { "What colour is this picture here?", image, "Say it." }));
        return recorder.wait(seq);
    };
    const auto red = ask(1, picture(RED));
    CHECK_EQUAL(engine->stats().n_images_encoded, 1u);
    const auto again = ask(2, picture(RED));
    CHECK_EQUAL(again.content, "It is red.");
    CHECK_EQUAL(again.last.n_cached, again.last.n_prompt - 1);
    CHECK_EQUAL(engine->stats().n_images_encoded, 1u);
    const auto other = ask(3, picture(BLUE));
    CHECK_EQUAL(other.content, "It is blue.");
    CHECK_EQUAL(other.last.n_prompt, red.last.n_prompt);
    CHECK(other.last.n_cached > 0 && other.last.n_cached < other.last.n_prompt - 16);
    // the same colour in another file
    CHECK_EQUAL(ask(4, picture(BLUE, 31, 31)).last.n_cached, other.last.n_cached);
    CHECK_EQUAL(engine->stats().n_images_encoded, 3u);
}

// See engine_prefix_test: a rounding apart.
static void check_same_distribution(const std::vector<Event> & warm, const std::vector<Event> & cold,
                                    float tolerance = 0.2f) {
    CHECK(!warm.empty() && !cold.empty());
    for (size_t i = 1; i <= 5; i++) {
        const TokenLogprob & expected = cold[0].logprobs[i];
        const auto           found =
            std::find_if(warm[0].logprobs.begin() + 1, warm[0].logprobs.end(),
                         [&](const TokenLogprob & other) { return other.token_id == expected.token_id; });
        CHECK(found != warm[0].logprobs.end());
        CHECK(std::fabs(found->logprob - expected.logprob) < tolerance);
    }
}

static std::vector<ContentPart> story(uint32_t seed, const std::string & end) {
    return { "Once upon a time there was a picture of somebody whom nobody knew, and it hung in the hall:", noise(seed),
             "Beside it there was another one, which was smaller and darker and about as old:",
             noise(seed + 1, 96, 160), end };
}

static void gives_the_same_warm_and_cold() {
    for (const std::string name : { "sliding", "rows" }) {
        for (const KvLayout layout : { KvLayout::Split, KvLayout::Unified }) {
            LoadOptions load_options = seeing(name, 2);
            load_options.kv_layout   = layout;
            load_options.store_bytes = 64 << 20;

            Recorder recorder;
            for (const char * end : { "What is on them?", "Who painted the second one?" }) {
                // its first computation is cold
                Recorder   fresh;
                const auto cold = start(fresh, load_options);
                cold->submit(with_logprobs(look(1, story(1, end), 1)));
                fresh.wait(1);

                Recorder   later;
                const auto warm = start(later, load_options);
                warm->submit(look(1, story(1, "And what else?"), 40));
                later.wait_tokens(1, 1);
                warm->submit(with_logprobs(look(2, story(1, end), 1)));  // beside a running one
                const auto copied = later.wait(2);
                check_same_distribution(copied.tokens, fresh.tokens(1));
                later.wait(1);
                warm->submit(with_logprobs(look(3, story(1, end), 1)));  // from what rests
                const auto resumed = later.wait(3);
                CHECK(resumed.last.n_cached > 0);
                check_same_distribution(resumed.tokens, fresh.tokens(1));
                // another picture in the first place gives something else
                warm->submit(with_logprobs(look(4, story(40, end), 1)));
                const auto other = later.wait(4);
                CHECK(copied.last.n_cached > 100 && other.last.n_cached < 56);
                CHECK(std::fabs(other.tokens[0].logprobs[0].logprob - fresh.tokens(1)[0].logprobs[0].logprob) > 1e-4f);
            }
        }
    }
}

// The next turn of a conversation takes what was computed of the first, the answer included.
static void goes_on_with_a_conversation() {
    for (const std::string & name : kinds()) {
        Recorder   recorder;
        const auto engine = start(recorder, seeing(name, 1));
        engine->submit(
            look(1, { "Look at this:", noise(5, 128, 96), "What is it? Tell me all about it at once, please." }));
        const auto first = recorder.wait(1);

        Request next =
            look(2, { "Look at this:", noise(5, 128, 96), "What is it? Tell me all about it at once, please." });
        next.prompt.chat.messages.push_back({ "assistant", first.content });
        next.prompt.chat.messages.push_back({ "user", "And now?" });
        engine->submit(std::move(next));
        CHECK(recorder.wait(2).last.n_cached >= (name == "sees" ? 36 : 30));
        CHECK_EQUAL(engine->stats().n_images_encoded, 1u);
    }
}

static void gives_several_choices_for_one_image() {
    for (const std::string & name : kinds()) {
        Recorder   recorder;
        const auto engine  = start(recorder, seeing(name, 2));
        Request    several = look(1, { "Look:", noise(9), "And?" });
        several.forks      = { 2, 3 };
        engine->submit(std::move(several));
        const std::string first = recorder.wait(1).text;
        for (int64_t seq = 2; seq <= 3; seq++) {
            CHECK_EQUAL(recorder.wait(seq).text, first);
            CHECK_EQUAL(recorder.wait(seq).last.n_cached, recorder.wait(seq).last.n_prompt - 1);
        }
        CHECK_EQUAL(engine->stats().n_images_encoded, 1u);
    }
}

// Texts stream on while images are computed beside them.
static void streams_texts_beside_images() {
    for (const std::string name : { "sliding", "rows" }) {
        Recorder   recorder;
        const auto engine = start(recorder, seeing(name, 4));
        engine->submit(chat(1, 60, "Write on and on."));
        recorder.wait_tokens(1, 1);
        for (int64_t seq = 2; seq < 8; seq++) {
            engine->submit(look(seq, story((uint32_t) seq, "?"), 3));
        }
        CHECK_EQUAL(recorder.wait(1).n_tokens, 60);
        for (int64_t seq = 2; seq < 8; seq++) {
            CHECK_EQUAL(recorder.wait(seq).n_tokens, 3);
        }
    }
}

static void survives_random_cancels() {
    std::mt19937 random(11);
    for (const std::string & name : kinds()) {
        for (const KvLayout layout : { KvLayout::Split, KvLayout::Unified }) {
            Recorder    recorder;
            LoadOptions load_options = seeing(name, 3);
            load_options.kv_layout   = layout;
            load_options.store_bytes = 16 << 20;
            const auto engine        = start(recorder, load_options);
            for (int64_t seq = 0; seq < 40; seq++) {
                Request request = look(seq, story((uint32_t) (random() % 3), "?"), 1 + (int32_t) (random() % 8));
                if (random() % 4 == 0) {
                    request.forks = { 1000 + seq };
                }
                engine->submit(std::move(request));
                if (random() % 2 == 0) {
                    const auto target = (int64_t) (random() % (uint32_t) (seq + 1));
                    if (random() % 2 == 0) {
                        recorder.wait_accepted(target);
                    }
                    engine->cancel(target);
                    engine->cancel(1000 + target);
                }
            }
            for (int64_t seq = 0; seq < 40; seq++) {
                recorder.wait(seq);
            }
            engine->submit(look(5000, { "Look:", picture(GREEN), "And?" }));
            const auto last = recorder.wait(5000);
            CHECK(last.last.type == EventType::Done && last.n_tokens > 0);
            CHECK(name != "sees" || last.content == "It is green.");
        }
    }
}

static void closes_while_images_wait() {
    for (int round = 0; round < 5; round++) {
        Recorder   recorder;
        const auto engine = start(recorder, seeing("rows", 2));
        for (int64_t seq = 0; seq < 6; seq++) {
            engine->submit(look(seq, story((uint32_t) seq, "?"), 4));
        }
        engine->close();
        for (int64_t seq = 0; seq < 6; seq++) {
            const Event last = recorder.wait(seq).last;
            CHECK(last.type == EventType::Done || last.code == ErrorCode::ShuttingDown);
        }
    }
}

static ErrorCode refusal(Engine & engine, Recorder & recorder, Request request) {
    const int64_t seq = request.seq;
    engine.submit(std::move(request));
    const auto stream = recorder.wait(seq);
    CHECK(stream.last.type == EventType::Error && !stream.accepted);
    return stream.last.code;
}

static void refuses_what_it_cannot_do() {
    Recorder   recorder;
    const auto engine = start(recorder, seeing("sees", 1, 256));
    CHECK(refusal(*engine, recorder, look(1, { "Look:", std::make_shared<const ImageBytes>(), picture(RED) })) ==
          ErrorCode::InvalidImage);
    CHECK_EQUAL(recorder.wait(1).last.input, 0);
    const Image damaged = std::make_shared<const ImageBytes>(ImageBytes{ 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' });
    CHECK(refusal(*engine, recorder, look(2, { picture(RED), damaged, "?" })) == ErrorCode::InvalidImage);
    CHECK_EQUAL(recorder.wait(2).last.input, 1);

    Request asks           = look(3, { "Look:", picture(RED), "?" });
    asks.n_prompt_logprobs = 1;
    CHECK(refusal(*engine, recorder, std::move(asks)) == ErrorCode::TooManyPromptLogprobs);

    std::vector<ContentPart> many = { "Look:" };
    for (int i = 0; i < 20; i++) {
        many.push_back(picture(RED));
    }
    CHECK(refusal(*engine, recorder, look(4, std::move(many))) == ErrorCode::ContextLengthExceeded);

    Recorder   blind_recorder;
    const auto blind = start(blind_recorder, options("sees", 1));
    CHECK(!blind->info().sees);
    CHECK(refusal(*blind, blind_recorder, look(1, { "Look:", picture(RED) })) == ErrorCode::NoVision);
}

// A text that looks like what stands for an image is a text.
static void takes_markers_in_texts_as_texts() {
    Recorder   recorder;
    const auto engine = start(recorder, seeing("sees", 1));
    engine->submit(look(1, { "<__media__> <image> <image-0>", picture(BLUE), "?" }));
    CHECK_EQUAL(recorder.wait(1).content, "It is blue.");
    engine->submit(look(2, { "<__media__> <image> <image-0>" }));
    CHECK_EQUAL(recorder.wait(2).content, "Nothing to see.");

    const auto     model    = Model::load(seeing("sees", 1), [](float) { return true; });
    const auto     prompt   = look(1, { "See:", picture(RED), "?" }).prompt;
    RenderedPrompt rendered = model->render(prompt.chat);
    CHECK(rendered.text.find("See:<image>?") != std::string::npos ||
          rendered.text.find("See:\n<image>") != std::string::npos);
    CHECK_EQUAL(rendered.n_tokens, model->prepare(prompt).tokens.size());
}

static LoadError load_error(const LoadOptions & load_options) {
    try {
        Model::load(load_options, [](float) { return true; });
    } catch (const LoadError & error) {
        const bool names_it = std::string(error.what()).find("image part of this model (") != std::string::npos;
        CHECK(names_it || error.code == LoadErrorCode::OutOfMemory);
        return error;
    }
    std::cerr << load_options.projector_path << " loads\n";
    std::exit(1);
}

// mtmd does not free what it has loaded by then; the engine's process ends after a failed load.
static LoadErrorCode mismatch() {
#ifdef __SANITIZE_ADDRESS__
    const __lsan::ScopedDisabler disabler;
#endif
    LoadOptions load_options    = options("slow", 1);
    load_options.projector_path = model_path("mmproj-sees");
    return load_error(load_options).code;
}

static void names_each_way_an_image_part_fails() {
    const auto code = [](const std::string & name, const std::string & projector) {
        LoadOptions load_options    = options(name, 1);
        load_options.projector_path = model_path(projector);
        return load_error(load_options).code;
    };
    CHECK(code("random", "missing") == LoadErrorCode::FileUnreadable);
    CHECK(code("random", "not-a-model") == LoadErrorCode::NotAGguf);
    CHECK(code("random", "sees") == LoadErrorCode::NotAProjector);
    CHECK(mismatch() == LoadErrorCode::ProjectorMismatch);

    const std::string cut =
        std::filesystem::temp_directory_path() / ("mmproj-cut-" + std::to_string(std::random_device()()));
    std::filesystem::copy_file(model_path("mmproj-sees"), cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, std::filesystem::file_size(cut) / 2);
    LoadOptions load_options    = options("sees", 1);
    load_options.projector_path = cut;
    CHECK(load_error(load_options).code == LoadErrorCode::Truncated);
    std::filesystem::remove(cut);
}

static void counts_the_image_part_in_the_estimate() {
    LoadOptions load_options      = options("rows", 1);
    load_options.memory_bytes     = 1 << 30;
    const uint64_t blind          = estimate_memory(load_options).fit.use[0].total();
    load_options.projector_path   = model_path("mmproj-rows");
    const MemoryEstimate estimate = estimate_memory(load_options);
    CHECK(estimate.fit.use[0].total() > blind + (1 << 20));

    Recorder   recorder;
    const auto engine = start(recorder, load_options);
    CHECK_EQUAL(engine->info().memory[0].total(), estimate.fit.use[0].total());

    load_options.memory_bytes = blind + 1000;
    load_options.n_ctx        = 512;
    CHECK(load_error(load_options).code == LoadErrorCode::OutOfMemory);
}

int main() {
    RUN(sees_colours);
    RUN(compares_images_by_their_bytes);
    RUN(gives_the_same_warm_and_cold);
    RUN(goes_on_with_a_conversation);
    RUN(gives_several_choices_for_one_image);
    RUN(streams_texts_beside_images);
    RUN(survives_random_cancels);
    RUN(closes_while_images_wait);
    RUN(refuses_what_it_cannot_do);
    RUN(takes_markers_in_texts_as_texts);
    RUN(names_each_way_an_image_part_fails);
    RUN(counts_the_image_part_in_the_estimate);
}
