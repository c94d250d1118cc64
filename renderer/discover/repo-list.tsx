import { Download, Heart, Lock } from 'lucide-react';
import { memo, useMemo, useRef } from 'react';
import type { HubModel } from '../../protocol/hub.js';
import { t } from '../i18n/i18n.js';
import { useLanguage } from '../i18n/use-language.js';
import { formatAge, formatCompact } from '../shell/format.js';
import { routeHash } from '../shell/route.js';
import { useRoving } from '../shell/use-roving.js';

interface RepoListProps {
  models: readonly HubModel[];
  current: string | null;
  /** Another search is under way. */
  busy: boolean;
}

/** What the search found: one stop of the Tab key, arrows lead through it. */
export function RepoList({ models, current, busy }: RepoListProps) {
  const list = useRef<HTMLUListElement>(null);
  const ids = useMemo(() => models.map(({ repo }) => repo), [models]);
  const { active, setActive, onKeyDown } = useRoving(list, ids);
  return (
    <ul className="cards" ref={list} aria-busy={busy} onKeyDown={onKeyDown}>
      {models.map((model) => (
        <RepoItem
          key={model.repo}
          model={model}
          isCurrent={model.repo === current}
          isStop={model.repo === active}
          onStop={setActive}
        />
      ))}
    </ul>
  );
}

interface RepoItemProps {
  model: HubModel;
  isCurrent: boolean;
  isStop: boolean;
  onStop: (repo: string) => void;
}

const RepoItem = memo(function RepoItem({ model, isCurrent, isStop, onStop }: RepoItemProps) {
  const { repo, gated, downloads, likes, updated_at } = model;
  useLanguage();
  const [owner, name] = splitRepo(repo);
  const updated = Date.parse(updated_at);
  return (
    <li className="card">
      <a
        className="repo"
        href={routeHash({ page: 'models', tab: 'discover', item: repo })}
        aria-current={isCurrent ? 'true' : undefined}
        tabIndex={isStop ? 0 : -1}
        data-roving={repo}
        data-testid={`repo-${repo}`}
        onFocus={() => onStop(repo)}
      >
        <span className="repo-owner">{owner}</span>
        <span className="repo-name">{name}</span>
        <span className="repo-figures">
          {gated && (
            <span className="badge">
              <Lock size={11} aria-hidden="true" />
              {t('discover.gated')}
            </span>
          )}
          {model.private && <span className="badge">{t('discover.private')}</span>}
          <span title={t('discover.downloads', { count: formatCompact(downloads) })}>
            <Download size={13} aria-hidden="true" />
            <span aria-hidden="true">{formatCompact(downloads)}</span>
            <span className="hidden-visually">
              {t('discover.downloads', { count: formatCompact(downloads) })}
            </span>
          </span>
          <span title={t('discover.likes', { count: formatCompact(likes) })}>
            <Heart size={13} aria-hidden="true" />
            <span aria-hidden="true">{formatCompact(likes)}</span>
            <span className="hidden-visually">
              {t('discover.likes', { count: formatCompact(likes) })}
            </span>
          </span>
          {Number.isFinite(updated) && (
            <span>{t('discover.updated', { age: formatAge(updated, Date.now()) })}</span>
          )}
        </span>
      </a>
    </li>
  );
});

/** Owner and name of a repo. */
export function splitRepo(repo: string): [owner: string, name: string] {
  const slash = repo.indexOf('/');
  return slash < 0 ? ['', repo] : [repo.slice(0, slash), repo.slice(slash + 1)];
}
