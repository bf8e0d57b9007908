#!/usr/bin/env node
/** The `hub` command. */
import { fileURLToPath } from 'node:url'
import { keepCompiled } from '../platform/compile-cache.ts'
import { installed } from '../platform/not-installed.ts'
import { bundled } from '../platform/start-bundle.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
// Short commands spend most of their time compiling, so compiled code is cached on disk.
keepCompiled(`${root}node_modules/.cache/hub`)
const bundle = bundled('command', root)
const { run } = await installed<typeof import('./command.ts')>(() =>
  bundle === null ? import('./command.ts') : import(bundle),
)
await run()
