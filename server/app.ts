/** The route table, and nothing else. */
import express, { type Express, type RequestHandler } from 'express';
import { countTokens } from './anthropic/count-tokens.js';
import { anthropicDialect } from './anthropic/dialect.js';
import { messages } from './anthropic/messages.js';
import { listModelInfos, retrieveModelInfo } from './anthropic/models.js';
import { routeAttachments } from './attachments/routes.js';
import { routeChats } from './chats/routes.js';
import { routeDownloads } from './downloads/routes.js';
import { generate } from './generate/generate.js';
import { inference } from './generate/inference.js';
import { health } from './health.js';
import { jsonBody, untypedJsonBody } from './http/body.js';
import { cors } from './http/cors.js';
import { errorFormat, errorHandler } from './http/errors.js';
import { hostGuard } from './http/guard.js';
import { keyGuard } from './http/key-guard.js';
import { only } from './http/methods.js';
import { requestLog } from './http/request-log.js';
import { routeHub } from './hub/routes.js';
import { inspectorEvents } from './inspector/events.js';
import { ownerGuard } from './inspector/owner-guard.js';
import {
  cancelRequest,
  inspectedRequest,
  inspectorState,
  putInspectorSwitch,
  replayRequest,
  requestSnippets,
} from './inspector/routes.js';
import { retrieveReceipt } from './ledger/receipts.js';
import { routeMcp } from './mcp/routes.js';
import { metrics } from './metrics/metrics.js';
import { routeModels } from './models/routes.js';
import { notFound } from './not-found.js';
import { ollamaEmbed, ollamaEmbeddings } from './ollama/embed.js';
import { ollamaError } from './ollama/errors.js';
import { ollamaChat, ollamaGenerate } from './ollama/generation.js';
import { noBlob, unavailable } from './ollama/library-routes.js';
import { apiVersion, runningModels, tags } from './ollama/models.js';
import { deleteModel, pullModel } from './ollama/pull.js';
import { showModel } from './ollama/show.js';
import { chatCompletions } from './openai/chat-completions.js';
import { completions } from './openai/completions.js';
import { embeddings } from './openai/embeddings.js';
import { listModels, retrieveModel } from './openai/models.js';
import { rerank } from './openai/rerank.js';
import { applyTemplate, detokenize, tokenize } from './openai/tokens.js';
import { openapi } from './openapi/openapi-route.js';
import { countInputTokens, createResponse } from './responses/responses.js';
import {
  cancelResponse,
  deleteResponse,
  listInputItems,
  retrieveResponse,
} from './responses/stored.js';
import type { Services } from './services.js';
import { apiSwitch } from './serving/api-switch.js';
import { routeServing } from './serving/routes.js';
import { routeModelsFolder } from './settings/models-folder.js';
import { routeSettings } from './settings/routes.js';
import { routeTransfer } from './transfer/routes.js';
import { hopGuard } from './upstreams/hops.js';
import { passOn } from './upstreams/pass.js';
import { routeUpstreams } from './upstreams/routes.js';
import { usage } from './usage/usage.js';
import { putCurrentModel } from './window/current-model.js';
import { events } from './window/events.js';
import { securityHeaders, staticWindow } from './window/static.js';

export function createApp(services: Services): Express {
  const { config, keys, log, access } = services;
  const app = express();
  app.set('case sensitive routing', true);
  app.set('etag', false);
  app.set('query parser', false);
  app.disable('x-powered-by');

  app.use(requestLog(log), anthropicDialect, securityHeaders);
  app.use(['/api', '/v1/api'], errorFormat(ollamaError));
  const allowedOrigins = () => access.origins;
  app.use(
    hostGuard({ names: () => access.names, allowedHosts: () => access.hosts, allowedOrigins }),
  );
  app.use(cors(allowedOrigins));
  app.use(hopGuard(services.upstreams.hopId));
  app.route('/health').get(health(services)).all(only('GET, HEAD'));
  app.route('/openapi.json').get(openapi(services)).all(only('GET, HEAD'));
  if (config.rendererDir !== null) {
    app.use(staticWindow(config.rendererDir));
    app.route('/').all(only('GET, HEAD'));
  }
  // All that follows needs a key, where the server asks for keys.
  app.use(keyGuard(keys), apiSwitch(access));

  const passed = passOn(services);
  const asked = [services.exchanges.middleware, ...jsonBody(), passed];
  app.route('/v1/chat/completions').post(asked, chatCompletions(services)).all(only('POST'));
  app.route('/v1/responses').post(asked, createResponse(services)).all(only('POST'));
  app.route('/v1/responses/input_tokens').post(asked, countInputTokens(services)).all(only('POST'));
  // Not the id of a response, as which the next route would take it.
  app.route('/v1/responses/compact').all(notFound);
  app
    .route('/v1/responses/:id')
    .get(retrieveResponse(services))
    .delete(deleteResponse(services))
    .all(only('GET, HEAD, DELETE'));
  app.route('/v1/responses/:id/input_items').get(listInputItems(services)).all(only('GET, HEAD'));
  app.route('/v1/responses/:id/cancel').post(cancelResponse(services)).all(only('POST'));
  app.route('/v1/receipts/:id').get(retrieveReceipt(services)).all(only('GET, HEAD'));
  app.route('/v1/completions').post(asked, completions(services)).all(only('POST'));
  app.route('/v1/generate').post(asked, generate(services)).all(only('POST'));
  app.route('/inference/v1/generate').post(asked, inference(services)).all(only('POST'));
  app.route('/v1/embeddings').post(asked, embeddings(services)).all(only('POST'));
  app.route(['/v1/rerank', '/v2/rerank']).post(asked, rerank(services)).all(only('POST'));
  for (const [name, handler] of [
    ['tokenize', tokenize(services)],
    ['detokenize', detokenize(services)],
    ['apply-template', applyTemplate(services)],
  ] as const) {
    app
      .route([`/${name}`, `/v1/${name}`])
      .post(asked, handler)
      .all(only('POST'));
  }
  app.route('/v1/messages').post(asked, messages(services)).all(only('POST'));
  app.route('/v1/messages/count_tokens').post(asked, countTokens(services)).all(only('POST'));
  routeModels(app, services);
  app
    .route('/v1/models')
    .get(listModelInfos(services), listModels(services))
    .all(only('GET, HEAD'));
  app
    .route('/v1/models/*id')
    .get(retrieveModelInfo(services), retrieveModel(services))
    .all(only('GET, HEAD'));

  app.route('/v1/usage').get(usage(services)).all(only('GET, HEAD'));
  app.route('/metrics').get(metrics(services)).all(only('GET, HEAD'));

  routeOllama(app, services, passed);

  const onlyGet = only('GET');
  // Express answers HEAD with the handler of GET, which here has no end.
  app.route('/pilotlight/events').head(onlyGet).get(events(services)).all(onlyGet);
  app
    .route('/pilotlight/current-model')
    .put(jsonBody(), putCurrentModel(services))
    .all(only('PUT'));

  routeHub(app, services);
  routeDownloads(app, services);
  routeInspector(app, services);
  routeTransfer(app, services);
  routeUpstreams(app, services);
  routeMcp(app, services);
  routeServing(app, services);
  routeModelsFolder(app, services);
  routeSettings(app, services);
  routeAttachments(app, services);
  routeChats(app, services);

  app.use(notFound);
  app.use(errorHandler(log));
  return app;
}

/** Ollama's API. */
function routeOllama(app: Express, services: Services, passed: RequestHandler): void {
  for (const [name, handler] of [
    ['chat', ollamaChat(services)],
    ['generate', ollamaGenerate(services)],
    ['embed', ollamaEmbed(services)],
    ['embeddings', ollamaEmbeddings(services)],
  ] as const) {
    app
      .route(`/api/${name}`)
      .post(services.exchanges.middleware, untypedJsonBody(), passed, handler)
      .all(only('POST'));
  }
  app.route('/api/show').post(untypedJsonBody(), passed, showModel(services)).all(only('POST'));
  app.route('/api/pull').post(untypedJsonBody(), pullModel(services)).all(only('POST'));
  for (const [name, handler] of [
    ['create', unavailable('Making a model', PUT_A_FILE)],
    ['copy', unavailable('Copying a model', 'Copy its file in the models folder.')],
    ['push', unavailable('Publishing a model', 'Its file is in the models folder.')],
  ] as const) {
    app.route(`/api/${name}`).post(handler).all(only('POST'));
  }
  app.route('/api/delete').delete(untypedJsonBody(), deleteModel(services)).all(only('DELETE'));
  app
    .route('/api/blobs/:digest')
    .head(noBlob)
    .post(unavailable('Uploading a blob', PUT_A_FILE))
    .all(only('HEAD, POST'));
  for (const [name, handler] of [
    ['tags', tags(services)],
    ['ps', runningModels(services)],
    ['version', apiVersion(services)],
  ] as const) {
    app.route(`/api/${name}`).get(handler).all(only('GET, HEAD'));
  }
}

/** For the person only. */
function routeInspector(app: Express, services: Services): void {
  const path = '/pilotlight/inspector';
  const onlyGet = only('GET');
  app.use(path, ownerGuard);
  app.route(path).get(inspectorState(services)).all(only('GET, HEAD'));
  app.route(`${path}/switch`).put(jsonBody(), putInspectorSwitch(services)).all(only('PUT'));
  app.route(`${path}/events`).head(onlyGet).get(inspectorEvents(services)).all(onlyGet);
  app.route(`${path}/requests/:id`).get(inspectedRequest(services)).all(only('GET, HEAD'));
  app.route(`${path}/requests/:id/cancel`).post(cancelRequest(services)).all(only('POST'));
  app.route(`${path}/requests/:id/replay`).post(replayRequest(services)).all(only('POST'));
  app.route(`${path}/requests/:id/snippets`).get(requestSnippets(services)).all(only('GET, HEAD'));
}

const PUT_A_FILE = 'Put a GGUF file into the models folder.';
