import './api/zod-config.js';
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/header.css';
import './styles/sidebar.css';
import './styles/palette.css';
import './styles/menu.css';
import './styles/page.css';
import './styles/form.css';
import './styles/installed.css';
import './styles/discover.css';
import './styles/fit.css';
import './styles/transfer.css';
import './styles/variants.css';
import './styles/downloads.css';
import './styles/fields.css';
import './styles/settings.css';
import './styles/settings-page.css';
import './styles/tools.css';
import './styles/developer.css';
import './styles/log.css';
import './styles/snippets.css';
import './styles/self-test.css';
import './styles/requests.css';
import './styles/side-panel.css';
import './styles/dialog.css';
import './styles/notice.css';
import './styles/chat.css';
import './styles/answer.css';
import './styles/thread.css';
import './styles/composer.css';
import './styles/attachments.css';
import './styles/chat-settings.css';
import './styles/welcome.css';
import './styles/first-run.css';
import './styles/markdown.css';
import './styles/code.css';
import './styles/quick.css';
import './styles/forced-colors.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { bestLanguage } from '../protocol/preferences.js';
import { desktop } from './api/bridge.js';
import { ServerLink } from './api/server-link.js';
import { App } from './app.js';
import { handOverConversation } from './chats/earlier-conversation.js';
import { chatsStore } from './chats/use-chats.js';
import { currentLanguage, setLanguage } from './i18n/i18n.js';
import { applyLook, takeEarlierTheme } from './preferences/look.js';
import { preferences } from './preferences/preferences.js';
import { QuickAsk } from './quick/quick-ask.js';

/** Shows what the preferences say; without the words of a language it stays with the one before. */
async function follow(): Promise<void> {
  const wanted = preferences.snapshot();
  applyLook(wanted);
  const { language } = wanted;
  const next = language === 'system' ? bestLanguage(navigator.languages) : language;
  if (next !== currentLanguage()) await setLanguage(next).catch(() => {});
}

const link = new ServerLink();
link.subscribe(() => {
  const { server } = link.snapshot();
  if (!server) return;
  preferences.follow(server.preferences);
  const earlier = takeEarlierTheme();
  if (earlier) void preferences.change({ theme: earlier }).catch(() => {});
});
const untilOnline = link.subscribe(() => {
  if (link.snapshot().connection.state !== 'online') return;
  untilOnline();
  void handOverConversation();
});
link.start();
chatsStore.start();
preferences.subscribe(() => void follow());
await follow();

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root.');
const ofQuickAsk = location.hash === '#/quick' ? desktop : null;
createRoot(root).render(
  <StrictMode>
    {ofQuickAsk ? <QuickAsk desktop={ofQuickAsk} link={link} /> : <App link={link} />}
  </StrictMode>,
);
