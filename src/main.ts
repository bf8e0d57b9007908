/** `npm start`. */
import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { keepCompiled } from './platform/compile-cache.ts'
import { bundled } from './platform/start-bundle.ts'
import { isSeveral } from './workers/worker-role.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
// Half of a start is compiling: what an earlier one compiled is loaded instead.
keepCompiled(`${root}node_modules/.cache/hub`)
// The process that keeps several others loads nothing of what they serve with.
if (cluster.isPrimary && isSeveral(process.env)) {
  const { serveWorkers } = await import('./workers/serve-workers.ts')
  process.exitCode = await serveWorkers(process.env)
} else {
  const bundle = bundled('serve', root)
  const { serve } =
    bundle === null ? await import('./serve.ts') : ((await import(bundle)) as typeof import('./serve.ts'))
  await serve(process.env)
}
