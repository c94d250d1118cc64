import { type RefObject, useEffect } from 'react';
import type { DesktopBridge } from '../../protocol/bridge.js';

/**
 * Makes the window as high as the parts in it, which are marked with data-part: the height of the page itself is that of
 * the window, and tells nothing.
 */
export function useWindowHeight(
  frame: RefObject<HTMLElement | null>,
  desktop: DesktopBridge,
): void {
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let last = -1;
    const tell = () => {
      const parts = [...element.querySelectorAll<HTMLElement>('[data-part]')];
      const edges = element.offsetHeight - element.clientHeight;
      const height = Math.ceil(parts.reduce((sum, part) => sum + part.offsetHeight, edges));
      if (height === last) return;
      last = height;
      desktop.quickAskHeight(height).catch(() => {});
    };
    const sizes = new ResizeObserver(tell);
    const watch = () => {
      sizes.disconnect();
      for (const part of element.querySelectorAll('[data-part]')) sizes.observe(part);
      tell();
    };
    const parts = new MutationObserver(watch);
    parts.observe(element, { childList: true });
    watch();
    return () => {
      parts.disconnect();
      sizes.disconnect();
    };
  }, [frame, desktop]);
}
