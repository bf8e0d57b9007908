/**
 * A worker for a test that kills it: it lets the Chromium of its first argument draw the scene in the file of its
 * second.
 */
import { readFileSync } from 'node:fs'
import { renderStills } from '../../src/stills/render-stills.ts'

const [program = '', file = ''] = process.argv.slice(2)
const scene = new Uint8Array(readFileSync(file))
await renderStills({ scene, program, signal: new AbortController().signal, log: () => undefined })
