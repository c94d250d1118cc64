import { FilePlus2, PackageOpen, Search, SearchX } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import type { ServerState } from '../../protocol/models.js';
import { t } from '../i18n/i18n.js';
import { EmptyState } from '../shell/empty-state.js';
import { SearchField } from '../shell/search-field.js';
import { SelectField } from '../shell/select-field.js';
import { useGrowing } from '../shell/use-growing.js';
import { navigate } from '../shell/use-route.js';
import { useRoving } from '../shell/use-roving.js';
import { MemoryBar } from './memory-bar.js';
import { type ModelActions, ModelCard } from './model-card.js';
import { listModels, MODEL_SORTS, type ModelSort } from './model-list.js';

interface InstalledViewProps {
  server: ServerState | null;
  actions: ModelActions;
  onAddFile: () => void;
}

/** The library: every model there is, what it does now, and what can be done with it. */
export function InstalledView({ server, actions, onAddFile }: InstalledViewProps) {
  const [query, setQuery] = useState('');
  const [sort, setSort] = useState<ModelSort>('recent');
  const list = useRef<HTMLUListElement>(null);
  const models = server?.models;
  const shown = useMemo(() => listModels(models ?? [], query, sort), [models, query, sort]);
  const { count, end } = useGrowing(shown.length, `${sort} ${query}`);
  const drawn = useMemo(() => shown.slice(0, count), [shown, count]);
  const ids = useMemo(() => drawn.map((model) => model.id), [drawn]);
  const { active, setActive, onKeyDown } = useRoving(list, ids);

  if (!server) return <p className="page-note">{t('installed.waiting')}</p>;
  return (
    <>
      <h2 className="hidden-visually">{t('installed.title')}</h2>
      <MemoryBar memory={server.memory} />
      <div className="toolbar">
        <SearchField label={t('installed.search')} value={query} onChange={setQuery} />
        <SelectField
          label={t('installed.sort')}
          value={sort}
          options={MODEL_SORTS.map((value) => ({ value, label: t(`installed.sort_${value}`) }))}
          onChange={setSort}
        />
        <button type="button" className="button" onClick={onAddFile}>
          <FilePlus2 size={16} aria-hidden="true" />
          {t('installed.add_file')}
        </button>
      </div>
      <p className="hidden-visually" role="status">
        {t('installed.found', { n: shown.length })}
      </p>
      {server.models.length === 0 && (
        <EmptyState icon={PackageOpen} title={t('installed.empty')} text={t('installed.empty_how')}>
          <button
            type="button"
            className="button"
            data-kind="primary"
            onClick={() => navigate({ page: 'models', tab: 'discover', item: null })}
          >
            <Search size={16} aria-hidden="true" />
            {t('installed.discover')}
          </button>
        </EmptyState>
      )}
      {server.models.length > 0 && shown.length === 0 && (
        <EmptyState
          icon={SearchX}
          title={t('installed.nothing')}
          text={t('installed.nothing_how', { query: query.trim() })}
        >
          <button type="button" className="button" onClick={() => setQuery('')}>
            {t('installed.show_all')}
          </button>
        </EmptyState>
      )}
      <ul className="cards" ref={list} onKeyDown={onKeyDown}>
        {drawn.map((model) => (
          <ModelCard
            key={model.id}
            model={model}
            isCurrent={model.id === server.current_model}
            isStop={model.id === active}
            onStop={setActive}
            actions={actions}
          />
        ))}
      </ul>
      <div ref={end} className="list-end" />
    </>
  );
}
