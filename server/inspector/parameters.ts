/** The parameters of a generation in the words of the wire. Pure. */
import type { Grammar, Prompt, ToolChoice } from '../../protocol/engine.js';
import type { UnderstoodParameters } from '../../protocol/inspector.js';
import type { GenerationInput } from '../generation/generation.js';

export function understoodParameters(input: GenerationInput): UnderstoodParameters {
  const { prompt, sampling, grammar, choices, maxTokens, stop, ...more } = input;
  const { stopTokenIds, ignoreEog, priority, speculation, promptLogprobs, ...rest } = more;
  const { showPrompt: _, ...untold } = rest;
  // A new parameter does not compile until it is told here.
  untold satisfies Record<string, never>;
  return {
    prompt: prompt.kind,
    n: choices,
    max_tokens: maxTokens,
    stop,
    stop_token_ids: stopTokenIds ?? [],
    ignore_eos: ignoreEog ?? false,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    min_p: sampling.minP,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    repeat_penalty: sampling.repeatPenalty,
    repeat_last_n: sampling.penalizedTokens,
    seed: sampling.seed,
    logit_bias: Object.fromEntries(sampling.logitBias),
    top_logprobs: sampling.logprobs,
    prompt_logprobs: promptLogprobs === 'all' ? -1 : (promptLogprobs ?? null),
    grammar: grammar === null ? null : wireGrammar(grammar),
    priority,
    speculation,
    chat: prompt.kind === 'chat' ? chatParameters(prompt) : null,
  };
}

function wireGrammar(grammar: Grammar): UnderstoodParameters['grammar'] {
  switch (grammar.kind) {
    case 'json_schema':
      return { type: 'json_schema', schema: JSON.parse(grammar.schema) };
    case 'json_object':
      return { type: 'json_object' };
    case 'gbnf':
      return { type: 'gbnf', grammar: grammar.text };
  }
}

function chatParameters(
  prompt: Extract<Prompt, { kind: 'chat' }>,
): NonNullable<UnderstoodParameters['chat']> {
  const { tools, toolChoice, templateKwargs } = prompt;
  return {
    enable_thinking: prompt.enableThinking,
    continue_final_message: prompt.continueFinalMessage,
    tools: tools.map(({ name, description, parameters, strict }) => ({
      ...{ name, description, strict },
      parameters: JSON.parse(parameters),
    })),
    tool_choice: wireToolChoice(toolChoice),
    parallel_tool_calls: prompt.parallelToolCalls,
    chat_template_kwargs: Object.fromEntries(
      Object.entries(templateKwargs).map(([name, text]) => [name, JSON.parse(text)]),
    ),
  };
}

const wireToolChoice = (choice: ToolChoice) =>
  typeof choice === 'string' ? choice : { name: choice.name };
