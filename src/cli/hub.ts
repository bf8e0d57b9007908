#!/usr/bin/env node
/** The `hub` command. */
import { fileURLToPath } from 'node:url'
import { keepCompiled } from '../platform/compile-cache.ts'

// A short command spends most of its time compiling: what an earlier one compiled is loaded instead.
keepCompiled(fileURLToPath(new URL('../../node_modules/.cache/hub', import.meta.url)))
const { runProgram } = await import('./program.ts')
await runProgram()
