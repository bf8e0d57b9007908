/** A hub of `WORKERS` processes as `npm start` runs it, in a process that sends its address and pid once all serve. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'

const root = join(import.meta.dirname, '../..')
const port = await freePort()
const url = `http://127.0.0.1:${port}`
const hub = spawn(process.execPath, [...process.execArgv, 'src/main.ts'], {
  cwd: root,
  env: { ...process.env, HOST: '127.0.0.1', PORT: String(port) },
  stdio: ['ignore', 'ignore', 'inherit'],
})
hub.once('exit', (code) => process.exit(code ?? 1))
process.on('SIGTERM', () => hub.kill('SIGTERM'))

/** Each process that serves has a pool of ten connections, and the numbers are sums. */
const all = `hub_database_pool_connections{state="most"} ${10 * Number(process.env.WORKERS)}\n`
const scrape = () => fetch(`${url}/metrics`, { headers: { connection: 'close' } }).then((answer) => answer.text())
while (!(await scrape().catch(() => '')).includes(all)) await pause(100)
process.send?.({ url, pid: hub.pid })
