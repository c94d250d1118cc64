import { describe, expect, it } from 'vitest';
import { ApiError } from '../http/errors.js';
import { toTemplateVariables } from './template-variables.js';

function refusal(kwargs: Record<string, unknown>): ApiError {
  try {
    toTemplateVariables(null, kwargs);
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  throw new Error('expected a refusal');
}

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

describe('variables of the template', () => {
  it('reach it as JSON, and win over what the request says elsewhere', () => {
    const kwargs = { enable_thinking: true, reasoning_effort: 'high', style: { short: true } };
    expect(toTemplateVariables('none', kwargs)).toEqual({
      enableThinking: true,
      templateKwargs: { reasoning_effort: '"high"', style: '{"short":true}' },
    });
  });

  it.each(['messages', 'tools', 'add_generation_prompt'])(
    'cannot be %s, and it is the variable that is named',
    (name) => {
      const { status, param, message } = refusal({ fine: 1, [name]: [] });
      expect([status, param]).toEqual([400, `chat_template_kwargs.${name}`]);
      expect(message).toContain('cannot be set');
    },
  );

  it('can be nested as deep as the engine reads, and not deeper', () => {
    expect(toTemplateVariables(null, { x: nested(64) }).templateKwargs.x).toHaveLength(128);
    expect(refusal({ x: nested(65) })).toMatchObject({
      ...{ status: 400, param: 'chat_template_kwargs.x' },
    });
  });
});
