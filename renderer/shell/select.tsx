import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';

/** The system's own list of choices, in the window's clothes. */
export function Select(props: ComponentProps<'select'>) {
  return (
    <span className="select">
      <select {...props} />
      <ChevronDown size={15} aria-hidden="true" />
    </span>
  );
}
