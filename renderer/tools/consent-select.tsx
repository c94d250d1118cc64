import { ChevronDown } from 'lucide-react';
import { type ToolConsent, toolConsentSchema } from '../../protocol/mcp.js';
import { t } from '../i18n/i18n.js';

interface ConsentSelectProps {
  label: string;
  /** Null: several tools, which differ. */
  value: ToolConsent | null;
  onChange: (consent: ToolConsent) => void;
}

/** Whether a tool may be called. */
export function ConsentSelect({ label, value, onChange }: ConsentSelectProps) {
  return (
    <span className="select" data-size="small">
      <select
        aria-label={label}
        value={value ?? ''}
        onChange={(event) => onChange(toolConsentSchema.parse(event.target.value))}
      >
        {value === null && (
          <option value="" disabled>
            {t('tools.consent_mixed')}
          </option>
        )}
        {toolConsentSchema.options.map((consent) => (
          <option key={consent} value={consent}>
            {t(`tools.consent_${consent}`)}
          </option>
        ))}
      </select>
      <ChevronDown size={14} aria-hidden="true" />
    </span>
  );
}
