/**
 * Chat templates of the test models, in Jinja. All speak ChatML; the assistant's header is always
 * `<|im_start|>assistant` and a line feed, and the wired models rely on that.
 */

const GENERATION_PROMPT = String.raw`
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\n' }}
{%- endif %}`;

/** Roles and contents, nothing else. */
export const PLAIN_TEMPLATE: string =
  String.raw`{%- for message in messages %}
{{- '<|im_start|>' ~ message.role ~ '\n' ~ message.content ~ '<|im_end|>\n' }}
{%- endfor %}` + GENERATION_PROMPT;

/**
 * Tools in the system turn, calls as JSON between tags, results in a user turn (the Hermes
 * convention).
 */
export const TOOLS_TEMPLATE: string =
  String.raw`{%- set first = 0 %}
{%- if messages[0].role == 'system' %}
{%- set first = 1 %}
{%- endif %}
{%- if tools or first == 1 %}
{{- '<|im_start|>system\n' }}
{%- if first == 1 %}
{{- messages[0].content }}
{%- if tools %}
{{- '\n\n' }}
{%- endif %}
{%- endif %}
{%- if tools %}
{{- 'These functions can be called, one JSON object a line:\n<tools>' }}
{%- for tool in tools %}
{{- '\n' ~ (tool | tojson) }}
{%- endfor %}
{{- '\n</tools>\nTo call one, write its name and arguments as JSON between tags:\n' }}
{{- '<tool_call>\n{"name": NAME, "arguments": OBJECT}\n</tool_call>' }}
{%- endif %}
{{- '<|im_end|>\n' }}
{%- endif %}
{%- for message in messages[first:] %}
{%- if message.role == 'tool' %}
{%- if loop.first or loop.previtem.role != 'tool' %}
{{- '<|im_start|>user' }}
{%- endif %}
{{- '\n<tool_response>\n' ~ message.content ~ '\n</tool_response>' }}
{%- if loop.last or loop.nextitem.role != 'tool' %}
{{- '<|im_end|>\n' }}
{%- endif %}
{%- else %}
{{- '<|im_start|>' ~ message.role ~ '\n' }}
{%- if message.content %}
{{- message.content }}
{%- endif %}
{%- for call in message.tool_calls or [] %}
{%- if message.content or not loop.first %}
{{- '\n' }}
{%- endif %}
{{- '<tool_call>\n{"name": "' ~ call.function.name ~ '", "arguments": ' }}
{%- if call.function.arguments is string %}
{{- call.function.arguments }}
{%- else %}
{{- call.function.arguments | tojson }}
{%- endif %}
{{- '}\n</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\n' }}
{%- endif %}
{%- endfor %}` + GENERATION_PROMPT;

/**
 * Thoughts between tags before the answer; `enable_thinking=false` hands the model an empty pair of
 * tags.
 */
export const THINKING_TEMPLATE: string = String.raw`{%- for message in messages %}
{{- '<|im_start|>' ~ message.role ~ '\n' }}
{%- if message.role == 'assistant' and message.reasoning_content %}
{{- '<think>\n' ~ message.reasoning_content ~ '\n</think>\n\n' }}
{%- endif %}
{{- message.content ~ '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\n' }}
{%- if enable_thinking is defined and not enable_thinking %}
{{- '<think>\n\n</think>\n\n' }}
{%- endif %}
{%- endif %}`;

/** Not Jinja: the tag and the loop are never closed. */
export const BROKEN_TEMPLATE = '{%- for message in messages %}{{- message.content ';

/** How a rerank model wants a query and a document; no Jinja, the names are replaced as they are. */
export const RERANK_TEMPLATE = '[CLS] query {query} [SEP] document {document} [SEP]';
