import { useEffect, useState } from 'react';
import type { Attachment } from '../../protocol/attachments.js';
import { attachmentsApi } from '../api/attachments.js';
import { type Counted, tightest } from './limit.js';

/** How long nothing is written before it is counted, in milliseconds. */
const PAUSE_MS = 500;

/** Characters from which on a question without files is counted too. */
const LONG_TEXT = 4_000;

interface Question {
  chat: string | null;
  parent: string | null;
  text: string;
  attached: readonly Attachment[];
  /** That are asked; several: each counts in its own way. */
  models: readonly string[];
  /** Changes when one of them is loaded, or leaves. */
  states: string;
}

/** What the question takes of the model that has least room for it; null: it is short, or nobody has counted yet. */
export function useQuestionCount(question: Question): Counted | null {
  const { chat, parent, text, attached, models, states } = question;
  const [counted, setCounted] = useState<Counted | null>(null);
  const asked = [...new Set(models)].join('\n');
  const wants = chat !== null && (attached.length > 0 || text.length > LONG_TEXT);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a model that has been loaded can count
  useEffect(() => {
    if (!wants) {
      setCounted(null);
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const attachments = attached.map(({ id }) => id);
      const question = { parent_id: parent, text, attachments };
      const counts = asked.split('\n').map(async (model) => ({
        count: await attachmentsApi.count(
          chat,
          { ...question, ...(model === '' ? {} : { model }) },
          abort.signal,
        ),
        model,
      }));
      Promise.all(counts).then(
        (all) => !abort.signal.aborted && setCounted(tightest(all)),
        // Whether it fits is told when it is asked, then.
        () => !abort.signal.aborted && setCounted(null),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [wants, chat, parent, text, attached, asked, states]);
  return wants ? counted : null;
}
