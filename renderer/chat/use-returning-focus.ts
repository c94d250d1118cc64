import { type RefObject, useEffect, useRef } from 'react';

/** The button that opened something, and gets the focus back when it is closed. */
export function useReturningFocus(open: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !open) button.current?.focus();
    wasOpen.current = open;
  }, [open]);
  return button;
}
