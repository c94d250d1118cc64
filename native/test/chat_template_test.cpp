// Every chat template that comes with the llama.cpp sources, with the conversations that people send: rendered, or
// refused with a reason. None may crash, and an answer that does not look as the template expects is content.
#include "chat_template.h"
#include "engine_fixture.h"
#include "template_files.h"

static std::unique_ptr<Model> load_model() {
    return Model::load(options("random", 1), [](float) { return true; });
}

static const Tool WEATHER = { "get_weather", "Tells the weather.",
                              R"({"type":"object","properties":{"city":{"type":"string","description":"Where"},)"
                              R"("days":{"type":"integer"}},"required":["city"]})" };
static const Tool CLOCK   = { "clock", "Tells the time.", "{}" };

static std::vector<ChatInput> plain_conversations() {
    const ChatMessage system    = { "system", "Be brief." };
    const ChatMessage user      = { "user", "Hello \xE6\xBC\xA2 <b>" };
    const ChatMessage assistant = { "assistant", "Hi." };
    const ChatMessage reasoned  = { "assistant", "Hi.", "They greet me." };
    const ChatMessage begun     = { "assistant", "Dear" };
    const ChatMessage developer = { "developer", "Be brief." };
    ChatMessage       parts     = { "user", "" };
    parts.content_parts         = { "Hello", "World" };
    ChatInput kwargs            = { { user } };
    kwargs.template_kwargs      = { { "reasoning_effort", "\"low\"" }, { "unknown", "[1,{\"a\":null}]" } };
    return {
        { { user }, true, false },
        { { user }, false, false },
        { { system, user }, true, false },
        { { system, user, assistant, user }, true, false },
        { { user, reasoned, user }, true, false },
        { { user, begun }, true, true },
        { { user, begun }, false, true },
        { { { "user", "" } }, true, false },
        { { developer, user } },
        { { parts } },
        { { system, parts } },
        kwargs,
    };
}

// A turn with a call and its result, then what the caller may want of the next one.
static std::vector<ChatInput> tool_conversations() {
    const ChatMessage system = { "system", "Be brief." };
    const ChatMessage user   = { "user", "How is the weather in Rome?" };
    ChatMessage       caller = { "assistant", "" };
    caller.tool_calls        = { { "aB3dE6gH9", "get_weather", R"({"city":"Rome"})" } };
    ChatMessage two          = { "assistant", "Let me see.", "Rome it is." };
    two.tool_calls           = { { "aB3dE6gH9", "get_weather", R"({"city":"Rome"})" }, { "cB3dE6gH9", "clock", "{}" } };
    ChatMessage result       = { "tool", R"({"degrees": 20})" };
    result.tool_call_id      = "aB3dE6gH9";
    result.tool_name         = "get_weather";
    ChatMessage time         = { "tool", "noon" };
    time.tool_call_id        = "cB3dE6gH9";
    time.tool_name           = "clock";

    std::vector<ChatInput> out;
    for (const auto & messages : std::vector<std::vector<ChatMessage>>{
             { user }, { system, user }, { user, caller, result }, { system, user, two, result, time, user } }) {
        for (const ToolChoice choice : { ToolChoice::Auto, ToolChoice::None, ToolChoice::Required }) {
            ChatInput input;
            input.messages            = messages;
            input.tools               = { WEATHER, CLOCK };
            input.tool_choice         = choice;
            input.parallel_tool_calls = choice != ToolChoice::Auto;
            out.push_back(input);
        }
    }
    out.back().required_tool = "clock";
    return out;
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

// Counts of conversations that were rendered and refused.
struct Rendered {
    int n_rendered = 0;
    int n_refused  = 0;
};

static Rendered render_all(const std::vector<ChatInput> & conversations) {
    const auto model = load_model();
    Rendered   out;
    for (const auto & path : template_files()) {
        const ChatTemplate chat_template(model->get(), read_file(path));
        std::string        told;
        for (const ChatInput & conversation : conversations) {
            try {
                const RenderedChat rendered = chat_template.render(conversation);
                CHECK(!rendered.prompt.empty());
                if (!rendered.grammar.gbnf.empty()) {
                    const TokenGrammar grammar(llama_model_get_vocab(model->get()), rendered.grammar, {});
                    CHECK(rendered.grammar.is_lazy == (conversation.tool_choice == ToolChoice::Auto));
                }
                out.n_rendered++;
            } catch (const RequestError & refusal) {
                out.n_refused++;
                if (told != refusal.what()) {
                    told = refusal.what();
                    std::printf("   %s refuses: %.160s\n", path.filename().c_str(), refusal.what());
                }
                const bool is_of_tools =
                    refusal.code == ErrorCode::InvalidTool || refusal.code == ErrorCode::InvalidToolChoice;
                CHECK(refusal.code == ErrorCode::TemplateFailed ||
                      (is_of_tools && conversation.tool_choice != ToolChoice::None));
            }
        }
    }
    std::printf("   %zu templates: %d conversations rendered, %d refused\n", template_files().size(), out.n_rendered,
                out.n_refused);
    CHECK(template_files().size() > 20);
    return out;
}

static void renders_or_refuses_every_template() {
    const Rendered rendered = render_all(plain_conversations());
    CHECK(rendered.n_rendered > rendered.n_refused * 8);
}

static void renders_or_refuses_tools_in_every_template() {
    const Rendered rendered = render_all(tool_conversations());
    CHECK(rendered.n_rendered > rendered.n_refused * 4);
}

static void keeps_what_a_plain_answer_says() {
    const auto model = load_model();
    for (const auto & path : template_files()) {
        const ChatTemplate chat_template(model->get(), read_file(path));
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
    RUN(renders_or_refuses_tools_in_every_template);
    RUN(keeps_what_a_plain_answer_says);
}
