/** What the person sets, and what a model's file says; seen and changed on this machine only. */
import { modelDetailsSchema } from '../../protocol/models.js';
import {
  aboutSchema,
  checkFolderSchema,
  folderCheckSchema,
  modelSettingsSchema,
  settingsPatchSchema,
  settingsSchema,
} from '../../protocol/settings.js';
import { BODY_STATUSES, errorBody, NAMED_STATUSES, PLAIN_STATUSES } from './openai-errors.js';
import type { ErrorDescription, Named, Operation } from './operation.js';

const TAG = 'Settings';

const LOCAL = {
  403: "From another machine and without a key of the person's own, or a foreign Host or Origin.",
};
const CHANGE = { ...BODY_STATUSES, ...LOCAL, 500: 'They cannot be saved.' };

const errors = (statuses: ErrorDescription['statuses']): ErrorDescription => ({
  bodies: [errorBody],
  statuses,
});

const settings: Named = { name: 'ServerSettings', schema: settingsSchema };
const modelSettings: Named = { name: 'ModelSettings', schema: modelSettingsSchema };

const parameters = [
  { name: 'id', in: 'path', description: 'Of a model; slashes in it may stand as they are.' },
] as const;

export const SETTING_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/pilotlight/about',
    id: 'getAbout',
    tag: TAG,
    summary: 'Version, and where data is kept',
    answer: { description: 'About this server.', bodies: [{ name: 'About', schema: aboutSchema }] },
    errors: errors({ ...PLAIN_STATUSES, ...LOCAL }),
  },
  {
    method: 'get',
    path: '/pilotlight/settings',
    id: 'getSettings',
    tag: TAG,
    summary: 'What holds for all models',
    answer: { description: 'The settings.', bodies: [settings] },
    errors: errors({ ...PLAIN_STATUSES, ...LOCAL }),
  },
  {
    method: 'patch',
    path: '/pilotlight/settings',
    id: 'changeSettings',
    tag: TAG,
    summary: 'Change settings',
    description: 'All of what the body names, or nothing. It holds at once.',
    request: {
      name: 'SettingsPatch',
      schema: settingsPatchSchema,
      example: { idle_ttl: 1800 },
    },
    answer: { description: 'All settings.', bodies: [settings] },
    errors: errors({
      ...{ ...PLAIN_STATUSES, ...CHANGE },
      409: 'What was said at the start goes before the settings; another program has the port; a key is needed first.',
    }),
  },
  {
    method: 'post',
    path: '/pilotlight/models-folder/check',
    id: 'checkModelsFolder',
    tag: TAG,
    summary: 'Whether models can be kept in a folder',
    description: 'Changes nothing.',
    request: { name: 'CheckFolder', schema: checkFolderSchema, example: { path: null } },
    answer: {
      description: 'What is wrong with it, if anything is.',
      bodies: [{ name: 'FolderCheck', schema: folderCheckSchema }],
    },
    errors: errors({ ...PLAIN_STATUSES, ...BODY_STATUSES, ...LOCAL }),
  },
  {
    method: 'get',
    path: '/pilotlight/models/{id}',
    id: 'modelDetails',
    tag: TAG,
    summary: "All that a model's file says, and where it is",
    parameters,
    answer: {
      description: 'The model.',
      bodies: [{ name: 'ModelDetails', schema: modelDetailsSchema }],
    },
    errors: errors({ ...NAMED_STATUSES, ...LOCAL }),
  },
  {
    method: 'get',
    path: '/pilotlight/models/{id}/settings',
    id: 'getModelSettings',
    tag: TAG,
    summary: 'What was set for a model',
    parameters,
    answer: {
      description: 'What is left out is chosen by the server.',
      bodies: [modelSettings],
    },
    errors: errors({ ...NAMED_STATUSES, ...LOCAL }),
  },
  {
    method: 'put',
    path: '/pilotlight/models/{id}/settings',
    id: 'setModelSettings',
    tag: TAG,
    summary: 'Set what holds for a model',
    description:
      'Takes the place of all that was set for it. What changes how it is loaded holds with its next load.',
    parameters,
    request: { ...modelSettings, example: { pinned: true } },
    answer: { description: 'As it is kept.', bodies: [modelSettings] },
    errors: errors({
      ...{ ...NAMED_STATUSES, ...CHANGE },
      409: 'An alias means another model already.',
    }),
  },
];
