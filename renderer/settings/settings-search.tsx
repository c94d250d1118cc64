import { Search } from 'lucide-react';
import { Fragment, type KeyboardEvent, useId, useState } from 'react';
import { desktop } from '../api/bridge.js';
import { t } from '../i18n/i18n.js';
import { routeHash } from '../shell/route.js';
import { navigate } from '../shell/use-route.js';
import { SETTINGS, type SettingEntry } from './sections.js';
import { highlight, searchSettings } from './setting-search.js';

interface Found {
  entry: SettingEntry;
  title: string;
  hint: string;
  synonyms: string;
  section: string;
}

/** All settings that there are here, in the window's words. */
function searchable(): Found[] {
  return SETTINGS.filter((entry) => !entry.desktop || desktop !== null).map((entry) => ({
    entry,
    title: t(entry.title),
    hint: entry.hint ? t(entry.hint) : '',
    synonyms: t(entry.synonyms),
    section: t(`settings.${entry.section}`),
  }));
}

/** A field that finds settings; arrows go through what it found, Enter leads there. */
export function SettingsSearch() {
  const id = useId();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const found = searchSettings(searchable(), query);
  const asked = query.trim() !== '';
  const optionId = (i: number) => `${id}-${i}`;
  const go = (entry: SettingEntry) => {
    setQuery('');
    navigate({ page: 'settings', section: entry.section, item: entry.id });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || !asked) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setAt((at + step + found.length) % found.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const chosen = found[at];
      if (chosen) go(chosen.entry);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      setQuery('');
    }
  };
  return (
    <search className="settings-search">
      <div className="search-field">
        <Search size={16} aria-hidden="true" />
        <input
          type="text"
          role="combobox"
          dir="auto"
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          data-testid="search-settings"
          placeholder={t('settings.search')}
          aria-label={t('settings.search')}
          aria-expanded={asked && found.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={asked && found.length > 0 ? optionId(at) : undefined}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          onBlur={(event) => {
            if (!event.relatedTarget?.closest('.settings-found')) setQuery('');
          }}
        />
      </div>
      <p className="hidden-visually" role="status">
        {asked ? t('settings.found', { n: found.length }) : ''}
      </p>
      <div
        className="settings-found"
        data-testid="found-settings"
        id={`${id}-list`}
        role="listbox"
        hidden={!asked || found.length === 0}
        aria-label={t('settings.search')}
      >
        {found.map(({ entry, title, hint, section }, i) => (
          <a
            key={entry.id}
            id={optionId(i)}
            className="settings-find"
            role="option"
            aria-selected={i === at}
            tabIndex={-1}
            href={routeHash({ page: 'settings', section: entry.section, item: entry.id })}
            onPointerMove={() => setAt(i)}
            onClick={(event) => {
              event.preventDefault();
              go(entry);
            }}
          >
            <span className="settings-find-title">
              <Marked text={title} query={query} />
            </span>
            <span className="settings-find-section">{section}</span>
            {hint !== '' && (
              <span className="settings-find-hint">
                <Marked text={hint} query={query} />
              </span>
            )}
          </a>
        ))}
      </div>
      {asked && found.length === 0 && (
        <div className="settings-found">
          <p className="settings-find-none">
            {t('settings.none', { query: query.trim() })}
            <span>{t('settings.none_hint', { example: t('settings.theme') })}</span>
          </p>
        </div>
      )}
    </search>
  );
}

function Marked({ text, query }: { text: string; query: string }) {
  let at = 0;
  return highlight(text, query).map((piece) => {
    at += piece.text.length;
    return <Fragment key={at}>{piece.found ? <mark>{piece.text}</mark> : piece.text}</Fragment>;
  });
}
