import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';

/** Closer to the end than this counts as being there: about one line of text. */
const END_PX = 32;

/**
 * Keeps a scroller at its end while its content grows, unless the reader has scrolled away from it. Scrolling up lets
 * go at once; only coming back to the end, or `toEnd`, takes hold again.
 */
export function useStickToEnd(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
) {
  const stuck = useRef(true);
  const lastTop = useRef(0);
  const [away, setAway] = useState(false);

  const jump = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
  }, [scroller]);

  const toEnd = useCallback(() => {
    stuck.current = true;
    setAway(false);
    jump();
  }, [jump]);

  /** Goes to the end again where the reader is there. */
  const hold = useCallback(() => {
    if (stuck.current) jump();
  }, [jump]);

  /** Stays where the reader is sent to, though it was at the end. */
  const letGo = useCallback(() => {
    stuck.current = false;
  }, []);

  // Before the first paint: a chat opens at its end.
  useLayoutEffect(() => {
    const element = scroller.current;
    const inside = content.current;
    if (!element || !inside) return;
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const distance = scrollHeight - clientHeight - scrollTop;
      if (distance <= END_PX) stuck.current = true;
      if (scrollTop < lastTop.current - 1 && distance > 2) stuck.current = false;
      lastTop.current = scrollTop;
      setAway(!stuck.current && distance > END_PX);
    };
    // Growth by itself moves nothing and gives no scroll event, so both the content and the frame are watched.
    const observer = new ResizeObserver(() => {
      if (stuck.current) jump();
      else onScroll();
    });
    observer.observe(inside);
    observer.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    jump();
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, [scroller, content, jump]);

  return { away, toEnd, hold, letGo };
}
