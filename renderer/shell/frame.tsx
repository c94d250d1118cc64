import { Dialog } from '@base-ui/react/dialog';
import { PanelLeft, SquarePen } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { t } from '../i18n/i18n.js';
import { commands } from './command-registry.js';
import { keysOf } from './commands.js';
import { IconButton } from './icon-button.js';
import { type Notice, Notices } from './notices.js';
import { SidebarToggle } from './sidebar-toggle.js';
import { useCommand } from './use-command.js';
import { useSidebar } from './use-sidebar.js';

interface FrameProps {
  /** The page alone, without sidebar, header and shortcuts. */
  bare: boolean;
  sidebar: ReactNode;
  picker: ReactNode;
  /** At the end of the header. */
  actions: ReactNode;
  banner: ReactNode;
  notices: Notice[];
  onDismiss: (id: string) => void;
  /** The page. */
  children: ReactNode;
}

/** The window's frame: the sidebar beside the page or, where there is little room, above it. */
export function Frame(props: FrameProps) {
  const { bare } = props;
  const { open, drawer, setOpen } = useSidebar();
  const toggle = useRef<HTMLButtonElement>(null);
  useCommand('toggle-sidebar', () => setOpen(!open));

  useEffect(() => {
    if (bare) return;
    window.addEventListener('keydown', commands.onKeyDown);
    return () => window.removeEventListener('keydown', commands.onKeyDown);
  }, [bare]);
  useEffect(() => {
    if (!drawer) return;
    // Whoever has chosen something wants to see it.
    const close = () => setOpen(false);
    window.addEventListener('hashchange', close);
    return () => window.removeEventListener('hashchange', close);
  }, [drawer, setOpen]);

  const side = <SidebarToggle value={() => setOpen(false)}>{props.sidebar}</SidebarToggle>;
  return (
    <div className="app">
      {!bare && (
        <button type="button" className="skip" data-testid="skip" onClick={skip}>
          {t('shell.skip')}
        </button>
      )}
      {open && !drawer && !bare && <div className="sidebar">{side}</div>}
      {drawer && !bare && (
        <Dialog.Root open={open} onOpenChange={setOpen}>
          <Dialog.Portal>
            <Dialog.Backdrop className="backdrop" />
            <Dialog.Popup className="sidebar" data-drawer="" finalFocus={toggle}>
              <Dialog.Title className="hidden-visually">{t('shell.sidebar')}</Dialog.Title>
              {side}
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
      )}
      <div className="frame" data-bare={bare || undefined}>
        {!bare && (
          <header className="header">
            {(!open || drawer) && (
              <>
                <IconButton
                  ref={toggle}
                  label={t('shell.sidebar_show')}
                  keys={keysOf('toggle-sidebar')}
                  icon={<PanelLeft size={18} aria-hidden="true" />}
                  data-testid="show-sidebar"
                  aria-expanded={false}
                  onClick={() => setOpen(true)}
                />
                <IconButton
                  label={t('commands.new_chat')}
                  keys={keysOf('new-chat')}
                  icon={<SquarePen size={18} aria-hidden="true" />}
                  data-testid="new-chat"
                  onClick={() => commands.run('new-chat')}
                />
              </>
            )}
            {props.picker}
            <span className="header-space" />
            {props.actions}
          </header>
        )}
        {props.banner}
        {props.children}
        <Notices notices={props.notices} onDismiss={props.onDismiss} />
      </div>
    </div>
  );
}

/** Past the sidebar and the header: where one writes or, on another page, to its heading. */
function skip(): void {
  if (commands.run('focus-composer')) return;
  // The chat is there while another page is shown, and hidden.
  const headings = [...document.querySelectorAll<HTMLElement>('main h1')];
  headings.find((heading) => heading.checkVisibility())?.focus();
}
