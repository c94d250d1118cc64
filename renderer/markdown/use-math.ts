import { useEffect, useState } from 'react';
import type { mathPlugins } from './math.js';
import { mayHaveTex } from './tex.js';

type MathPlugins = typeof mathPlugins;

let plugins: MathPlugins | null = null;
let loading: Promise<MathPlugins | null> | null = null;

/** What draws formulas, once it is here; null where there are none. A text is shown without it until then. */
export function useMath(text: string): MathPlugins | null {
  const needed = mayHaveTex(text);
  const [here, setHere] = useState(plugins);
  useEffect(() => {
    if (!needed || here) return;
    let shown = true;
    loading ??= load();
    void loading.then((loaded) => shown && setHere(loaded));
    return () => {
      shown = false;
    };
  }, [needed, here]);
  return needed ? here : null;
}

async function load(): Promise<MathPlugins | null> {
  try {
    plugins = (await import('./math.js')).mathPlugins;
  } catch {
    loading = null;
  }
  return plugins;
}
