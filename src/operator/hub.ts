#!/usr/bin/env node
/** The `hub` command. */
import { fileURLToPath } from 'node:url'
import { keepCompiled } from '../platform/compile-cache.ts'

// Short commands spend most of their time compiling, so compiled code is cached on disk.
keepCompiled(fileURLToPath(new URL('../../node_modules/.cache/hub', import.meta.url)))
const [{ endQuietly }, { runProgram }, { serverProgram }] = await Promise.all([
  import('hub/last-words'),
  import('hub/program'),
  import('./server-program.ts'),
])
endQuietly()
await runProgram(serverProgram)
