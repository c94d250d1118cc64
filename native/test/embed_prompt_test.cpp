// What goes through an embedding or rerank model, and which models are some.

#include "embed_prompt.h"

#include "embed_fixture.h"

#include <algorithm>

static void knows_what_a_model_is_for() {
    const auto kind = [](const std::string & name) { return load(options(name, 1))->info(); };

    const ModelInfo embed_info = kind("embed");
    CHECK(embed_info.kind == ModelKind::Embedding && embed_info.pooling == LLAMA_POOLING_TYPE_MEAN);
    CHECK_EQUAL(embed_info.n_embd_out, 64);
    CHECK(kind("embed-cls").pooling == LLAMA_POOLING_TYPE_CLS);
    CHECK(kind("embed-last").kind == ModelKind::Embedding);
    CHECK(kind("embed-last").pooling == LLAMA_POOLING_TYPE_LAST);
    CHECK(kind("embed-unpooled").kind == ModelKind::Embedding);
    CHECK(kind("embed-unpooled").pooling == LLAMA_POOLING_TYPE_MEAN);
    CHECK(kind("rerank").kind == ModelKind::Rerank);
    CHECK_EQUAL(kind("rerank").n_embd_out, 0);
    CHECK(kind("random").kind == ModelKind::Generative);
    CHECK(kind("random").pooling == LLAMA_POOLING_TYPE_NONE);
}

static void puts_query_and_document_together() {
    const auto render = [](const std::string & name, const EmbedRequest & request, int32_t n_ctx) {
        const auto model = load(options(name, 1));

        const auto prompts = EmbedPrompt(*model, n_ctx).prepare(request);
        CHECK_EQUAL(prompts.size(), (size_t) 1);
        CHECK(prompts[0].size() <= (size_t) n_ctx);
        std::string text;
        for (const llama_token token : prompts[0]) {
            text += model->tokenizer().piece(token) + "|";
        }
        return text;
    };
    CHECK_EQUAL(render("rerank", rerank(1, "the light", { "lit it" }), 512),
                std::string("[CLS]| the| light|[SEP]| lit| it|[SEP]|"));
    // the names of the placeholders in the texts are text
    const auto n_tokens = [](const std::string & text) { return std::count(text.begin(), text.end(), '|'); };
    CHECK_EQUAL(n_tokens(render("rerank-template", rerank(1, "{document}", { "the stairs" }), 512)),
                n_tokens(render("rerank-template", rerank(1, "{document{", { "the stairs" }), 512)));
    const std::string templated = render("rerank-template", rerank(1, "the light", { "lit it" }), 512);
    CHECK(templated.find("[CLS]|") == 0 && templated.find("[SEP]|") != std::string::npos);
    CHECK(templated.find(" the| light|[SEP]|") != std::string::npos);

    EmbedRequest cut = rerank(1, "the light", { words(1, 50) });
    cut.truncate     = true;
    for (const std::string name : { "rerank", "rerank-template" }) {
        const std::string text = render(name, cut, 40);
        CHECK(text.find(" the| light|[SEP]|") != std::string::npos);
        CHECK(text.substr(text.size() - 6) == "[SEP]|");
    }
    cut.query = words(1, 60);
    try {
        render("rerank", cut, 40);
        CHECK(false);
    } catch (const RequestError & error) {
        CHECK(error.code == ErrorCode::ContextLengthExceeded);
    }
}

// It would be tokenized for seconds while everyone waits.
static void gives_up_what_is_far_too_long_at_once() {
    const auto        model = load(options("embed", 1));
    const EmbedPrompt prompt(*model, 512);
    EmbedRequest      request = embed(1, { std::string(50'000'000, 'x') });
    try {
        prompt.prepare(request);
        CHECK(false);
    } catch (const RequestError & error) {
        CHECK(error.code == ErrorCode::ContextLengthExceeded);
        CHECK(std::string(error.what()).find("50000000 bytes") != std::string::npos);
    }
    request.truncate = true;
    CHECK_EQUAL(prompt.prepare(request)[0].size(), (size_t) 512);

    // spaces are dropped by this tokenizer
    CHECK_EQUAL(prompt.prepare(embed(2, { std::string(1'000'000, ' ') + "wind" }))[0].size(), (size_t) 3);
}

static void cuts_documents_of_unknown_characters() {
    std::string unknown;
    for (int i = 0; i < 2000; i++) {
        unknown += "\xE6\xBC\xA2\xF0\x9F\x98\x80";
    }
    for (const std::string name : { "rerank", "rerank-template" }) {
        const auto   model   = load(options(name, 1));
        EmbedRequest request = rerank(1, "the light", { unknown });
        request.truncate     = true;
        CHECK_EQUAL(EmbedPrompt(*model, 512).prepare(request)[0].size(), (size_t) 512);
    }
}

int main() {
    RUN(knows_what_a_model_is_for);
    RUN(puts_query_and_document_together);
    RUN(gives_up_what_is_far_too_long_at_once);
    RUN(cuts_documents_of_unknown_characters);
    return 0;
}
