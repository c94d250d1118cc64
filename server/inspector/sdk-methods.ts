/** Which of OpenAI's official clients' methods sends a request, and by which names. Pure. */

export interface SdkRequest {
  /** Such as "/v1/chat/completions". */
  route: string;
  /** What JSON.parse gives. */
  body: unknown;
  /** The model that answered, for clients that must name one; null: none did. */
  model: string | null;
}

export interface SdkMethod {
  /** Such as "chat.completions". */
  path: string;
  /** What the method knows by name, in the order of the request. */
  named: Record<string, unknown>;
  /** What goes into the body beside it. */
  others: Record<string, unknown>;
  isStream: boolean;
}

interface MethodParameters {
  path: string;
  /** Without them there is no call. */
  needed: readonly string[];
  /** Python refuses names that its method does not know; these every version since 1.0 does. */
  known: readonly string[];
}

const SAMPLING = ['temperature', 'top_p', 'stream'];
const PENALTIES = ['presence_penalty', 'frequency_penalty', 'logit_bias', 'stop', 'n', 'seed'];

const METHODS: Readonly<Record<string, MethodParameters>> = {
  '/v1/chat/completions': {
    path: 'chat.completions',
    needed: ['messages'],
    known: [
      ...SAMPLING,
      ...PENALTIES,
      ...['max_tokens', 'logprobs', 'top_logprobs', 'response_format', 'tools', 'tool_choice'],
    ],
  },
  '/v1/completions': {
    path: 'completions',
    needed: ['prompt'],
    known: [...SAMPLING, ...PENALTIES, 'max_tokens', 'logprobs', 'echo', 'suffix'],
  },
  '/v1/responses': {
    path: 'responses',
    needed: ['input'],
    known: [
      ...SAMPLING,
      ...['instructions', 'max_output_tokens', 'tools', 'tool_choice', 'parallel_tool_calls'],
      ...['text', 'reasoning', 'store', 'metadata', 'previous_response_id', 'include'],
    ],
  },
  '/v1/embeddings': {
    path: 'embeddings',
    needed: ['input'],
    known: ['encoding_format', 'dimensions'],
  },
};

/** Null: the route is not OpenAI's, or the request lacks what the method must have. */
export function sdkMethodOf({ route, body, model }: SdkRequest): SdkMethod | null {
  const method = METHODS[route];
  if (!method || typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const values = body as Record<string, unknown>;
  const wanted = values.model ?? model;
  if (wanted === null || method.needed.some((name) => values[name] == null)) return null;
  const names = new Set(['model', ...method.needed, ...method.known]);
  const named: [string, unknown][] = [['model', wanted]];
  const others: [string, unknown][] = [];
  for (const [name, value] of Object.entries(values)) {
    if (name !== 'model') (names.has(name) ? named : others).push([name, value]);
  }
  // The clients ask for base64 where nothing is said, and decode it.
  const isBare = route === '/v1/embeddings' && values.encoding_format == null;
  if (isBare) named.push(['encoding_format', 'float']);
  return {
    path: method.path,
    named: Object.fromEntries(named),
    others: Object.fromEntries(others),
    isStream: values.stream === true,
  };
}
