import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ModelEntry } from '../../protocol/models.js';
import { modelSettings } from '../api/models.js';
import { t } from '../i18n/i18n.js';
import { IconButton } from '../shell/icon-button.js';
import { ResourceStore } from '../shell/resource-store.js';
import { useStore } from '../shell/use-store.js';
import { ModelSettingsForm } from './model-settings-form.js';

interface ModelSettingsPanelProps {
  /** The model whose settings are open; null: none. */
  model: ModelEntry | null;
  onClose: () => void;
}

/** A model's settings, at the side of the page. */
export function ModelSettingsPanel({ model, onClose }: ModelSettingsPanelProps) {
  const title = useRef<HTMLHeadingElement>(null);
  return (
    <Dialog.Root open={model !== null} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="side-panel" initialFocus={title}>
          <header className="side-panel-head">
            <div>
              <Dialog.Title ref={title} tabIndex={-1}>
                {t('model-settings.title')}
              </Dialog.Title>
              {model && (
                <p className="side-panel-subject" dir="auto">
                  {model.name}
                </p>
              )}
            </div>
            <Dialog.Close
              render={
                <IconButton label={t('common.close')} icon={<X size={18} aria-hidden="true" />} />
              }
            />
          </header>
          <Dialog.Description className="hidden-visually">
            {t('model-settings.text')}
          </Dialog.Description>
          {model && <Loaded key={model.id} model={model} onClose={onClose} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Loaded({ model, onClose }: { model: ModelEntry; onClose: () => void }) {
  const [store] = useState(() => new ResourceStore(() => modelSettings(model.id)));
  const { value, failure } = useStore(store);
  useEffect(() => {
    void store.load();
  }, [store]);
  if (value !== null) return <ModelSettingsForm model={model} settings={value} onClose={onClose} />;
  if (failure === null) {
    return (
      <p className="page-note" role="status">
        {t('model-settings.loading_settings')}
      </p>
    );
  }
  return (
    <div className="page-note">
      <p className="setting-failure" role="alert" dir="auto">
        {failure}
      </p>
      <button type="button" className="button" onClick={() => void store.load()}>
        {t('common.retry')}
      </button>
    </div>
  );
}
