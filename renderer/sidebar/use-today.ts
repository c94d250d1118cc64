import { useEffect, useState } from 'react';
import { dayAfter } from './days.js';

/** Longer timers fire at once in some browsers; a laptop that slept wakes up late. */
const WAIT_MS_MAX = 3_600_000;

/** A time of today: it changes when the day does, so that "today" stays true in a window that is never closed. */
export function useToday(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const wait = Math.min(dayAfter(now, 1) - now, WAIT_MS_MAX);
    const timer = setTimeout(() => setNow(Date.now()), Math.max(wait, 1_000));
    return () => clearTimeout(timer);
  }, [now]);
  return now;
}
