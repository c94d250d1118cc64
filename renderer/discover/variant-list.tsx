import { Check, Star } from 'lucide-react';
import { formatBytes } from '../../protocol/bytes.js';
import type { HubVariant } from '../../protocol/hub.js';
import { Verdict } from './verdict.js';

const words = {
  title: 'Quantisation',
  hint: 'Fewer bits are smaller and quicker, more bits are more exact.',
  recommended: 'Recommended',
  installed: 'Installed',
  parts: (count: number) => `${count} files`,
};

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
      <legend>{words.title}</legend>
      <p className="field-hint">{words.hint}</p>
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
                {words.recommended}
              </span>
            )}
            {installed_as !== null && (
              <span className="badge">
                <Check size={11} aria-hidden="true" />
                {words.installed}
              </span>
            )}
          </span>
          <span className="variant-size">
            {formatBytes(size_bytes)}
            {files.length > 1 && <small>{words.parts(files.length)}</small>}
          </span>
          <Verdict fit={fit} checking={fit === null && name === checking} />
        </label>
      ))}
    </fieldset>
  );
}
