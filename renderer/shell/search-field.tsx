import { Search, X } from 'lucide-react';
import { useRef } from 'react';
import { t } from '../i18n/i18n.js';
import { IconButton } from './icon-button.js';

interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** A field to search in; Escape empties it. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const clear = () => {
    onChange('');
    input.current?.focus();
  };
  return (
    <div className="search-field">
      <Search size={16} aria-hidden="true" />
      <input
        ref={input}
        type="search"
        dir="auto"
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        placeholder={label}
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || value === '') return;
          event.preventDefault();
          clear();
        }}
      />
      {value !== '' && (
        <IconButton
          size="small"
          label={t('notices.clear_search')}
          icon={<X size={15} aria-hidden="true" />}
          onClick={clear}
        />
      )}
    </div>
  );
}
