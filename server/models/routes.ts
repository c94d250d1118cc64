/** Loading and unloading, what is told of models, and the requests that they answer. */
import type { Express } from 'express';
import { jsonBody, optionalJsonBody } from '../http/body.js';
import { localGuard } from '../http/local-guard.js';
import { only } from '../http/methods.js';
import type { Services } from '../services.js';
import { estimateModel } from './estimate.js';
import { modelEvents } from './events.js';
import { loadModel, unloadModel } from './load.js';
import { cancelByRequestId } from './requests.js';

/** To come before the routes of one model, which would take the last part of these paths for a part of its id. */
export function routeModels(app: Express, services: Services): void {
  const onlyGet = only('GET');
  app.route('/v1/models/*id/load').post(optionalJsonBody(), loadModel(services)).all(only('POST'));
  app.route('/v1/models/*id/unload').post(unloadModel(services)).all(only('POST'));
  // Express answers HEAD with the handler of GET, which here has no end.
  app.route('/pilotlight/models/events').head(onlyGet).get(modelEvents(services)).all(onlyGet);
  app
    .route('/pilotlight/models/*id/estimate')
    .post(localGuard, jsonBody(), estimateModel(services))
    .all(only('POST'));
  app
    .route('/pilotlight/requests/:id/cancel')
    .post(localGuard, cancelByRequestId(services))
    .all(only('POST'));
}
