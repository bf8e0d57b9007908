/** `npm start`. */
import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { keepCompiled } from './platform/compile-cache.ts'
import { installed } from './platform/not-installed.ts'
import { bundled } from './platform/start-bundle.ts'
import { startArguments } from './workers/start-arguments.ts'
import { isSeveral } from './workers/worker-role.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
// Half of a start is compiling: what an earlier one compiled is loaded instead.
keepCompiled(`${root}node_modules/.cache/hub`)
const told = startArguments(process.argv.slice(2), process.env)
if ('says' in told) {
  const stream = told.code === 0 ? process.stdout : process.stderr
  stream.write(told.says)
  process.exitCode = told.code
} else await start(told.environment)

async function start(environment: NodeJS.ProcessEnv): Promise<void> {
  // The process that keeps several others loads nothing of what they serve with.
  if (cluster.isPrimary && isSeveral(environment)) {
    const { serveWorkers } = await installed(() => import('./workers/serve-workers.ts'))
    process.exitCode = await serveWorkers(environment)
    return
  }
  const bundle = bundled('serve', root)
  const { serve } = await installed<typeof import('./serve.ts')>(() =>
    bundle === null ? import('./serve.ts') : import(bundle),
  )
  await serve(environment)
}
