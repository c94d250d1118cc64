/** How each client is told of this server, as code that works as it is. Pure. */

export interface SnippetTarget {
  /** Of the server, such as "http://127.0.0.1:7411". */
  url: string;
  /** Id of the model that is asked. */
  model: string;
  /** What stands for the key: one that was just made, a placeholder, or any text where none is needed. */
  key: string;
}

export interface ClientSnippet {
  id: string;
  /** A name that is the same in every language. */
  name: string;
  /** As highlight.js calls it. */
  language: 'bash' | 'python' | 'javascript' | 'yaml';
  /** The command that installs what it needs; null: nothing is needed. */
  install: string | null;
  code: (target: SnippetTarget) => string;
}

const QUESTION = 'Say hello in one short sentence.';

/** A literal of JavaScript in single quotes. */
const js = (text: string) =>
  `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r')}'`;
/** A literal of Python, and of YAML. */
const quoted = (text: string) => JSON.stringify(text);
/** One word of a shell. */
const shell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export const CLIENTS: readonly ClientSnippet[] = [
  {
    ...{ id: 'curl', name: 'curl', language: 'bash', install: null },
    code: ({ url, model, key }) => `curl -N ${shell(`${url}/v1/chat/completions`)} \\
  -H 'content-type: application/json' \\
  -H ${shell(`authorization: Bearer ${key}`)} \\
  -d ${shell(
    JSON.stringify(
      { model, messages: [{ role: 'user', content: QUESTION }], stream: true },
      null,
      2,
    ),
  )}
`,
  },
  {
    ...{ id: 'openai-python', name: 'OpenAI (Python)', language: 'python' },
    install: 'pip install openai',
    code: ({ url, model, key }) => `from openai import OpenAI

client = OpenAI(base_url=${quoted(`${url}/v1`)}, api_key=${quoted(key)})
stream = client.chat.completions.create(
    model=${quoted(model)},
    messages=[{"role": "user", "content": ${quoted(QUESTION)}}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)
print()
`,
  },
  {
    ...{ id: 'openai-js', name: 'OpenAI (JavaScript)', language: 'javascript' },
    install: 'npm install openai',
    code: ({ url, model, key }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${js(`${url}/v1`)}, apiKey: ${js(key)} });
const stream = await client.chat.completions.create({
  model: ${js(model)},
  messages: [{ role: 'user', content: ${js(QUESTION)} }],
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
console.log();
`,
  },
  {
    ...{ id: 'openai-responses', name: 'OpenAI Responses (JavaScript)', language: 'javascript' },
    install: 'npm install openai',
    code: ({ url, model, key }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${js(`${url}/v1`)}, apiKey: ${js(key)} });
const response = await client.responses.create({
  model: ${js(model)},
  input: ${js(QUESTION)},
});
console.log(response.output_text);
`,
  },
  {
    ...{ id: 'langchain-python', name: 'LangChain (Python)', language: 'python' },
    install: 'pip install langchain-openai',
    code: ({ url, model, key }) => `from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    model=${quoted(model)},
    base_url=${quoted(`${url}/v1`)},
    api_key=${quoted(key)},
)
for chunk in model.stream(${quoted(QUESTION)}):
    print(chunk.content, end="", flush=True)
print()
`,
  },
  {
    ...{ id: 'langchain-js', name: 'LangChain (JavaScript)', language: 'javascript' },
    install: 'npm install @langchain/openai @langchain/core',
    code: ({ url, model, key }) => `import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({
  model: ${js(model)},
  apiKey: ${js(key)},
  configuration: { baseURL: ${js(`${url}/v1`)} },
});
for await (const chunk of await model.stream(${js(QUESTION)})) process.stdout.write(chunk.text);
console.log();
`,
  },
  {
    ...{ id: 'crewai', name: 'CrewAI', language: 'python', install: 'pip install crewai' },
    code: ({ url, model, key }) => `from crewai import Agent, Crew, LLM, Task

llm = LLM(
    model=${quoted(model)},
    provider="openai",
    base_url=${quoted(`${url}/v1`)},
    api_key=${quoted(key)},
)
agent = Agent(role="Writer", goal="Write briefly", backstory="You like short sentences.", llm=llm)
task = Task(description=${quoted(QUESTION)}, expected_output="One sentence.", agent=agent)
print(Crew(agents=[agent], tasks=[task]).kickoff())
`,
  },
  {
    ...{ id: 'autogen', name: 'AutoGen', language: 'python' },
    install: `pip install autogen-agentchat 'autogen-ext[openai]'`,
    code: ({ url, model, key }) => `import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient


async def main() -> None:
    client = OpenAIChatCompletionClient(
        model=${quoted(model)},
        base_url=${quoted(`${url}/v1`)},
        api_key=${quoted(key)},
        model_info={
            "vision": False,
            "function_calling": True,
            "json_output": True,
            "structured_output": True,
            "family": "unknown",
        },
    )
    agent = AssistantAgent("assistant", model_client=client)
    print(await agent.run(task=${quoted(QUESTION)}))
    await client.close()


asyncio.run(main())
`,
  },
  {
    ...{ id: 'ai-sdk', name: 'Vercel AI SDK', language: 'javascript' },
    install: 'npm install ai @ai-sdk/openai-compatible',
    code: ({
      url,
      model,
      key,
    }) => `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';

const pilotlight = createOpenAICompatible({
  name: 'pilotlight',
  baseURL: ${js(`${url}/v1`)},
  apiKey: ${js(key)},
  includeUsage: true,
});
const result = streamText({ model: pilotlight(${js(model)}), prompt: ${js(QUESTION)} });
for await (const text of result.textStream) process.stdout.write(text);
console.log();
`,
  },
  {
    ...{ id: 'openai-agents', name: 'OpenAI Agents SDK', language: 'javascript' },
    install: 'npm install @openai/agents zod',
    code: ({ url, model, key }) => `import { Agent, OpenAIProvider, Runner } from '@openai/agents';

const runner = new Runner({
  modelProvider: new OpenAIProvider({ apiKey: ${js(key)}, baseURL: ${js(`${url}/v1`)} }),
  tracingDisabled: true,
});
const agent = new Agent({
  name: 'Greeter',
  instructions: 'Answer in one short sentence.',
  model: ${js(model)},
});
const result = await runner.run(agent, ${js(QUESTION)});
console.log(result.finalOutput);
`,
  },
  {
    ...{ id: 'anthropic-python', name: 'Anthropic (Python)', language: 'python' },
    install: 'pip install anthropic',
    code: ({ url, model, key }) => `from anthropic import Anthropic

client = Anthropic(base_url=${quoted(url)}, api_key=${quoted(key)})
with client.messages.stream(
    model=${quoted(model)},
    max_tokens=500,
    messages=[{"role": "user", "content": ${quoted(QUESTION)}}],
) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)
print()
`,
  },
  {
    ...{ id: 'anthropic-js', name: 'Anthropic (JavaScript)', language: 'javascript' },
    install: 'npm install @anthropic-ai/sdk',
    code: ({ url, model, key }) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: ${js(url)}, apiKey: ${js(key)} });
const stream = client.messages.stream({
  model: ${js(model)},
  max_tokens: 500,
  messages: [{ role: 'user', content: ${js(QUESTION)} }],
});
stream.on('text', (text) => process.stdout.write(text));
await stream.finalMessage();
console.log();
`,
  },
  {
    ...{ id: 'ollama-python', name: 'Ollama (Python)', language: 'python' },
    install: 'pip install ollama',
    code: ({ url, model, key }) => `from ollama import Client

client = Client(host=${quoted(url)}, headers={"Authorization": ${quoted(`Bearer ${key}`)}})
for part in client.chat(
    model=${quoted(model)},
    messages=[{"role": "user", "content": ${quoted(QUESTION)}}],
    stream=True,
):
    print(part.message.content, end="", flush=True)
print()
`,
  },
  {
    ...{ id: 'ollama-js', name: 'Ollama (JavaScript)', language: 'javascript' },
    install: 'npm install ollama',
    code: ({ url, model, key }) => `import { Ollama } from 'ollama';

const ollama = new Ollama({
  host: ${js(url)},
  headers: { Authorization: ${js(`Bearer ${key}`)} },
});
const stream = await ollama.chat({
  model: ${js(model)},
  messages: [{ role: 'user', content: ${js(QUESTION)} }],
  stream: true,
});
for await (const part of stream) process.stdout.write(part.message.content);
console.log();
`,
  },
  {
    ...{ id: 'continue', name: 'Continue', language: 'yaml', install: null },
    code: ({ url, model, key }) => `# ~/.continue/config.yaml
name: Local
version: 0.0.1
schema: v1
models:
  - name: Pilotlight
    provider: openai
    model: ${quoted(model)}
    apiBase: ${quoted(`${url}/v1`)}
    apiKey: ${quoted(key)}
    roles: [chat, edit, apply]
`,
  },
  {
    ...{ id: 'cline', name: 'Cline', language: 'yaml', install: null },
    code: ({ url, model, key }) => `API Provider: OpenAI Compatible
Base URL: ${quoted(`${url}/v1`)}
API Key: ${quoted(key)}
Model ID: ${quoted(model)}
`,
  },
  {
    ...{ id: 'aider', name: 'Aider', language: 'bash', install: null },
    code: ({ url, model, key }) => `export OPENAI_API_BASE=${shell(`${url}/v1`)}
export OPENAI_API_KEY=${shell(key)}
aider --model ${shell(`openai/${model}`)}
`,
  },
  {
    ...{
      id: 'open-webui',
      name: 'Open WebUI',
      language: 'bash',
      install: 'pip install open-webui',
    },
    code: ({ url, key }) => `export OPENAI_API_BASE_URL=${shell(`${url}/v1`)}
export OPENAI_API_KEY=${shell(key)}
open-webui serve
`,
  },
];
