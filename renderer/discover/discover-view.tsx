import { CloudOff, SearchX } from 'lucide-react';
import { useEffect } from 'react';
import { HUB_SORTS } from '../../protocol/hub.js';
import type { ServerState } from '../../protocol/models.js';
import { t } from '../i18n/i18n.js';
import { EmptyState } from '../shell/empty-state.js';
import { SearchField } from '../shell/search-field.js';
import { SelectField } from '../shell/select-field.js';
import { useStore } from '../shell/use-store.js';
import { RepoList } from './repo-list.js';
import { RepoView } from './repo-view.js';
import type { SearchState, SearchStore } from './search-store.js';

interface DiscoverViewProps {
  store: SearchStore;
  server: ServerState | null;
  /** The repo that is looked at. */
  repo: string | null;
  onUse: (model: string) => void;
}

/** Models on the hub: the search at one side, the one that is looked at on the other. */
export function DiscoverView({ store, server, repo, onUse }: DiscoverViewProps) {
  const state = useStore(store);
  useEffect(() => store.start(), [store]);
  return (
    <div className="discover" data-open={repo === null ? undefined : ''}>
      <section className="discover-search" aria-label={t('discover.title')}>
        <h2 className="hidden-visually">{t('discover.title')}</h2>
        <div className="toolbar">
          <SearchField
            label={t('discover.search')}
            value={state.query}
            onChange={(query) => store.type(query)}
          />
          <SelectField
            label={t('discover.sort')}
            value={state.sort}
            options={HUB_SORTS.map((value) => ({ value, label: t(`discover.sort_${value}`) }))}
            onChange={(sort) => store.sortBy(sort)}
          />
        </div>
        <p className="discover-status" role="status">
          {statusWords(state)}
        </p>
        <Failure state={state} onRetry={() => store.retry()} />
        {state.status === 'ready' && state.models.length === 0 && (
          <EmptyState
            icon={SearchX}
            title={t('discover.nothing')}
            text={
              state.query.trim() === ''
                ? t('discover.nothing_at_all')
                : t('discover.nothing_how', { query: state.query.trim() })
            }
          />
        )}
        <RepoList models={state.models} current={repo} busy={state.status === 'searching'} />
        {state.nextCursor !== null && (
          <button
            type="button"
            className="button discover-more"
            aria-disabled={state.status === 'adding'}
            onClick={() => store.more()}
          >
            {t(state.status === 'adding' ? 'discover.searching' : 'discover.more')}
          </button>
        )}
      </section>
      {repo !== null && <RepoView key={repo} repo={repo} server={server} onUse={onUse} />}
    </div>
  );
}

function Failure({ state, onRetry }: { state: SearchState; onRetry: () => void }) {
  if (state.status !== 'failed' || state.failure === null) return null;
  const retry = (
    <button type="button" className="button" data-size="small" onClick={onRetry}>
      {t('common.retry')}
    </button>
  );
  if (state.models.length === 0) {
    return (
      <EmptyState icon={CloudOff} title={t('discover.failed')} text={state.failure} failed>
        {retry}
      </EmptyState>
    );
  }
  return (
    <div className="alert-card" role="alert">
      <CloudOff size={18} aria-hidden="true" />
      <div>
        <p dir="auto">{state.failure}</p>
        <p>{t('discover.stale')}</p>
      </div>
      {retry}
    </div>
  );
}

function statusWords({ status, models, nextCursor }: SearchState): string {
  if (status === 'searching' || status === 'new') return t('discover.searching');
  if (status === 'failed' || models.length === 0) return '';
  return t(nextCursor === null ? 'discover.found' : 'discover.first', { n: models.length });
}
