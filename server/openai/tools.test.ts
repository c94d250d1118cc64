import { describe, expect, it } from 'vitest';
import type { WireTool } from '../../protocol/openai.js';
import { ApiError } from '../http/errors.js';
import { toToolUse } from './tools.js';

const tool = (name: string): WireTool => ({
  type: 'function',
  function: { name, description: `Does ${name}.`, parameters: { type: 'object' } },
});
const TOOLS = [tool('look'), tool('tell')];
const named = (name: string) => ({ type: 'function' as const, function: { name } });
const names = ({ tools }: { tools: { name: string }[] }) => tools.map(({ name }) => name);

describe('tool_choice', () => {
  it('says nothing: the model chooses', () => {
    expect(toToolUse(TOOLS, null)).toEqual({
      tools: [
        { name: 'look', description: 'Does look.', parameters: '{"type":"object"}', strict: false },
        { name: 'tell', description: 'Does tell.', parameters: '{"type":"object"}', strict: false },
      ],
      toolChoice: 'auto',
    });
  });

  it('none takes the tools out of the prompt', () => {
    expect(toToolUse(TOOLS, 'none')).toEqual({ tools: [], toolChoice: 'none' });
  });

  it('required and a name are handed on', () => {
    expect(toToolUse(TOOLS, 'required').toolChoice).toBe('required');
    expect(toToolUse(TOOLS, named('tell')).toolChoice).toEqual({ name: 'tell' });
  });

  it.each(['auto', 'required'] as const)('allowed_tools leaves those, mode %s', (mode) => {
    const use = toToolUse(TOOLS, {
      type: 'allowed_tools',
      allowed_tools: { mode, tools: [named('tell')] },
    });
    expect(names(use)).toEqual(['tell']);
    expect(use.toolChoice).toBe(mode);
  });
});

describe('is refused by name', () => {
  const param = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      return error instanceof ApiError ? error.param : error;
    }
    return 'nothing was refused';
  };

  it('a choice that is not there', () => {
    expect(param(() => toToolUse(TOOLS, named('fly')))).toBe('tool_choice');
    const allowed = { mode: 'auto' as const, tools: [named('fly')] };
    expect(param(() => toToolUse(TOOLS, { type: 'allowed_tools', allowed_tools: allowed }))).toBe(
      'tool_choice',
    );
  });

  it('a forced call without tools', () => {
    expect(param(() => toToolUse([], 'required'))).toBe('tool_choice');
    expect(param(() => toToolUse([], named('look')))).toBe('tool_choice');
  });

  it('two functions of one name', () => {
    expect(param(() => toToolUse([tool('look'), tool('look')], null))).toBe('tools');
  });
});
