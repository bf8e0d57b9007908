/** How a hosted process is ended. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, it, vi } from 'vitest'
import { endProcess } from '../../src/hosting/process/stop-process.ts'
import { processMark } from '../../src/store/start-lock.ts'

afterEach(() => vi.restoreAllMocks())

it('gives a process its seconds to end, whatever the clock of the machine is set to meanwhile', async () => {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  const ended = once(child, 'exit')
  const mark = await processMark(child.pid ?? 0)
  let now = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => {
    now += 3_600_000
    return now
  })
  await endProcess(async () => ({ mark, isStarting: false }))
  expect(await ended).toEqual([null, 'SIGTERM'])
})
