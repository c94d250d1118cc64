import { ArrowLeft, CloudOff, ExternalLink, FileQuestion, Lock } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { HubModelDetails } from '../../protocol/hub.js';
import type { ServerState } from '../../protocol/models.js';
import { hubDetails } from '../api/hub.js';
import { t } from '../i18n/i18n.js';
import { EmptyState } from '../shell/empty-state.js';
import { formatCompact, formatContext } from '../shell/format.js';
import { openLink } from '../shell/open-link.js';
import { routeHash } from '../shell/route.js';
import { useStore } from '../shell/use-store.js';
import { ContextSlider } from './context-slider.js';
import { DownloadButton } from './download-button.js';
import { FitBar } from './fit-bar.js';
import { splitRepo } from './repo-list.js';
import { RepoStore } from './repo-store.js';
import { VariantList } from './variant-list.js';
import { contextSteps, recommendedVariant } from './variants.js';
import { Verdict } from './verdict.js';

interface RepoViewProps {
  repo: string;
  server: ServerState | null;
  onUse: (model: string) => void;
}

/** One repo: what it is, its quantisations, whether they fit, and the way to have one. */
export function RepoView({ repo, server, onUse }: RepoViewProps) {
  const [store] = useState(() => new RepoStore(repo, hubDetails));
  const state = useStore(store);
  useEffect(() => {
    store.load();
    return () => store.stop();
  }, [store]);
  const { details, status } = state;
  const recommended = details && recommendedVariant(details.variants);
  const chosen =
    details?.variants.find(({ name }) => name === state.chosen) ??
    recommended ??
    details?.variants[0] ??
    null;
  const context = state.context ?? chosen?.fit?.context_length ?? null;
  const [owner, name] = splitRepo(repo);
  return (
    <section className="repo-view" aria-labelledby="repo-title">
      <a
        className="repo-back"
        href={routeHash({ page: 'models', tab: 'discover', item: null })}
        data-testid="back-to-results"
      >
        <ArrowLeft size={15} aria-hidden="true" />
        {t('discover.back')}
      </a>
      <header>
        <p className="repo-owner">{owner}</p>
        <h2 id="repo-title" dir="auto">
          {name}
        </h2>
        {details && <Facts details={details} />}
        <PageLink repo={repo} />
      </header>
      {details?.gated && (
        <div className="alert-card" data-tone="info">
          <Lock size={18} aria-hidden="true" />
          <p>{t('discover.gated_how')}</p>
          <a
            className="link-button"
            href={routeHash({ page: 'settings', section: 'hub', item: 'hub_token' })}
          >
            {t('discover.token')}
          </a>
        </div>
      )}
      {!details && status === 'loading' && (
        <p className="page-note" role="status">
          {t('discover.loading')}
        </p>
      )}
      {status === 'failed' && (
        <EmptyState
          icon={CloudOff}
          title={t('discover.repo_failed')}
          text={state.failure ?? ''}
          failed
        >
          <button type="button" className="button" data-size="small" onClick={() => store.load()}>
            {t('common.retry')}
          </button>
        </EmptyState>
      )}
      {details && details.variants.length === 0 && (
        <EmptyState
          icon={FileQuestion}
          title={t('discover.repo_empty')}
          text={t('discover.repo_empty_how')}
        />
      )}
      {details && chosen && (
        <>
          <VariantList
            variants={details.variants}
            chosen={chosen.name}
            recommended={recommended?.name ?? null}
            checking={state.checking}
            onChoose={(variant) => store.choose(variant)}
          />
          {context !== null && (
            <ContextSlider
              steps={contextSteps(details.trained_context_length)}
              value={context}
              onChange={(tokens) => store.slide(tokens)}
            />
          )}
          {chosen.fit && <FitBar fit={chosen.fit} checking={status === 'loading'} />}
          <div className="repo-end">
            <span className="repo-choice">
              <span dir="auto">{chosen.quantization ?? chosen.name}</span>
              <Verdict
                fit={chosen.fit}
                checking={chosen.fit === null && chosen.name === state.checking}
              />
            </span>
            <DownloadButton details={details} variant={chosen} server={server} onUse={onUse} />
          </div>
        </>
      )}
    </section>
  );
}

function Facts({ details }: { details: HubModelDetails }) {
  const { parameters, architecture, trained_context_length, license } = details;
  const facts = [
    parameters === null ? null : t('discover.parameters', { count: formatCompact(parameters) }),
    architecture,
    trained_context_length === null
      ? null
      : t('discover.context_up_to', { tokens: formatContext(trained_context_length) }),
    license,
  ].filter((fact) => fact !== null && fact !== '');
  return (
    <p className="facts">
      {facts.map((fact) => (
        <span key={fact} dir="auto">
          {fact}
        </span>
      ))}
    </p>
  );
}

function PageLink({ repo }: { repo: string }) {
  const url = `https://huggingface.co/${repo}`;
  return (
    <a
      className="repo-page"
      href={url}
      target="_blank"
      rel="noreferrer"
      onClick={(event) => openLink(event, url)}
    >
      {t('discover.page')}
      <ExternalLink size={13} aria-hidden="true" />
    </a>
  );
}
