import { useEffect, useState } from 'react';
import type { ServerState } from '../../../protocol/models.js';
import { switchInspector } from '../../api/inspector.js';
import { rememberKey } from '../../api/key.js';
import { t } from '../../i18n/i18n.js';
import { SwitchSetting } from '../../settings/setting.js';
import { useAct } from '../../shell/act.js';
import { SearchField } from '../../shell/search-field.js';
import { navigate } from '../../shell/use-route.js';
import { useStore } from '../../shell/use-store.js';
import { ClosedInspector } from './closed-inspector.js';
import { InspectorStore } from './inspector-store.js';
import { RequestDetail } from './request-detail.js';
import { RequestList } from './request-list.js';
import { keptRow, liveRow, matchingRows } from './request-rows.js';

interface RequestsTabProps {
  server: ServerState | null;
  /** Ids that are looked at, with commas between them. */
  item: string | null;
}

/** Requests as they are answered, and what the inspector has kept of those before. */
export function RequestsTab({ server, item }: RequestsTabProps) {
  const [store] = useState(() => new InspectorStore());
  const [tries, setTries] = useState(0);
  const [words, setWords] = useState('');
  const act = useAct();
  const { state, trouble } = useStore(store);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another key is another try
  useEffect(() => {
    const left = new AbortController();
    store.follow(left.signal);
    return () => left.abort();
  }, [store, tries]);

  if (trouble?.status === 403) {
    const enter = (key: string) => {
      rememberKey(key);
      setTries((before) => before + 1);
    };
    return <ClosedInspector server={server} refused={tries > 0} onKey={enter} />;
  }
  if (state === null) {
    return (
      <p className="page-note" role="status" dir="auto">
        {trouble?.message ?? t('developer.reading')}
      </p>
    );
  }
  const ids = item === null ? [] : item.split(',').slice(0, 2);
  const show = (next: readonly string[]) =>
    navigate({ page: 'developer', tab: 'requests', item: next.length > 0 ? next.join(',') : null });
  const rows = [...state.live.map(liveRow), ...[...state.kept].reverse().map(keptRow)];
  const turn = (enabled: boolean) =>
    void act('inspector', async () => store.set(await switchInspector(enabled)));
  return (
    <div className="requests" data-open={ids.length > 0 || undefined}>
      <div className="requests-list">
        <h2 className="hidden-visually">{t('developer.tab_requests')}</h2>
        <SearchField label={t('developer.requests_search')} value={words} onChange={setWords} />
        <div className="inspector-switch">
          <SwitchSetting
            label={t('developer.inspector')}
            hint={t('developer.inspector_text')}
            checked={state.enabled}
            onChange={turn}
          />
        </div>
        <RequestList
          rows={matchingRows(rows, words)}
          chosen={ids}
          isFiltered={words.trim() !== ''}
          isInspected={state.enabled}
          onChoose={(id) => show([id])}
        />
      </div>
      {ids.length > 0 && (
        <div className="requests-shown" data-count={ids.length}>
          {ids.map((id) => (
            <RequestDetail
              key={id}
              id={id}
              live={state.live.find((row) => row.id === id) ?? null}
              isKept={state.kept.some((row) => row.id === id)}
              onClose={() => show(ids.filter((other) => other !== id))}
              onReplayed={(replayed) => show([id, replayed])}
            />
          ))}
        </div>
      )}
    </div>
  );
}
