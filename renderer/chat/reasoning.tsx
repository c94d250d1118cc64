import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { Markdown } from '../markdown/markdown.js';
import { formatThinkingTime } from '../shell/format.js';

interface ReasoningProps {
  text: string;
  /** Milliseconds it took; null while it lasts. */
  ms: number | null;
  /** The answer is still being written. */
  running: boolean;
}

/** What a model thought before it answered: open while it thinks, then folded, unless the person chose otherwise. */
export function Reasoning({ text, ms, running }: ReasoningProps) {
  const thinking = running && ms === null;
  const [choice, setChoice] = useState<boolean | null>(null);
  const id = useId();
  const open = choice ?? thinking;
  const title = ms === null ? 'Thought' : `Thought for ${formatThinkingTime(ms)}`;
  return (
    <div className="reasoning">
      <button
        type="button"
        className="reasoning-toggle"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setChoice(!open)}
      >
        <ChevronRight className="reasoning-arrow" size={16} aria-hidden="true" />
        {thinking ? 'Thinking…' : title}
      </button>
      <div id={id} className="reasoning-text" hidden={!open}>
        {open && <Markdown text={text} writing={thinking} />}
      </div>
    </div>
  );
}
