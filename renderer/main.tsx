import './api/zod-config.js';
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/header.css';
import './styles/menu.css';
import './styles/page.css';
import './styles/form.css';
import './styles/installed.css';
import './styles/discover.css';
import './styles/fit.css';
import './styles/variants.css';
import './styles/downloads.css';
import './styles/settings.css';
import './styles/side-panel.css';
import './styles/dialog.css';
import './styles/notice.css';
import './styles/chat.css';
import './styles/answer.css';
import './styles/composer.css';
import './styles/welcome.css';
import './styles/markdown.css';
import './styles/code.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ServerLink } from './api/server-link.js';
import { App } from './app.js';
import { applyTheme, loadTheme } from './shell/theme.js';

applyTheme(loadTheme());
const link = new ServerLink();
link.start();

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root.');
createRoot(root).render(
  <StrictMode>
    <App link={link} />
  </StrictMode>,
);
