import type { ContextMenuParams, MenuItemConstructorOptions } from 'electron';
import { say } from './words.js';

/** What was clicked, as far as the menu depends on it. */
export type Clicked = Pick<ContextMenuParams, 'isEditable' | 'linkURL' | 'selectionText'> & {
  editFlags: Pick<
    ContextMenuParams['editFlags'],
    'canCut' | 'canCopy' | 'canPaste' | 'canSelectAll'
  >;
  misspelledWord: string;
  dictionarySuggestions: string[];
};

export type ContextMenuAction =
  | { type: 'copy-link'; url: string }
  | { type: 'replace-misspelling'; word: string };

type Item = MenuItemConstructorOptions;

/**
 * The menu of a right click in the page: what a text field, a selection or a link offers everywhere else.
 * @returns nothing where there is nothing to offer
 */
export function contextMenu(clicked: Clicked, act: (action: ContextMenuAction) => void): Item[] {
  const { editFlags, isEditable, linkURL } = clicked;
  const groups: Item[][] = [
    isEditable && clicked.misspelledWord !== '' ? spelling(clicked.dictionarySuggestions, act) : [],
    /^https?:/.test(linkURL)
      ? [{ label: say('copy_link'), click: () => act({ type: 'copy-link', url: linkURL }) }]
      : [],
    isEditable
      ? [
          { role: 'cut', label: say('role_cut'), enabled: editFlags.canCut },
          { role: 'copy', label: say('role_copy'), enabled: editFlags.canCopy },
          { role: 'paste', label: say('role_paste'), enabled: editFlags.canPaste },
          { role: 'selectAll', label: say('role_select_all'), enabled: editFlags.canSelectAll },
        ]
      : [],
    !isEditable && clicked.selectionText.trim() !== ''
      ? [{ role: 'copy', label: say('role_copy') }]
      : [],
  ];
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, index) => (index === 0 ? group : [{ type: 'separator' } as const, ...group]));
}

function spelling(words: readonly string[], act: (action: ContextMenuAction) => void): Item[] {
  if (words.length === 0) return [{ label: say('no_suggestions'), enabled: false }];
  return words.map((word) => ({
    label: word,
    click: () => act({ type: 'replace-misspelling', word }),
  }));
}
