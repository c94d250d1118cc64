import { useMemo, useRef, useState } from 'react';
import type { ModelEntry } from '../../protocol/models.js';
import {
  deleteModel,
  loadModel,
  modelSettings,
  putModelSettings,
  unloadModel,
} from '../api/models.js';
import { useAct } from '../shell/act.js';
import { navigate } from '../shell/use-route.js';
import type { ModelActions } from './model-card.js';

/** What the cards' buttons do. The actions stay the same objects, so that unchanged cards are not drawn again. */
export function useModelActions(onUse: (id: string) => void) {
  const act = useAct();
  const [deleting, setDeleting] = useState<ModelEntry | null>(null);
  const latest = useRef({ act, onUse });
  latest.current = { act, onUse };

  const actions = useMemo<ModelActions>(() => {
    const run = (action: () => Promise<unknown>) => void latest.current.act('model', action);
    return {
      onUse: ({ id }) => latest.current.onUse(id),
      onLoad: ({ id }) => run(() => loadModel(id)),
      onUnload: ({ id }) => run(() => unloadModel(id)),
      onPin: ({ id }, pinned) =>
        run(async () => putModelSettings(id, { ...(await modelSettings(id)), pinned })),
      onSettings: ({ id }) => navigate({ page: 'models', tab: 'installed', item: id }),
      onDelete: setDeleting,
    };
  }, []);

  const remove = (model: ModelEntry) => {
    setDeleting(null);
    void act('model', () => deleteModel(model.id));
  };
  return { actions, deleting, setDeleting, remove };
}
