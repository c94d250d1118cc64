/** What a request tells the model's chat template about reasoning, and the client's own variables. */
import type { Prompt } from '../../protocol/engine.js';
import type { ChatCompletionRequest } from '../../protocol/openai.js';

/**
 * @param effort "none" asks for an answer without reasoning; null: nothing was said.
 * @param kwargs The client's; they win.
 */
export function toTemplateVariables(
  effort: string | null,
  kwargs: ChatCompletionRequest['chat_template_kwargs'],
): Pick<Extract<Prompt, { kind: 'chat' }>, 'enableThinking' | 'templateKwargs'> {
  const { enable_thinking: enableThinking, ...rest } = kwargs ?? {};
  const variables = { ...(effort === null ? {} : { reasoning_effort: effort }), ...rest };
  return {
    enableThinking: enableThinking ?? effort !== 'none',
    templateKwargs: Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, JSON.stringify(value)]),
    ),
  };
}
