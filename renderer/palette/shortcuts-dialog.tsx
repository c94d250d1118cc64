import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { Fragment, useRef, useState } from 'react';
import type { Preferences } from '../../protocol/preferences.js';
import type { MessageKey } from '../i18n/areas.js';
import { t } from '../i18n/i18n.js';
import { usePreferences } from '../preferences/preferences.js';
import { chordText, parseChord } from '../shell/chord.js';
import { COMMAND_GROUPS, COMMANDS } from '../shell/commands.js';
import { IconButton } from '../shell/icon-button.js';
import { useCommand } from '../shell/use-command.js';

interface Shortcut {
  label: MessageKey;
  /** Each does it. */
  chords: readonly string[];
}

const groupNames = {
  chat: 'commands.group_chat',
  go: 'commands.group_go',
  view: 'commands.group_view',
} as const;

/** Keys of single places, which are no commands. */
const places = (
  sendWith: Preferences['send_with'],
): readonly { label: MessageKey; shortcuts: readonly Shortcut[] }[] => [
  {
    label: 'palette.writing',
    shortcuts: [
      { label: 'palette.send', chords: [sendWith === 'enter' ? 'Enter' : 'Mod+Enter'] },
      { label: 'palette.new_line', chords: [sendWith === 'enter' ? 'Shift+Enter' : 'Enter'] },
    ],
  },
  {
    label: 'palette.in_list',
    shortcuts: [
      { label: 'palette.move', chords: ['ArrowUp', 'ArrowDown'] },
      { label: 'palette.first_last', chords: ['Home', 'End'] },
      { label: 'palette.fold', chords: ['ArrowLeft', 'ArrowRight'] },
      { label: 'palette.rename', chords: ['F2'] },
      { label: 'palette.delete', chords: ['Delete'] },
      { label: 'palette.menu', chords: ['Shift+F10'] },
    ],
  },
];

/** All keys, in one place. */
export function ShortcutsDialog() {
  const [open, setOpen] = useState(false);
  const popup = useRef<HTMLDivElement>(null);
  const { send_with } = usePreferences();
  useCommand('shortcuts', () => setOpen(true));
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup ref={popup} className="dialog shortcuts" initialFocus={popup}>
          <div className="shortcuts-head">
            <Dialog.Title>{t('palette.shortcuts')}</Dialog.Title>
            <Dialog.Close
              render={
                <IconButton label={t('common.close')} icon={<X size={18} aria-hidden="true" />} />
              }
            />
          </div>
          <div className="shortcuts-body">
            {COMMAND_GROUPS.map((group) => (
              <ShortcutGroup
                key={group}
                label={groupNames[group]}
                shortcuts={COMMANDS.filter((command) => command.group === group).map(
                  ({ label, chords }) => ({
                    label,
                    keys: chords.slice(0, 1).map((chord) => chordText(chord)),
                  }),
                )}
              />
            ))}
            {places(send_with).map(({ label, shortcuts }) => (
              <ShortcutGroup
                key={label}
                label={label}
                shortcuts={shortcuts.map((shortcut) => ({
                  label: shortcut.label,
                  keys: shortcut.chords.map((chord) => chordText(parseChord(chord))),
                }))}
              />
            ))}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function ShortcutGroup(props: {
  label: MessageKey;
  shortcuts: readonly { label: MessageKey; keys: readonly string[] }[];
}) {
  return (
    <section className="shortcuts-group">
      <h3>{t(props.label)}</h3>
      <dl>
        {props.shortcuts.map(({ label, keys }) => (
          <Fragment key={label}>
            <dt>{t(label)}</dt>
            <dd>
              {keys.map((text) => (
                <kbd key={text} className="keys">
                  {text}
                </kbd>
              ))}
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}
