/** What the person sets, for all models and for one, and all that is known of a model: for this machine only. */
import type { Express, Request, Response } from 'express';
import type { ModelDetails } from '../../protocol/models.js';
import {
  type About,
  type ModelSettings,
  modelSettingsSchema,
  type ServerSettings,
  settingsPatchSchema,
} from '../../protocol/settings.js';
import { jsonBody } from '../http/body.js';
import { ApiError, modelNotFound } from '../http/errors.js';
import { localGuard } from '../http/local-guard.js';
import { only } from '../http/methods.js';
import type { LibraryModel } from '../library/model.js';
import { fileDetails } from '../model-details.js';
import { modelEntries, modelEntry } from '../model-entry.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';
import { SettingsError } from '../store/settings.js';
import { checkAliases, checkFolders, checkGiven, checkOrigins, checkRpcHosts } from './validate.js';
import { MODEL_WORDS, SERVER_WORDS } from './words.js';

/** To come after all other routes below /pilotlight/models: an id is whatever they are not. */
export function routeSettings(app: Express, services: Services): void {
  app.route('/pilotlight/about').get(localGuard, getAbout(services)).all(only('GET, HEAD'));
  app
    .route('/pilotlight/settings')
    .all(localGuard)
    .get(getSettings(services))
    .patch(jsonBody(), patchSettings(services))
    .all(only('GET, HEAD, PATCH'));
  app
    .route('/pilotlight/models/*id/settings')
    .all(localGuard)
    .get(getModelSettings(services))
    .put(jsonBody(), putModelSettings(services))
    .all(only('GET, HEAD, PUT'));
  app
    .route('/pilotlight/models/*id')
    .get(localGuard, getModelDetails(services))
    .all(only('GET, HEAD, DELETE'));
}

function getAbout({ config, version }: Services) {
  return (_req: Request, res: Response): void => {
    const answer: About = { version, data_dir: config.dataDir };
    res.json(answer);
  };
}

function getSettings({ settings }: Services) {
  return (_req: Request, res: Response): void => {
    const answer: ServerSettings = settings.values;
    res.json(answer);
  };
}

function patchSettings({ config, settings, library, serving }: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const patch = parseBody(settingsPatchSchema, req.body, SERVER_WORDS);
    const { models_dir } = patch;
    if (config.isModelsDirGiven && models_dir !== undefined) {
      throw new ApiError(
        409,
        `This start was told where models are (--models ${config.modelsDir}), which goes before the settings: start without it to choose another folder here.`,
        { param: 'models_dir', code: 'given_at_start' },
      );
    }
    await checkFolders(patch, settings.values);
    checkRpcHosts(patch, settings.values);
    checkGiven(patch, config);
    checkOrigins(patch, settings.values);
    const before = settings.values;
    const { host, port, allowed_origins } = before;
    await serving.apply({
      host: patch.host ?? host,
      port: patch.port ?? port,
      allowed_origins: patch.allowed_origins ?? allowed_origins,
    });
    try {
      await saved(settings.change(patch));
    } catch (error) {
      await serving.apply(before);
      throw error;
    }
    // Who asks for the models next finds those of the new folders.
    const { preferences: _, ...ofModels } = patch;
    if (Object.keys(ofModels).length > 0) await library.refresh();
    const answer: ServerSettings = settings.values;
    res.json(answer);
  };
}

function getModelSettings(services: Services) {
  return (req: Request, res: Response): void => {
    const answer: ModelSettings = services.settings.modelSettings(modelOf(services, req).id);
    res.json(answer);
  };
}

function putModelSettings(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const { settings, library } = services;
    const { id } = modelOf(services, req);
    const wanted = parseBody(modelSettingsSchema, req.body, MODEL_WORDS);
    checkAliases(id, wanted.aliases ?? [], {
      ids: modelEntries(services).map((known) => known.id),
      settings: settings.allModelSettings,
    });
    const { draft_model } = wanted;
    if (draft_model !== undefined && library.find(draft_model) === null) {
      throw modelNotFound(
        draft_model,
        library.models().map((known) => known.id),
      );
    }
    const left = Object.keys(settings.modelSettings(id)).map((key) => [key, undefined]);
    await saved(settings.setModelSettings(id, { ...Object.fromEntries(left), ...wanted }));
    await library.refresh();
    const answer: ModelSettings = settings.modelSettings(id);
    res.json(answer);
  };
}

function getModelDetails(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const model = modelOf(services, req);
    const answer: ModelDetails = {
      ...modelEntry(model, services.pool),
      ...(await fileDetails(model)),
    };
    res.json(answer);
  };
}

/** @throws ApiError 404 */
function modelOf({ library }: Services, req: Request): LibraryModel {
  // An id may hold a slash, which arrives as several segments where the client does not encode it.
  const { id: segments } = req.params as { id?: string | string[] };
  const id = [segments ?? ''].flat().join('/');
  const model = library.find(id);
  if (model !== null) return model;
  throw modelNotFound(
    id,
    library.models().map((known) => known.id),
  );
}

/** @throws ApiError 500 with the sentence that says why they could not be saved. */
async function saved(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new ApiError(500, error.message, { code: 'settings_not_saved' });
  }
}
