/** What a request tells the model's chat template about reasoning, and the client's own variables. */
import type { Prompt } from '../../protocol/engine.js';
import type { ChatCompletionRequest } from '../../protocol/openai.js';
import { isDeeperThan } from '../http/body.js';
import { invalidRequest } from '../http/errors.js';

/** What a template gets from the request itself. */
const TAKEN = ['messages', 'tools', 'add_generation_prompt'];

/** Deepest nesting of a variable: the engine's limit for JSON. */
const DEPTH_LIMIT = 64;

/**
 * @param effort "none" asks for an answer without reasoning; null: nothing was said.
 * @param kwargs The client's; they win.
 * @throws ApiError 400 that names the variable.
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
      Object.entries(variables).map(([name, value]) => [name, toVariable(name, value)]),
    ),
  };
}

/** As JSON. */
function toVariable(name: string, value: unknown): string {
  const param = `chat_template_kwargs.${name.slice(0, 100)}`;
  if (TAKEN.includes(name)) {
    throw invalidRequest(
      `${param} cannot be set: the template gets it from the request itself.`,
      param,
    );
  }
  const text = JSON.stringify(value);
  if (isDeeperThan(DEPTH_LIMIT, Buffer.from(text))) {
    throw invalidRequest(`${param} is nested more than ${DEPTH_LIMIT} levels deep.`, param);
  }
  return text;
}
