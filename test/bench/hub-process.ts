/** The hub of a checkout as `npm start` runs it, as a process that sends its address. */
import { join } from 'node:path'
import type { createLogger } from '../../src/http/logger.ts'
import type { readConfig } from '../../src/platform/config.ts'
import type { startHub } from '../../src/start-hub.ts'

const root = process.env.BENCH_CHECKOUT ?? join(import.meta.dirname, '../..')
const of = (path: string) => import(join(root, 'src', path))
const loggers = (await of('http/logger.ts')) as { createLogger: typeof createLogger }
const configs = (await of('platform/config.ts')) as { readConfig: typeof readConfig }
const hubs = (await of('start-hub.ts')) as { startHub: typeof startHub }

const config = configs.readConfig(process.env)
const hub = await hubs.startHub(config, loggers.createLogger(config))
process.on('SIGTERM', () => process.exit(0))
process.send?.({ url: hub.url })
