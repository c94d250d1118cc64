import { describe, expect, it } from 'vitest';
import type { ChatEvent } from '../api/chat-chunk.js';
import type { ChatRequest } from '../api/chat-completions.js';
import { ApiError } from '../api/error.js';
import { ChatSession } from './session.js';

const delta = (content: string): ChatEvent => ({ type: 'delta', content, reasoning: '' });

/** A server under the test's control: `send` delivers a batch, `end` completes or fails the answer. */
function harness() {
  const requests: ChatRequest[] = [];
  const frames: (() => void)[] = [];
  let batches: ChatEvent[][] = [];
  let ended: { cause: unknown } | null = null;
  let wake = () => {};
  let ids = 0;
  const session = new ChatSession({
    async *stream(chat, signal) {
      requests.push(chat);
      signal.addEventListener('abort', () => {
        ended = { cause: new DOMException('Aborted', 'AbortError') };
        wake();
      });
      for (;;) {
        const batch = batches.shift();
        if (batch) yield batch;
        else if (ended) {
          const { cause } = ended;
          ended = null;
          if (cause) throw cause;
          return;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
    nextFrame: (callback) => frames.push(callback),
    now: () => 0,
    newId: () => `id${ids++}`,
  });
  return {
    session,
    requests,
    frame: () => {
      for (const callback of frames.splice(0)) callback();
    },
    send: async (...events: ChatEvent[]) => {
      batches = [...batches, events];
      wake();
      await new Promise((resolve) => setTimeout(resolve));
    },
    end: (cause: unknown = null) => {
      ended = { cause };
      wake();
    },
    answer: () => session.snapshot().turns.at(-1)?.answer,
  };
}

describe('ChatSession', () => {
  it('shows what has come once per frame, and all of it at the end', async () => {
    const { session, send, frame, end, answer, requests } = harness();
    const asked = session.ask('Hi', 'guide');
    let changes = 0;
    session.subscribe(() => {
      changes += 1;
    });
    await send(delta('a'), delta('b'));
    await send(delta('c'));
    expect(answer()?.text).toBe('');
    frame();
    expect(answer()?.text).toBe('abc');
    expect(changes).toBe(1);
    await send(delta('d'), { type: 'finish', reason: 'stop' });
    end();
    await asked;
    expect(answer()).toMatchObject({ text: 'abcd', status: 'complete' });
    expect(requests).toEqual([{ model: 'guide', messages: [{ role: 'user', content: 'Hi' }] }]);
  });

  it('marks an answer that reached the limit', async () => {
    const { session, send, end, answer } = harness();
    const asked = session.ask('Hi', 'guide');
    await send(delta('a'), { type: 'finish', reason: 'length' });
    end();
    await asked;
    expect(answer()?.status).toBe('length');
  });

  it('keeps what has come when it is stopped, and can go on', async () => {
    const { session, send, frame, end, answer } = harness();
    const asked = session.ask('Hi', 'guide');
    await send(delta('half'));
    session.stop();
    expect(answer()).toMatchObject({ text: 'half', status: 'stopped' });
    await asked;
    expect(answer()?.status).toBe('stopped');
    const again = session.ask('More', 'guide');
    await send(delta('ok'));
    frame();
    end();
    await again;
    expect(session.snapshot().turns.map((turn) => turn.answer.text)).toEqual(['half', 'ok']);
  });

  it('puts a failure into words beside what has come', async () => {
    const { session, send, end, answer } = harness();
    const asked = session.ask('Hi', 'guide');
    await send(delta('half'));
    end(new ApiError('broken', 'It died.', null, 'engine_crashed'));
    await asked;
    expect(answer()).toMatchObject({
      text: 'half',
      status: 'failed',
      failure: { title: 'The model stopped unexpectedly', message: 'It died.', remedy: 'retry' },
    });
  });

  it('asks the edited question in place of the last one', async () => {
    const { session, end, requests } = harness();
    const first = session.ask('Hi', 'guide');
    end();
    await first;
    const second = session.askAgain('other', 'Hello');
    end();
    await second;
    expect(requests[1]).toEqual({
      model: 'other',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect(session.snapshot().turns).toHaveLength(1);
  });

  it('takes no second question while it answers', async () => {
    const { session, end, requests } = harness();
    const first = session.ask('Hi', 'guide');
    await session.ask('And?', 'guide');
    await session.askAgain('guide');
    end();
    await first;
    expect(requests).toHaveLength(1);
  });

  it('a new chat stops the answer and can be taken back', async () => {
    const { session, send } = harness();
    const asked = session.ask('Hi', 'guide');
    await send(delta('half'));
    session.stop();
    const { turns } = session.snapshot();
    session.replace([]);
    await asked;
    expect(session.snapshot().turns).toEqual([]);
    session.replace(turns);
    expect(session.snapshot().turns[0]?.answer).toMatchObject({ text: 'half', status: 'stopped' });
  });
});
