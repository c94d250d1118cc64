/** What holds on every screen, whoever uses it: each check gives its faults, one line each. */
import { expect, type Page } from '@playwright/test';

/** Widest that anything may be before it is cut off or scrolls sideways; and what may lie on a control. */
export async function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const name = (element: Element) =>
      `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} “${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)}”`;
    const { scrollWidth, scrollHeight, clientHeight } = document.documentElement;
    if (scrollWidth > innerWidth) {
      const beyond = [...document.querySelectorAll('body *')].filter(
        (element) => element.getBoundingClientRect().right > innerWidth + 1,
      );
      // The innermost ones are the cause.
      const inner = beyond.filter(
        (element) => !beyond.some((other) => other !== element && element.contains(other)),
      );
      faults.push(`the page is ${scrollWidth} px wide, for ${inner.map(name).join(', ')}`);
    }
    if (scrollHeight > clientHeight) faults.push(`the page is ${scrollHeight} px high`);

    // What is open above the page hides the rest of it, which is no fault.
    const shown = (selector: string) =>
      [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
    const above = shown('[role="menu"], [role="dialog"], [role="alertdialog"]');
    const ground = above.at(-1) ?? shown('[role="listbox"]').at(-1) ?? document.body;
    const room = (element: Element) => {
      let height = innerHeight;
      for (let one = element.parentElement; one; one = one.parentElement) {
        if (/auto|scroll/.test(getComputedStyle(one).overflowY))
          height = Math.min(height, one.clientHeight);
      }
      return height;
    };
    const controls = ground.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, summary, [role="menuitem"], [role="option"], [tabindex="0"]',
    );
    for (const control of controls) {
      if (!control.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      if (control.closest('.hidden-visually, [data-base-ui-focus-guard], [inert]')) continue;
      if (control.matches('.hidden-visually')) continue;
      control.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
      const { left, right, top, bottom, width, height } = control.getBoundingClientRect();
      if (width < 2 || height < 2) continue;
      if (left < -1 || right > innerWidth + 1) {
        faults.push(`${name(control)} reaches from ${Math.round(left)} to ${Math.round(right)} px`);
        continue;
      }
      if (height <= room(control) && (top < -1 || bottom > innerHeight + 1)) {
        faults.push(
          `${name(control)} cannot be scrolled into sight (${Math.round(top)} to ${Math.round(bottom)} px)`,
        );
        continue;
      }
      if (getComputedStyle(control).pointerEvents === 'none') continue;
      const [from, to] = [Math.max(top, 0), Math.min(bottom, innerHeight)];
      const labels = control instanceof HTMLInputElement ? [...(control.labels ?? [])] : [];
      // A part of it that is free is enough to see where one is.
      const hits = [0.5, 0.2, 0.8].flatMap((across) =>
        [0.5, 0.2, 0.8].map((down) =>
          document.elementFromPoint(left + width * across, from + (to - from) * down),
        ),
      );
      const isFree = (hit: Element | null) =>
        hit === null ||
        control.contains(hit) ||
        hit.contains(control) ||
        labels.some((element) => element.contains(hit));
      const [hit] = hits;
      if (!hit || hits.some(isFree)) continue;
      faults.push(`${name(control)} is covered by ${name(hit)}`);
    }
    return faults;
  });
}

/** What moves, of those who asked that nothing does. */
export async function motionFaults(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ playState, effect }) => {
        const { duration } = effect?.getComputedTiming() ?? {};
        return playState === 'running' && duration !== 0;
      })
      .map((animation) => {
        const { target } = animation.effect as KeyframeEffect;
        return `${target?.tagName}.${target?.getAttribute('class')} moves`;
      }),
  );
}

/** What a screen reader goes by: one main part, a heading of the page, names, the language. */
export async function structureFaults(page: Page, language: string): Promise<string[]> {
  return page.evaluate((wanted) => {
    const faults: string[] = [];
    const visible = (selector: string) =>
      [...document.querySelectorAll<HTMLElement>(selector)].filter((element) =>
        element.checkVisibility({ visibilityProperty: true }),
      );
    if (visible('main, [role="main"]').length !== 1) {
      faults.push(`${visible('main').length} main parts`);
    }
    if (visible('h1').length !== 1)
      faults.push(`${visible('h1').length} headings of the first level`);
    if (document.documentElement.lang !== wanted)
      faults.push(`lang is ${document.documentElement.lang}`);
    if (document.title === '') faults.push('no title');
    let level = 0;
    for (const heading of visible('main h1, main h2, main h3, main h4, main h5, main h6')) {
      const next = Number(heading.tagName.slice(1));
      // Of an answer's own headings its writer decides.
      if (heading.closest('.markdown')) continue;
      if (next > level + 1) faults.push(`h${next} after h${level}: ${heading.textContent}`);
      level = next;
    }
    return faults;
  }, language);
}

interface Stop {
  name: string;
  /** Why it is no place to stand on, or null. */
  fault: string | null;
}

/** Goes through the screen with the Tab key until it begins anew: every stop shows that one stands on it, none holds one. */
export async function keyboardFaults(page: Page, max = 150): Promise<string[]> {
  const faults: string[] = [];
  await page.evaluate(() => {
    const marked = window as unknown as { stops: Set<Element> };
    marked.stops = new Set();
  });
  let last = '';
  let same = 0;
  for (let step = 0; step < max; step += 1) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate((): (Stop & { again: boolean }) | null => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const { stops } = window as unknown as { stops: Set<Element> };
      const again = stops.has(element);
      stops.add(element);
      const text = element.getAttribute('aria-label') ?? element.textContent ?? '';
      const name = `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} “${text.trim().slice(0, 40)}”`;
      if (again || element.matches('[data-base-ui-focus-guard]'))
        return { name, again, fault: null };
      const { width, height, top, bottom, left, right } = element.getBoundingClientRect();
      // What shows the focus: the element itself, or what stands for it.
      const shows = [
        element,
        element.parentElement,
        element.nextElementSibling,
        element.closest('label'),
      ];
      const isShown = shows.some((one) => {
        if (!one) return false;
        const { outlineStyle, outlineWidth, boxShadow, borderColor } = getComputedStyle(one);
        return (
          (outlineStyle !== 'none' && outlineWidth !== '0px') ||
          one.matches('input, textarea, [contenteditable]') ||
          (boxShadow !== 'none' && borderColor !== '')
        );
      });
      const outside = bottom < 1 || top > innerHeight - 1 || right < 1 || left > innerWidth - 1;
      const fault =
        width < 1 || height < 1
          ? 'has no size'
          : outside
            ? 'is out of sight'
            : isShown
              ? null
              : 'does not show that it has the focus';
      return { name, again, fault };
    });
    if (stop === null) {
      same = 0;
      if (step > 0) break;
      continue;
    }
    if (stop.fault !== null) faults.push(`${stop.name} ${stop.fault}`);
    same = stop.name === last ? same + 1 : 0;
    if (same > 5) {
      faults.push(`${stop.name} keeps the focus`);
      break;
    }
    last = stop.name;
    if (stop.again) break;
  }
  return faults;
}

/** Closes with Escape what is open above the page: the focus goes back to a place in what is left. */
export async function closingFaults(page: Page): Promise<string[]> {
  const above = page.locator('[role="menu"], [role="dialog"], [role="alertdialog"]');
  const count = await above.count();
  await page.keyboard.press('Escape');
  await expect.poll(() => above.count()).toBeLessThan(count);
  const held = () => page.evaluate(() => document.activeElement !== document.body);
  try {
    await expect.poll(held, { timeout: 5_000 }).toBe(true);
    return [];
  } catch {
    return ['the focus is nowhere after Escape'];
  }
}
