// Text to tokens and back, and the template, over real (small) models.

#include "tokenizer.h"

#include "embed_fixture.h"

static void tokenizes_and_back() {
    const auto               model     = load(options("random", 1));
    const Tokenizer &        tokenizer = model->tokenizer();
    const std::string        text      = "Hello, w\xC3\xB6rld \xF0\x9F\x98\x80\n";
    std::vector<llama_token> tokens    = tokenizer.tokenize(text, false, false);
    CHECK_EQUAL(tokenizer.detokenize(tokens), text);
    std::string pieces;
    for (const llama_token token : tokens) {
        pieces += tokenizer.piece(token);
    }
    CHECK_EQUAL(pieces, text);
    CHECK_EQUAL(tokenizer.detokenize({}), std::string());

    const std::string mark = "<|im_start|>";
    CHECK_EQUAL(tokenizer.tokenize(mark, false, true).size(), (size_t) 1);
    CHECK(tokenizer.tokenize(mark, false, false).size() > 1);
    CHECK_EQUAL(tokenizer.detokenize(tokenizer.tokenize(mark, false, true)), mark);

    for (const llama_token token : { -1, model->info().n_vocab }) {
        try {
            tokenizer.detokenize({ token });
            CHECK(false);
        } catch (const RequestError & error) {
            CHECK(error.code == ErrorCode::InvalidPrompt);
        }
    }

    const auto embed_model = load(options("embed", 1));
    CHECK_EQUAL(embed_model->tokenizer().tokenize("lit the lamp", true, true).size(), (size_t) 5);
    CHECK_EQUAL(embed_model->tokenizer().tokenize("lit the lamp", false, true).size(), (size_t) 3);
    CHECK_EQUAL(embed_model->tokenizer().detokenize(embed_model->tokenizer().tokenize("lit it", false, true)),
                std::string("lit it"));
}

static void renders_chats() {
    ChatInput input;
    input.messages           = { { "user", "Hi", "" } };
    const std::string prompt = load(options("random", 1))->render(input).text;
    CHECK(prompt.find("Hi") != std::string::npos && prompt.find("<|im_start|>") != std::string::npos);
    // a file without a template renders as ChatML, also one that does not chat
    CHECK(load(options("embed", 1))->render(input).text.find("Hi") != std::string::npos);
}

int main() {
    RUN(tokenizes_and_back);
    RUN(renders_chats);
    return 0;
}
