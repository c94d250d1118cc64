import { type RefObject, useLayoutEffect } from 'react';

/** Makes a textarea as high as its text; its max-height in CSS is the limit. */
export function useAutoGrow(ref: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const area = ref.current;
    if (!area) return;
    const grow = () => {
      area.style.height = 'auto';
      area.style.height = `${area.scrollHeight}px`;
    };
    grow();
    window.addEventListener('resize', grow);
    return () => window.removeEventListener('resize', grow);
  }, [ref, text]);
}
