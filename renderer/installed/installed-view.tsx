import { FilePlus2, PackageOpen, Search, SearchX } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import type { ServerState } from '../../protocol/models.js';
import { EmptyState } from '../shell/empty-state.js';
import { SearchField } from '../shell/search-field.js';
import { SelectField } from '../shell/select-field.js';
import { useGrowing } from '../shell/use-growing.js';
import { navigate } from '../shell/use-route.js';
import { useRoving } from '../shell/use-roving.js';
import { MemoryBar } from './memory-bar.js';
import { type ModelActions, ModelCard } from './model-card.js';
import { listModels, MODEL_SORTS, type ModelSort } from './model-list.js';

const words = {
  title: 'Installed models',
  waiting: 'Waiting for the server…',
  search: 'Search installed models',
  sort: 'Sort by',
  sorts: { recent: 'Recently used', name: 'Name', size: 'Size', memory: 'Memory in use' },
  addFile: 'Add a file…',
  empty: 'No models yet',
  emptyHow: 'Find one that fits this machine, or put a GGUF file into the models folder.',
  discover: 'Discover models',
  nothing: 'Nothing found',
  nothingHow: (query: string) => `None of the installed models has “${query}” in its description.`,
  showAll: 'Show all',
  found: (count: number) => (count === 1 ? '1 model' : `${count} models`),
};

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

  if (!server) return <p className="page-note">{words.waiting}</p>;
  return (
    <>
      <h2 className="hidden-visually">{words.title}</h2>
      <MemoryBar memory={server.memory} />
      <div className="toolbar">
        <SearchField label={words.search} value={query} onChange={setQuery} />
        <SelectField
          label={words.sort}
          value={sort}
          options={MODEL_SORTS.map((value) => ({ value, label: words.sorts[value] }))}
          onChange={setSort}
        />
        <button type="button" className="button" onClick={onAddFile}>
          <FilePlus2 size={16} aria-hidden="true" />
          {words.addFile}
        </button>
      </div>
      <p className="hidden-visually" role="status">
        {words.found(shown.length)}
      </p>
      {server.models.length === 0 && (
        <EmptyState icon={PackageOpen} title={words.empty} text={words.emptyHow}>
          <button
            type="button"
            className="button"
            data-kind="primary"
            onClick={() => navigate({ page: 'models', tab: 'discover', item: null })}
          >
            <Search size={16} aria-hidden="true" />
            {words.discover}
          </button>
        </EmptyState>
      )}
      {server.models.length > 0 && shown.length === 0 && (
        <EmptyState icon={SearchX} title={words.nothing} text={words.nothingHow(query.trim())}>
          <button type="button" className="button" onClick={() => setQuery('')}>
            {words.showAll}
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
