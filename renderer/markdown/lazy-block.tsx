import { useContext, useLayoutEffect, useRef, useState } from 'react';
import { Block, type BlockProps } from 'streamdown';
import { blockHeight, keepBlockHeight } from './block-height.js';
import { Drawing } from './draw-queue.js';

/**
 * A block of Markdown that is drawn when the reader comes near. Until then its plain text stands in its place: words are
 * found, read aloud and copied there too.
 */
export function LazyBlock({ dir, ...block }: BlockProps) {
  const { content } = block;
  const queue = useContext(Drawing);
  const [isDrawn, setDrawn] = useState(queue === null);
  const frame = useRef<HTMLDivElement>(null);
  const latest = useRef(content);
  latest.current = content;

  useLayoutEffect(() => {
    const text = frame.current?.parentElement;
    const element = frame.current?.firstElementChild;
    if (isDrawn || !queue || !text || !element) return;
    return queue.add({ element, text, draw: () => setDrawn(true) });
  }, [isDrawn, queue]);

  // Its height is known again when its message comes back into sight.
  useLayoutEffect(() => {
    const elements = frame.current?.children;
    const [element] = elements ?? [];
    if (!isDrawn || !queue || !element || elements?.length !== 1) return;
    return follow(element, (height) => keepBlockHeight(latest.current, height));
  }, [isDrawn, queue]);

  return (
    <div ref={frame} className="block" dir={dir}>
      {isDrawn ? (
        <Block {...block} />
      ) : (
        <div className="undrawn" data-undrawn="" style={{ height: blockHeight(content) }}>
          {content.trim()}
        </div>
      )}
    </div>
  );
}

const followed = new WeakMap<Element, (height: number) => void>();
let observer: ResizeObserver | null = null;

/** Tells the height of an element in CSS pixels whenever it has changed. */
function follow(element: Element, tell: (height: number) => void): () => void {
  observer ??= new ResizeObserver((entries) => {
    for (const { target, borderBoxSize } of entries) {
      const height = borderBoxSize[0]?.blockSize;
      if (height !== undefined && height > 0) followed.get(target)?.(height);
    }
  });
  followed.set(element, tell);
  observer.observe(element);
  return () => {
    followed.delete(element);
    observer?.unobserve(element);
  };
}
