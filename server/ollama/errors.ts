/** Ollama's error object: one sentence. */
import type { ErrorFormat } from '../http/errors.js';

export const ollamaError: ErrorFormat = (error) => ({ error: error.message });
