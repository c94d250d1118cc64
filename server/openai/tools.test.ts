import { describe, expect, it } from 'vitest';
import type { WireTool, WireToolChoice } from '../../protocol/openai.js';
import { ApiError } from '../http/errors.js';
import { toToolUse } from './tools.js';

const tool = (name: string): WireTool => ({
  type: 'function',
  function: { name, description: `Does ${name}.`, parameters: { type: 'object' } },
});
const TOOLS = [tool('look'), tool('tell')];
const named = (name: string) => ({ type: 'function' as const, function: { name } });
const use = (wire: WireTool[], choice: WireToolChoice | null, parallel = true) =>
  toToolUse(wire, choice, parallel);
const names = ({ tools }: { tools: { name: string }[] }) => tools.map(({ name }) => name);

describe('tool_choice', () => {
  it('says nothing: the model chooses', () => {
    expect(use(TOOLS, null)).toEqual({
      tools: [
        { name: 'look', description: 'Does look.', parameters: '{"type":"object"}', strict: false },
        { name: 'tell', description: 'Does tell.', parameters: '{"type":"object"}', strict: false },
      ],
      toolChoice: 'auto',
      parallelToolCalls: true,
    });
  });

  it('none takes the tools out of the prompt', () => {
    expect(use(TOOLS, 'none')).toMatchObject({ tools: [], toolChoice: 'none' });
  });

  it('required and a name are handed on', () => {
    expect(use(TOOLS, 'required').toolChoice).toBe('required');
    expect(use(TOOLS, named('tell')).toolChoice).toEqual({ name: 'tell' });
  });

  it.each([null, 'required', named('tell')] as const)('%j and parallel calls', (choice) => {
    expect(use(TOOLS, choice, false).parallelToolCalls).toBe(false);
    // Who names a function asks for one call of it.
    expect(use(TOOLS, choice, true).parallelToolCalls).toBe(typeof choice !== 'object' || !choice);
  });

  it.each(['auto', 'required'] as const)('allowed_tools leaves those, mode %s', (mode) => {
    const allowed = use(TOOLS, {
      type: 'allowed_tools',
      allowed_tools: { mode, tools: [named('tell')] },
    });
    expect(names(allowed)).toEqual(['tell']);
    expect(allowed.toolChoice).toBe(mode);
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
    expect(param(() => use(TOOLS, named('fly')))).toBe('tool_choice');
    const allowed = { mode: 'auto' as const, tools: [named('fly')] };
    expect(param(() => use(TOOLS, { type: 'allowed_tools', allowed_tools: allowed }))).toBe(
      'tool_choice',
    );
  });

  it('a forced call without tools', () => {
    expect(param(() => use([], 'required'))).toBe('tool_choice');
    expect(param(() => use([], named('look')))).toBe('tool_choice');
  });

  it('two functions of one name', () => {
    expect(param(() => use([tool('look'), tool('look')], null))).toBe('tools');
  });
});
