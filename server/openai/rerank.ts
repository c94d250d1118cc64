/** POST /v1/rerank and /v2/rerank: how close documents are to a query, in the shape of Jina's and Cohere's APIs. */
import type { Request, Response } from 'express';
import { type RerankList, rerankRequestSchema } from '../../protocol/embeddings.js';
import { exchangeOf } from '../exchange/exchanges.js';
import { createId } from '../http/ids.js';
import { openCall } from '../request/call.js';
import { Parameters } from '../request/parameters.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';

const PARAMETERS = new Parameters(Object.keys(rerankRequestSchema.shape));
const WORDS = {
  query: 'a text that is not empty',
  documents: 'a list of 1 to 10,000 texts or {"text": …}, none empty',
  top_n: 'a whole number of at least 1',
  return_documents: 'true or false',
};

export function rerank(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const body = parseBody(rerankRequestSchema, req.body, WORDS);
    const { query, top_n: topN, return_documents: returnDocuments } = body;
    const model = services.current.resolveFor('rerank', body.model ?? null);
    const ask = openCall(services, model, PARAMETERS.ignored(body), res);
    const documents = body.documents.map((each) => (typeof each === 'string' ? each : each.text));
    const result = await ask('rerank', { query, documents, truncate: false }, 'documents');
    if (result === null) return;
    exchangeOf(res).countPrompt(result.totalTokens);
    const results = result.scores
      .map((score, index) => ({
        index,
        relevance_score: score,
        ...(returnDocuments ? { document: { text: documents[index] ?? '' } } : {}),
      }))
      .sort((a, b) => b.relevance_score - a.relevance_score)
      .slice(0, topN ?? documents.length);
    const list: RerankList = {
      id: createId('rerank-'),
      object: 'list',
      model: model.id,
      results,
      usage: { prompt_tokens: result.totalTokens, total_tokens: result.totalTokens },
      meta: { api_version: { version: '2' } },
    };
    res.json(list);
  };
}
