/** `npm start`. */
import { fileURLToPath } from 'node:url'
import { keepCompiled } from './platform/compile-cache.ts'

// Half of a start is compiling: what an earlier one compiled is loaded instead.
keepCompiled(fileURLToPath(new URL('../node_modules/.cache/hub', import.meta.url)))
const { serve } = await import('./serve.ts')
await serve(process.env)
