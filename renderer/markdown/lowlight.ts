/** Alone in its file so that it is fetched when the first code is coloured, and without the grammars lowlight bundles. */
import { createLowlight } from 'lowlight';

export const lowlight = createLowlight();
