import { useEffect, useRef, useState } from 'react';

/** Long enough that not each letter is sent. */
const COMMIT_MS = 500;

/**
 * A text that is kept as it is typed. While it is being changed here, what others change of it waits.
 * @param commit Gets each text that is good, a moment after the last key or when the field is left.
 */
export function useEdited(value: string, commit: (text: string) => void) {
  const [edited, setEdited] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const latest = useRef({ edited, commit });
  latest.current = { edited, commit };
  const flush = () => {
    if (timer.current === null) return;
    clearTimeout(timer.current);
    timer.current = null;
    const { edited, commit } = latest.current;
    if (edited !== null) commit(edited);
  };
  const flushLatest = useRef(flush);
  flushLatest.current = flush;
  useEffect(() => () => flushLatest.current(), []);
  return {
    text: edited ?? value,
    onChange: (text: string) => {
      setEdited(text);
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = setTimeout(() => flushLatest.current(), COMMIT_MS);
    },
    onBlur: () => {
      flush();
      setEdited(null);
    },
  };
}
