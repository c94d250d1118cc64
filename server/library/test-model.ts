import type { LibraryModel } from './model.js';

/** A model as the library would give it, for tests that never load it. */
export function testModel(id: string): LibraryModel {
  const file = `/nowhere/${id}.gguf`;
  return {
    ...{ id, name: id, path: file, files: [file], sizeBytes: 1, created: 0 },
    ...{ source: 'models_dir', builtIn: false, trainedContextLength: null, license: null },
    ...{ invalidReason: null, kind: 'generative', architecture: 'llama', parameters: 1 },
    ...{ aliases: [], fileType: null, quantization: null, template: null, projector: null },
  };
}
