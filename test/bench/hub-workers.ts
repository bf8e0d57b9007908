/**
 * A hub as `npm start` runs it, in a process that sends its addresses and pids once all serve: `WORKERS` processes on
 * one port, or `BENCH_APART` hubs of one process, each on a port of its own, which know nothing of each other.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'

const root = join(import.meta.dirname, '../..')
const { BENCH_APART: apart = '1', WORKERS: workers = '1' } = process.env
const hubs = await Promise.all(Array.from({ length: Number(apart) }, start))
process.on('SIGTERM', () => hubs.map(({ pid }) => process.kill(pid ?? 0, 'SIGTERM')))
process.send?.({ urls: hubs.map(({ url }) => url), pids: hubs.map(({ pid }) => pid) })

async function start(): Promise<{ url: string; pid: number | undefined }> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const hub = spawn(process.execPath, [...process.execArgv, 'src/main.ts'], {
    cwd: root,
    env: { ...process.env, HOST: '127.0.0.1', PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  hub.once('exit', (code) => process.exit(code ?? 1))
  /** Each process that serves has a pool of ten connections, and the numbers are sums. */
  const all = `hub_database_pool_connections{state="most"} ${10 * Number(workers)}\n`
  const scrape = () => fetch(`${url}/metrics`, { headers: { connection: 'close' } }).then((answer) => answer.text())
  while (!(await scrape().catch(() => '')).includes(all)) await pause(100)
  return { url, pid: hub.pid }
}
