import { Check, Star } from 'lucide-react';
import type { HubVariant } from '../../protocol/hub.js';
import { t } from '../i18n/i18n.js';
import { formatBytes } from '../shell/format.js';
import { Verdict } from './verdict.js';

interface VariantListProps {
  variants: readonly HubVariant[];
  chosen: string | null;
  recommended: string | null;
  /** The variant whose verdict is on its way. */
  checking: string | null;
  onChoose: (name: string) => void;
}

/** The quantisations of a repo, one of which is chosen. */
export function VariantList(props: VariantListProps) {
  const { variants, chosen, recommended, checking, onChoose } = props;
  return (
    <fieldset className="variants">
      <legend>{t('discover.quantisation')}</legend>
      <p className="field-hint">{t('discover.quantisation_hint')}</p>
      {variants.map(({ name, quantization, size_bytes, files, installed_as, fit }) => (
        <label key={name} className="variant" data-testid={`variant-${name}`}>
          <input
            type="radio"
            name="variant"
            value={name}
            checked={name === chosen}
            onChange={() => onChoose(name)}
          />
          <span className="variant-name">
            <span dir="auto" title={name}>
              {quantization ?? name}
            </span>
            {name === recommended && (
              <span className="badge" data-tone="accent">
                <Star size={11} aria-hidden="true" />
                {t('discover.recommended')}
              </span>
            )}
            {installed_as !== null && (
              <span className="badge">
                <Check size={11} aria-hidden="true" />
                {t('discover.installed')}
              </span>
            )}
          </span>
          <span className="variant-size">
            {formatBytes(size_bytes)}
            {files.length > 1 && <small>{t('discover.files', { n: files.length })}</small>}
          </span>
          <Verdict fit={fit} checking={fit === null && name === checking} />
        </label>
      ))}
    </fieldset>
  );
}
