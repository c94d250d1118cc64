import { useEffect, useState } from 'react';
import type { ServerState } from '../../protocol/models.js';
import type { MadeApiKey } from '../../protocol/serving.js';
import type { DeveloperTab } from '../shell/route.js';
import { useEscapeToChat } from '../shell/use-escape-to-chat.js';
import { DeveloperPage } from './developer-page.js';
import { LogTab } from './log/log-tab.js';
import { RequestsTab } from './requests/requests-tab.js';
import { SelfTestStore } from './self-test/self-test-store.js';
import { SelfTestTab } from './self-test/self-test-tab.js';
import { ServerTab } from './server/server-tab.js';
import { SnippetsTab } from './snippets/snippets-tab.js';

interface DeveloperViewProps {
  tab: DeveloperTab;
  item: string | null;
  server: ServerState | null;
}

/** The developer page with all its parts. */
export function DeveloperView({ tab, item, server }: DeveloperViewProps) {
  // A run goes on, and a key can be copied, while another part is looked at.
  const [selfTest] = useState(() => new SelfTestStore());
  const [made, setMade] = useState<MadeApiKey | null>(null);

  useEffect(() => () => selfTest.stop(), [selfTest]);
  useEscapeToChat();

  return (
    <DeveloperPage tab={tab} underWay={(server?.running ?? 0) + (server?.waiting ?? 0)}>
      {tab === 'server' && <ServerTab server={server} made={made} onMade={setMade} />}
      {tab === 'requests' && <RequestsTab server={server} item={item} />}
      {tab === 'log' && <LogTab />}
      {tab === 'snippets' && <SnippetsTab server={server} made={made} />}
      {tab === 'self-test' && <SelfTestTab store={selfTest} />}
    </DeveloperPage>
  );
}
