/**
 * `npm run bench:window`: how the window keeps up. Chromium shows a chat of 2,000 messages of a real server, and another
 * answer is written into it at 200 tokens/s by a server beside it. Printed are the frames that were lost meanwhile, at
 * rest and while the reader scrolls, and how long a long chat takes until it is seen: with answers of usual length at its
 * end, and with very long ones. How many frames the same scrolling loses in a page of plain paragraphs tells what of it is
 * the machine's.
 */
import fs from 'node:fs';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from '@playwright/test';
import { z } from 'zod';
import { askedSchema } from '../protocol/chats.js';
import { INSTANT, LONG, PACED, startPacedServer } from './paced-server.js';
import { type ServedHere, serveHere } from './serve-here.js';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '15' },
    rounds: { type: 'string', default: '3' },
  },
});
const messages = Number(values.messages);
const rate = Number(values.rate);
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);

/** Debian's, the whole one where there is one; elsewhere the browser that Playwright has installed. */
const SYSTEM_CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'].find((file) =>
  fs.existsSync(file),
);
const FRAME_MS = 1000 / 60;
const VIEWPORT = { width: 1280, height: 860 };
/** Answers of the longest kind, at the end of the chat. */
const LONG_ANSWERS = 6;
const idSchema = z.object({ id: z.string() });
const leafSchema = z.object({ leaf_id: z.string().nullable() });

const chatTexts = z.object({
  messages: z.array(
    z.object({ parts: z.array(z.object({ text: z.string().optional() })).optional() }),
  ),
});

const paced = await startPacedServer({ tokensPerSecond: rate, tokens: rate * seconds });
const server = await serveHere();
const browser = await chromium.launch(
  SYSTEM_CHROMIUM === undefined ? {} : { executablePath: SYSTEM_CHROMIUM },
);
try {
  await post('/pilotlight/upstreams', {
    name: 'bench',
    url: paced.url,
    models: null,
    enabled: true,
  });
  const chat = await newChat();
  await lengthen(chat, messages / 2 - LONG_ANSWERS, INSTANT);
  console.log(
    `${os.cpus()[0]?.model.trim()}, ${os.cpus().length} cores, load ${os.loadavg()[0]?.toFixed(2)}, ` +
      `Chromium ${browser.version()}; ${messages} messages, ${rate} tokens/s`,
  );
  await measureAll('usual answers at the end', chat);
  await lengthen(chat, LONG_ANSWERS, LONG);
  await measureAll('long answers at the end', chat);
} finally {
  await browser.close();
  await server.stop();
  await paced.stop();
}

async function measureAll(what: string, chat: string): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    console.log(`${what}, round ${round}: ${await measure(browser, server, chat)}`);
    console.log(`plain paragraphs: scrolled: ${await plainPage(browser)}`);
  }
}

async function measure(from: Browser, { url }: ServedHere, chat: string): Promise<string> {
  const page = await from.newPage({ viewport: VIEWPORT });
  const other = await newChat();
  const cold = await firstPaint(page, () => page.goto(`${url}/#/chat/${chat}`), true);
  await page.goto(`${url}/#/chat/${other}`);
  await page.getByTestId('message-assistant').waitFor({ state: 'detached' });
  const warm = await firstPaint(page, () => open(page, chat), false);
  const still = await written(page, chat, async () => {});
  const scrolled = await written(page, chat, () => scroll(page));
  await page.close();
  return (
    `first paint ${warm.toFixed(0)} ms (with the page itself ${cold.toFixed(0)} ms); ` +
    `written: ${line(still)}; written and scrolled: ${line(scrolled)}`
  );
}

/** The same scrolling where there is nothing to draw but text that has always been there. */
async function plainPage(from: Browser): Promise<string> {
  const page = await from.newPage({ viewport: VIEWPORT });
  const paragraph =
    '<p>The tide comes in twice a day because the Earth turns below two bulges of water.</p>';
  await page.setContent(
    `<div style="height: 100vh; overflow: auto"><div style="width: 45rem; margin: auto">${paragraph.repeat(4000)}</div></div>`,
  );
  await page.evaluate('document.querySelector("div").scrollTop = 1e9');
  const counted = await frames(page, () => scroll(page));
  await page.close();
  return line(counted);
}

async function scroll(page: Page): Promise<void> {
  await page.mouse.move(640, 400);
  for (let turns = 0; turns < 60; turns += 1) {
    await page.mouse.wheel(0, turns % 20 < 14 ? -240 : 300);
  }
}

interface Frames {
  shown: number;
  lost: number;
  longestMs: number;
}

function line({ shown, lost, longestMs }: Frames): string {
  const share = (100 * lost) / (shown + lost);
  return `${lost} of ${shown + lost} frames lost (${share.toFixed(1)} %), longest ${longestMs.toFixed(0)} ms`;
}

/** Time from the request until messages of the chat are on the screen, in milliseconds. */
async function firstPaint(
  page: Page,
  go: () => Promise<unknown>,
  isLoad: boolean,
): Promise<number> {
  const watch = `
    globalThis.shownAt = new Promise((resolve) => {
      const look = () => {
        // The frame in which they are found is painted before the next one begins.
        if (document.querySelector('[data-testid="message-assistant"]')) {
          requestAnimationFrame(() => resolve(performance.now()));
        } else requestAnimationFrame(look);
      };
      look();
    });
    null`;
  if (isLoad) await page.addInitScript(watch);
  else await page.evaluate(watch);
  const before = isLoad ? 0 : await page.evaluate('performance.now()');
  await go();
  return Number(await page.evaluate('globalThis.shownAt')) - Number(before);
}

async function open(page: Page, chat: string): Promise<void> {
  await page.evaluate(`location.hash = '#/chat/${chat}'`);
}

/** Asks for an answer at the given pace, and counts frames while it is written. What came of it is deleted again. */
async function written(page: Page, chat: string, meanwhile: () => Promise<void>): Promise<Frames> {
  const { leaf_id } = leafSchema.parse(await get(`/pilotlight/chats/${chat}`));
  const { question_id } = askedSchema.parse(
    await post(`/pilotlight/chats/${chat}/messages`, {
      parent_id: leaf_id,
      text: 'Go on.',
      models: [PACED],
    }),
  );
  await page.waitForSelector('[data-status="running"] .markdown');
  const counted = await frames(page, meanwhile);
  await checkPace(chat);
  await post(`/pilotlight/chats/${chat}/stop`, {});
  await answered(chat);
  await call('DELETE', `/pilotlight/chats/${chat}/messages/${question_id}`);
  return counted;
}

async function frames(page: Page, meanwhile: () => Promise<void>): Promise<Frames> {
  await page.evaluate(`
    globalThis.times = [];
    globalThis.counting = true;
    const tick = (now) => {
      times.push(now);
      if (counting) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);`);
  const began = performance.now();
  while (performance.now() - began < (seconds - 3) * 1000) {
    await meanwhile();
    await page.waitForTimeout(200);
  }
  const times = z.array(z.number()).parse(await page.evaluate('counting = false, times'));
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? time));
  const lost = gaps.reduce((sum, gap) => sum + Math.max(Math.round(gap / FRAME_MS) - 1, 0), 0);
  return { shown: gaps.length, lost, longestMs: Math.max(...gaps) };
}

/** Says where the answer did not grow as fast as was asked for. */
async function checkPace(chat: string): Promise<void> {
  const length = async () => {
    const { messages: all } = chatTexts.parse(await get(`/pilotlight/chats/${chat}`));
    return all.at(-1)?.parts?.reduce((sum, part) => sum + (part.text?.length ?? 0), 0) ?? 0;
  };
  const first = await length();
  const since = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const pace = ((await length()) - first) / 4 / ((performance.now() - since) / 1000);
  if (pace < rate / 2) console.log(`only ${pace.toFixed(0)} tokens/s were written`);
}

async function newChat(): Promise<string> {
  return idSchema.parse(await post('/pilotlight/chats', {})).id;
}

/** Asks so often, and waits for each answer. */
async function lengthen(chat: string, times: number, model: string): Promise<void> {
  const { leaf_id } = leafSchema.parse(await get(`/pilotlight/chats/${chat}`));
  let parent = leaf_id;
  for (let asked = 0; asked < times; asked += 1) {
    const text = `Question ${asked + 1}: how does that go on?`;
    const question = { parent_id: parent, text, models: [model] };
    const { answer_ids } = askedSchema.parse(
      await post(`/pilotlight/chats/${chat}/messages`, question),
    );
    parent = answer_ids[0] ?? null;
    await answered(chat);
  }
}

async function answered(chat: string): Promise<void> {
  for (;;) {
    const { chats } = z
      .object({ chats: z.array(z.object({ id: z.string(), answering: z.boolean() })) })
      .parse(await get('/pilotlight/chats'));
    if (!chats.find(({ id }) => id === chat)?.answering) return;
  }
}

async function get(path: string): Promise<unknown> {
  const response = await fetch(server.url + path);
  if (!response.ok)
    throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function post(path: string, body: object): Promise<unknown> {
  return (await call('POST', path, body)).json();
}

async function call(method: string, path: string, body?: object): Promise<Response> {
  const response = await fetch(server.url + path, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!response.ok)
    throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response;
}
