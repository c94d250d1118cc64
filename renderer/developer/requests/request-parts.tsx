import { useEffect, useState } from 'react';
import type { InspectedRequest, Snippet } from '../../../protocol/inspector.js';
import { messageOf } from '../../api/error.js';
import { requestSnippets } from '../../api/inspector.js';
import { t } from '../../i18n/i18n.js';
import { CodeBlock } from '../../markdown/code-block.js';
import { formatDuration } from '../../shell/format.js';
import { SelectField } from '../../shell/select-field.js';
import { Timeline } from './timeline.js';

interface PartProps {
  detail: InspectedRequest;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** What the model wrote, or why there is nothing. */
export function AnswerPart({ detail: { answers, refusal, end, live } }: PartProps) {
  const error = end?.error_message ?? null;
  if (refusal !== null) return <CodeBlock code={pretty(refusal)} language="json" />;
  return (
    <>
      {error !== null && (
        <p className="setting-failure" dir="auto">
          {error}
        </p>
      )}
      {answers.map(({ text }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: choices have no other name
        <CodeBlock key={i} code={text} language="" />
      ))}
      {answers.every(({ text }) => text === '') && (
        <p className="page-note">{live ? t('developer.answer_yet') : t('developer.answer_none')}</p>
      )}
    </>
  );
}

function pretty(text: string): string {
  try {
    return json(JSON.parse(text));
  } catch {
    return text;
  }
}

/** The body as it was sent, and the parameters as they were understood. */
export function RequestPart({ detail: { body, parameters, ignored } }: PartProps) {
  return (
    <>
      {ignored.length > 0 && (
        <p className="given">{t('developer.ignored', { names: ignored.join(', ') })}</p>
      )}
      <CodeBlock code={json(body)} language="json" />
      {parameters && (
        <>
          <h4>{t('developer.understood')}</h4>
          <CodeBlock code={json(parameters)} language="json" />
        </>
      )}
    </>
  );
}

/** The prompt as the model read it. */
export function PromptPart({ detail: { prompts } }: PartProps) {
  if (prompts.length === 0) return <p className="page-note">{t('developer.prompt_none')}</p>;
  return prompts.map(({ text, token_ids }, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: prompts have no other name
    <CodeBlock key={i} code={text ?? token_ids.join(' ')} language="" />
  ));
}

/** When tokens came, and where the time went. */
export function TimePart({ detail: { timeline, end } }: PartProps) {
  const timings = end?.timings ?? null;
  return (
    <>
      <Timeline points={timeline} totalMs={end?.total_ms ?? null} />
      {timings && (
        <dl className="request-numbers">
          <Duration name={t('developer.time_queue')} ms={timings.queue_ms} />
          <Duration name={t('developer.time_prefill')} ms={timings.prefill_ms} />
          <Duration name={t('developer.time_first')} ms={timings.ttft_ms} />
          <Duration name={t('developer.fact_time')} ms={timings.total_ms} />
        </dl>
      )}
    </>
  );
}

function Duration({ name, ms }: { name: string; ms: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{formatDuration(ms)}</dd>
    </div>
  );
}

/** The request as code that sends it again. */
export function CodePart({ id }: { id: string }) {
  const [snippets, setSnippets] = useState<readonly Snippet[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [chosen, setChosen] = useState('');
  useEffect(() => {
    const left = new AbortController();
    requestSnippets(id, left.signal).then(setSnippets, (cause: unknown) => {
      if (!left.signal.aborted) setFailure(messageOf(cause));
    });
    return () => left.abort();
  }, [id]);
  const named = (snippets ?? []).map((snippet) => ({
    ...snippet,
    name: `${snippet.client} (${snippet.language})`,
  }));
  const shown = named.find(({ name }) => name === chosen) ?? named[0];
  if (!shown) {
    return (
      <p className="page-note" role="status" dir="auto">
        {failure ?? t('developer.reading')}
      </p>
    );
  }
  return (
    <>
      <SelectField
        label={t('developer.clients')}
        value={shown.name}
        options={named.map(({ name }) => ({ value: name, label: name }))}
        onChange={setChosen}
      />
      <CodeBlock key={shown.name} code={shown.code.trimEnd()} language={shown.language} />
    </>
  );
}
