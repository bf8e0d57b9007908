/**
 * A worker for a test that kills it: it lets the engine compile the model of its first argument, which takes minutes.
 */
import { engineLimits } from '../../src/engine/limits.ts'
import { runEngine } from '../../src/engine/run-engine.ts'

const [file = '', processorS = '1'] = process.argv.slice(2)
const job = {
  files: [{ path: 'model.xml', file }],
  entry: 'model.xml',
  entryText: null,
  convertTo: null,
  pose: null,
  scene: null,
  limits: { ...engineLimits, processorS: Number(processorS) },
}
await runEngine(job, () => undefined, new AbortController().signal)
