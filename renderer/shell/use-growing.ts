import { type RefObject, useEffect, useRef, useState } from 'react';

/** As many fill a tall screen twice; drawing them takes no time that anybody feels. */
const STEP = 60;

/**
 * How many entries of a long list are drawn: more as soon as `end`, an element below the last one, comes into sight.
 * Begins anew with each `subject`.
 */
export function useGrowing(
  total: number,
  subject: unknown,
): { count: number; end: RefObject<HTMLDivElement | null> } {
  const end = useRef<HTMLDivElement>(null);
  const [count, setCount] = useState(STEP);
  const [about, setAbout] = useState(subject);
  if (about !== subject) {
    setAbout(subject);
    setCount(STEP);
  }
  const more = count < total;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an end that is still in sight after a step is told anew
  useEffect(() => {
    const element = end.current;
    if (!more || !element) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) setCount((before) => before + STEP);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [more, count]);
  return { count: Math.min(count, total), end };
}
