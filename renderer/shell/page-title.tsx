import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { IconButton } from './icon-button.js';
import { backToChat } from './use-route.js';

/** A page's name, with the way back to the chat. `back`: what that button is called. */
export function PageTitle({ title, back }: { title: string; back: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Whoever comes here by keyboard or screen reader begins at the top of the page.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <div className="page-title">
      <IconButton
        label={back}
        keys="Esc"
        icon={<ArrowLeft size={18} aria-hidden="true" className="flip-rtl" />}
        data-testid="back-to-chat"
        onClick={backToChat}
      />
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
    </div>
  );
}
