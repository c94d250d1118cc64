import { type RefObject, useEffect, useLayoutEffect } from 'react';

/** Makes a textarea as high as its text; its max-height in CSS is the limit. */
export function useAutoGrow(ref: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    if (ref.current) grow(ref.current);
  }, [ref, text]);

  useEffect(() => {
    const area = ref.current;
    if (!area) return;
    let width = area.offsetWidth;
    let frame = 0;
    // Lines break elsewhere in another width, and what was hidden (without any width) had no height to go by.
    const observer = new ResizeObserver(() => {
      if (area.offsetWidth === width) return;
      width = area.offsetWidth;
      cancelAnimationFrame(frame);
      // The observer must not change what it watches before it has told all of it.
      frame = requestAnimationFrame(() => grow(area));
    });
    observer.observe(area);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
    };
  }, [ref]);
}

function grow(area: HTMLTextAreaElement): void {
  area.style.height = 'auto';
  // A hidden one has no height: it keeps that of its rows until it is shown.
  if (area.scrollHeight > 0) area.style.height = `${area.scrollHeight}px`;
}
