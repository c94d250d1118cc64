// Every chat template that comes with the llama.cpp sources, with the conversations that people send: rendered, or
// refused with a reason. None may crash, and an answer that does not look as the template expects is content.
#include "chat_template.h"
#include "engine_fixture.h"

#include <filesystem>
#include <fstream>
#include <sstream>

static std::unique_ptr<Model> load_model() {
    return Model::load(options("random", 1), [](float) { return true; });
}

static std::string read(const std::filesystem::path & path) {
    std::ifstream      file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

static std::vector<ChatInput> conversations() {
    const ChatMessage system    = { "system", "Be brief.", "" };
    const ChatMessage user      = { "user", "Hello \xE6\xBC\xA2 <b>", "" };
    const ChatMessage assistant = { "assistant", "Hi.", "" };
    const ChatMessage reasoned  = { "assistant", "Hi.", "They greet me." };
    const ChatMessage begun     = { "assistant", "Dear", "" };
    return {
        { { user }, true, false },
        { { user }, false, false },
        { { system, user }, true, false },
        { { system, user, assistant, user }, true, false },
        { { user, reasoned, user }, true, false },
        { { user, begun }, true, true },
        { { user, begun }, false, true },
        { { { "user", "", "" } }, true, false },
    };
}

// Streams an answer through the parser in small pieces; gives what came out.
static ChatParser::Delta parse(ChatParser & parser, const std::string & answer) {
    ChatParser::Delta all;
    const auto        take = [&](const ChatParser::Delta & delta) {
        all.content += delta.content;
        all.reasoning += delta.reasoning;
    };
    for (size_t i = 0; i < answer.size(); i += 3) {
        take(parser.push(std::string_view(answer).substr(i, 3), false));
    }
    take(parser.push("", true));
    return all;
}

static void renders_or_refuses_every_template() {
    const auto model      = load_model();
    int        n_rendered = 0;
    int        n_refused  = 0;
    int        n_files    = 0;
    for (const auto & entry : std::filesystem::directory_iterator(TEMPLATES_DIR)) {
        if (entry.path().extension() != ".jinja") {
            continue;
        }
        n_files++;
        const ChatTemplate chat_template(model->get(), read(entry.path()));
        for (const ChatInput & conversation : conversations()) {
            try {
                RenderedChat rendered = chat_template.render(conversation);
                CHECK(!rendered.prompt.empty());
                n_rendered++;
            } catch (const RequestError & refusal) {
                CHECK(refusal.code == ErrorCode::TemplateFailed);
                n_refused++;
                std::printf("   %s refuses: %.120s\n", entry.path().filename().c_str(), refusal.what());
            }
        }
    }
    std::printf("   %d templates: %d conversations rendered, %d refused\n", n_files, n_rendered, n_refused);
    CHECK(n_files > 20);
    CHECK(n_rendered > n_refused * 4);
}

static void keeps_what_a_plain_answer_says() {
    const auto model = load_model();
    for (const auto & entry : std::filesystem::directory_iterator(TEMPLATES_DIR)) {
        if (entry.path().extension() != ".jinja") {
            continue;
        }
        const ChatTemplate chat_template(model->get(), read(entry.path()));
        try {
            // what no model should write: any result, but a result
            for (const char * answer : { "<think>a</think>b", "</think>", "<|channel|>x", "{\"a\":" }) {
                RenderedChat rendered = chat_template.render({ { { "user", "Hello", "" } }, true, false });
                if (rendered.parser) {
                    parse(*rendered.parser, answer);
                }
            }
            RenderedChat rendered = chat_template.render({ { { "user", "Hello", "" } }, false, false });
            if (rendered.parser) {
                const ChatParser::Delta delta = parse(*rendered.parser, "Fine, thank you.");
                // some hand out the end of the prompt as well, such as a line feed after their tag
                const std::string text = delta.reasoning + delta.content;
                const std::string said = "Fine, thank you.";
                CHECK(text.size() >= said.size());
                CHECK_EQUAL(text.substr(text.size() - said.size()), said);
            }
        } catch (const RequestError &) {
            // told by the other test
        }
    }
}

int main() {
    RUN(renders_or_refuses_every_template);
    RUN(keeps_what_a_plain_answer_says);
}
