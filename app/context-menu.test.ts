import { describe, expect, it, vi } from 'vitest';
import { type Clicked, type ContextMenuAction, contextMenu } from './context-menu.js';

const nothing: Clicked = {
  isEditable: false,
  linkURL: '',
  selectionText: '',
  editFlags: { canCut: false, canCopy: false, canPaste: true, canSelectAll: true },
  misspelledWord: '',
  dictionarySuggestions: [],
};

function names(clicked: Partial<Clicked>): unknown[] {
  const items = contextMenu({ ...nothing, ...clicked }, () => undefined);
  return items.map((item) => item.role ?? item.label ?? item.type);
}

describe('contextMenu', () => {
  it('offers nothing on an empty place', () => {
    expect(names({})).toEqual([]);
    expect(names({ selectionText: '  \n' })).toEqual([]);
  });

  it('offers what a text field can do at the moment', () => {
    const items = contextMenu({ ...nothing, isEditable: true }, () => undefined);
    expect(items.map((item) => [item.role, item.enabled])).toEqual([
      ['cut', false],
      ['copy', false],
      ['paste', true],
      ['selectAll', true],
    ]);
  });

  it('copies a selection and a link', () => {
    const act = vi.fn<(action: ContextMenuAction) => void>();
    const linkURL = 'https://example.org/';
    expect(names({ selectionText: 'word', linkURL })).toEqual(['Copy link', 'separator', 'copy']);
    const [link] = contextMenu({ ...nothing, linkURL }, act);
    link?.click?.(undefined as never, undefined, undefined as never);
    expect(act).toHaveBeenCalledWith({ type: 'copy-link', url: linkURL });
    expect(names({ linkURL: 'blob:http://127.0.0.1/1' })).toEqual([]);
  });

  it('corrects a word where the system checks the spelling', () => {
    const edited = { isEditable: true, misspelledWord: 'teh' };
    expect(names({ ...edited, dictionarySuggestions: ['the'] }).slice(0, 2)).toEqual([
      'the',
      'separator',
    ]);
    expect(names(edited)[0]).toBe('No suggestions');
  });
});
