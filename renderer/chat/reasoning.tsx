import { ChevronRight } from 'lucide-react';
import { useId } from 'react';
import { t } from '../i18n/i18n.js';
import { Markdown } from '../markdown/markdown.js';
import { useFold } from './folds.js';

interface ReasoningProps {
  /** For what the person chose: it is kept while the answer is scrolled out of sight. */
  foldKey: string;
  text: string;
  /** Milliseconds it took; null while it lasts. */
  ms: number | null;
  /** The answer is still being written. */
  running: boolean;
}

/** What a model thought before it answered: open while it thinks, then folded, unless the person chose otherwise. */
export function Reasoning({ foldKey, text, ms, running }: ReasoningProps) {
  const thinking = running && ms === null;
  const [open, setOpen] = useFold(foldKey, thinking);
  const id = useId();
  return (
    <div className="reasoning">
      <button
        type="button"
        className="reasoning-toggle"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight className="fold-arrow" size={16} aria-hidden="true" />
        {thinking ? t('chat.thinking') : thoughtFor(ms)}
      </button>
      <div id={id} className="reasoning-text" hidden={!open}>
        {open && <Markdown text={text} writing={thinking} />}
      </div>
    </div>
  );
}

function thoughtFor(ms: number | null): string {
  if (ms === null) return t('chat.thought');
  if (ms < 1000) return t('chat.thought_briefly');
  const all = Math.round(ms / 1000);
  if (all < 60) return t('chat.thought_seconds', { seconds: all });
  return t('chat.thought_minutes', { minutes: Math.floor(all / 60), seconds: all % 60 });
}
