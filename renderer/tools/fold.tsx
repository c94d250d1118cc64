import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useFold } from '../chat/folds.js';

interface FoldProps {
  /** By which it is known whether it is open. */
  name: string;
  title: ReactNode;
  children: ReactNode;
}

/** Something that is shown when it is asked for. */
export function Fold({ name, title, children }: FoldProps) {
  const [open, setOpen] = useFold(name, false);
  const id = useId();
  return (
    <div className="fold">
      <button
        type="button"
        className="fold-toggle"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight className="fold-arrow" size={16} aria-hidden="true" />
        {title}
      </button>
      <div id={id} className="fold-body" hidden={!open}>
        {open && children}
      </div>
    </div>
  );
}
