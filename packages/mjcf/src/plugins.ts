/** Plugins that a model needs: code loaded by MuJoCo, which this reader cannot analyze. */
import { modelsBelow } from './assets/asset-refs.ts'
import { short } from './grammar/values.ts'
import type { LoadedModel } from './load/loaded-model.ts'
import type { Undecided } from './reading.ts'
import { inDocumentOrder } from './xml/in-document-order.ts'

/** A few are enough; a model can name as many as it has elements. */
const MAX_NAMED = 10

/** One for each of the first plugins named, in document order: MuJoCo rejects the model if the plugin is not loaded. */
export function pluginsOf(top: LoadedModel): Undecided[] {
  const names = new Set<string>()
  for (const { root } of modelsBelow(top)) {
    for (const { name, attributes } of inDocumentOrder(root)) {
      const plugin = name === 'plugin' ? attributes.get('plugin') : undefined
      if (plugin) names.add(plugin)
    }
  }
  return [...names].slice(0, MAX_NAMED).map((name) => ({
    about: 'model',
    reason: `The model needs the plugin ${short(name)}, which is not part of MuJoCo itself.`,
  }))
}
