import { Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { PutUpstream, Upstream } from '../../protocol/upstreams.js';
import { ApiError } from '../api/error.js';
import {
  checkUpstream,
  listUpstreams,
  orderUpstreams,
  putUpstream,
  removeUpstream,
} from '../api/upstreams.js';
import { t } from '../i18n/i18n.js';
import { useAct } from '../shell/act.js';
import { ResourceStore } from '../shell/resource-store.js';
import { useStore } from '../shell/use-store.js';
import { SettingPlace, SettingsSection } from './setting.js';
import { UpstreamCard } from './upstream-card.js';
import { UpstreamDialog } from './upstream-dialog.js';

/** Other servers whose models are offered here, in the order in which they are tried. */
export function UpstreamSettings() {
  const [store] = useState(() => new ResourceStore(listUpstreams));
  const { value: upstreams, failure } = useStore(store);
  const [edited, setEdited] = useState<Upstream | 'new' | null>(null);
  const act = useAct();
  useEffect(() => {
    void store.load();
  }, [store]);

  /** Changes the list and reads it again. */
  const change = (action: () => Promise<void>) =>
    store.change(async () => {
      await action();
      return null;
    });
  const run = (action: () => Promise<void>) =>
    void act('upstream', async () => {
      const refused = await change(action);
      if (refused !== null) throw new ApiError('refused', refused);
    });
  const move = (id: string, by: -1 | 1) => {
    const ids = (upstreams ?? []).map((upstream) => upstream.id);
    const from = ids.indexOf(id);
    ids.splice(from, 1);
    ids.splice(from + by, 0, id);
    run(() => orderUpstreams(ids));
  };
  const enable = (upstream: Upstream, enabled: boolean) => {
    const { name, url, models } = upstream;
    run(() => putUpstream(upstream.id, { name, url, models, enabled }));
  };
  const save = async (put: PutUpstream) => {
    const id = edited === 'new' || edited === null ? null : edited.id;
    const refused = await change(() => putUpstream(id, put));
    if (refused === null) setEdited(null);
    return refused;
  };
  return (
    <SettingsSection title={t('settings.upstreams')} text={t('settings.upstreams_text')}>
      {failure !== null && (
        <p className="setting-failure" role="alert" dir="auto">
          {failure}
        </p>
      )}
      {upstreams !== null && upstreams.length > 0 && (
        <ul className="cards">
          {upstreams.map((upstream, i) => (
            <UpstreamCard
              key={upstream.id}
              upstream={upstream}
              isFirst={i === 0}
              isLast={i === upstreams.length - 1}
              onEnable={(enabled) => enable(upstream, enabled)}
              onMove={(by) => move(upstream.id, by)}
              onCheck={() => run(() => checkUpstream(upstream.id))}
              onEdit={() => setEdited(upstream)}
              onRemove={() => run(() => removeUpstream(upstream.id))}
            />
          ))}
        </ul>
      )}
      <SettingPlace id="upstreams">
        <button type="button" className="button" onClick={() => setEdited('new')}>
          <Plus size={16} aria-hidden="true" />
          {t('settings.upstream_add')}
        </button>
      </SettingPlace>
      <UpstreamDialog edited={edited} onClose={() => setEdited(null)} onSave={save} />
    </SettingsSection>
  );
}
