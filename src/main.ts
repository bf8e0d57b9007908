/** `npm start`. */
import { fileURLToPath } from 'node:url'
import { keepCompiled } from './platform/compile-cache.ts'
import { bundled } from './platform/start-bundle.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
// Half of a start is compiling: what an earlier one compiled is loaded instead.
keepCompiled(`${root}node_modules/.cache/hub`)
const bundle = bundled('serve', root)
const { serve } = bundle === null ? await import('./serve.ts') : ((await import(bundle)) as typeof import('./serve.ts'))
await serve(process.env)
