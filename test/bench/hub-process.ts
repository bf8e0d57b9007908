/** The hub as `npm start` runs it, as a process that sends its address. */
import { createLogger } from '../../src/http/logger.ts'
import { readConfig } from '../../src/platform/config.ts'
import { startHub } from '../../src/start-hub.ts'

const config = readConfig(process.env)
const hub = await startHub(config, createLogger(config))
process.on('SIGTERM', () => process.exit(0))
process.send?.({ url: hub.url })
