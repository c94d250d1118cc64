/**
 * A request as code that sends it again. It never has a key: that is read from the environment. What the shell gets is
 * for any POSIX shell. Pure.
 */
import type { Snippet } from '../../protocol/inspector.js';
import { depthOf, JAVASCRIPT_WORDS, JSON_WORDS, literal, PYTHON_WORDS } from './literals.js';
import { type SdkMethod, type SdkRequest, sdkMethodOf } from './sdk-methods.js';

export interface SnippetRequest extends SdkRequest {
  /** Of the server, such as "http://127.0.0.1:7411". */
  url: string;
}

export function snippetsOf(request: SnippetRequest): Snippet[] {
  const method = depthOf(request.body) > PYTHON_DEPTH ? null : sdkMethodOf(request);
  const plain: Snippet[] = [
    { language: 'shell', client: 'curl', code: curl(request) },
    { language: 'python', client: 'urllib', code: urllib(request) },
    { language: 'javascript', client: 'fetch', code: fetched(request) },
  ];
  if (method === null) return plain;
  return [
    ...plain,
    { language: 'python', client: 'openai', code: openaiPython(request, method) },
    { language: 'javascript', client: 'openai', code: openaiJavascript(request, method) },
  ];
}

/**
 * The body goes in by a here-document whose end is quoted: nothing in it means anything to the shell, and it may be
 * longer than an argument. No line of it is the end: each begins with a brace, a blank or a quote.
 */
function curl({ url, route, body }: SnippetRequest): string {
  return `curl -N '${url}${route}' \\
  -H 'content-type: application/json' \\
  -H "authorization: Bearer $PILOTLIGHT_API_KEY" \\
  --data-binary @- <<'END_OF_BODY'
${literal(body, JSON_WORDS)}
END_OF_BODY
`;
}

function urllib({ url, route, body }: SnippetRequest): string {
  return `import json
import os
import urllib.request

body = ${pythonLiteral(body)}
request = urllib.request.Request(
  "${url}${route}",
  data=json.dumps(body).encode(),
  headers={
    "content-type": "application/json",
    "authorization": "Bearer " + os.environ.get("PILOTLIGHT_API_KEY", ""),
  },
)
with urllib.request.urlopen(request) as response:
  for line in response:
    print(line.decode(), end="", flush=True)
`;
}

/** Brackets that Python takes within each other, with some room: it refuses a text with more than 200. */
const PYTHON_DEPTH = 100;

function pythonLiteral(body: unknown): string {
  if (depthOf(body) <= PYTHON_DEPTH) return literal(body, PYTHON_WORDS);
  return `json.loads(${JSON.stringify(JSON.stringify(body))})`;
}

function fetched({ url, route, body }: SnippetRequest): string {
  return `const body = ${literal(body, JAVASCRIPT_WORDS)};
const response = await fetch('${url}${route}', {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    authorization: \`Bearer \${process.env.PILOTLIGHT_API_KEY ?? ''}\`,
  },
  body: JSON.stringify(body),
});
for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
  process.stdout.write(text);
}
`;
}

function openaiPython(
  { url }: SnippetRequest,
  { path, named, others, isStream }: SdkMethod,
): string {
  const parameters = Object.entries(named).map(
    ([name, value]) => `  ${name}=${literal(value, PYTHON_WORDS, '  ')},`,
  );
  if (Object.keys(others).length > 0) {
    parameters.push(`  extra_body=${literal(others, PYTHON_WORDS, '  ')},`);
  }
  return `import os

from openai import OpenAI

client = OpenAI(
  base_url="${url}/v1",
  api_key=os.environ.get("PILOTLIGHT_API_KEY", "none"),
)
answer = client.${path}.create(
${parameters.join('\n')}
)
${
  isStream
    ? 'for event in answer:\n  print(event.model_dump_json(), flush=True)'
    : 'print(answer.model_dump_json(indent=2))'
}
`;
}

function openaiJavascript(
  { url }: SnippetRequest,
  { path, named, others, isStream }: SdkMethod,
): string {
  const body = literal({ ...named, ...others }, JAVASCRIPT_WORDS);
  return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${url}/v1',
  apiKey: process.env.PILOTLIGHT_API_KEY ?? 'none',
});
const answer = await client.${path}.create(${body});
${
  isStream
    ? 'for await (const event of answer) console.log(JSON.stringify(event));'
    : 'console.log(JSON.stringify(answer, null, 2));'
}
`;
}
