/** `npm run build --workspace hub`, which `npm pack --workspace hub` runs: the files of the package `hub`. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleCommand } from './client/bundle-command.ts'
import { bundleLibrary } from './client/bundle-library.ts'
import { bundleTypes } from './client/bundle-types.ts'

const dist = fileURLToPath(new URL('../packages/cli/dist', import.meta.url))

rmSync(dist, { recursive: true, force: true })
await Promise.all([bundleCommand(`${dist}/hub.mjs`), bundleLibrary(dist)])
bundleTypes(dist)
const sizes = readdirSync(dist).map((name) => `${name} ${Math.round(statSync(`${dist}/${name}`).size / 1024)} KiB`)
process.stdout.write(`packages/cli/dist is built: ${sizes.join(', ')}\n`)
