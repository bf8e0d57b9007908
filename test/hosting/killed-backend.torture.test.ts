// @module-tag full
// @module-tag long
/** A hub that is killed with SIGKILL at any moment of a spawn: the next one on its data directory spawns the same call, and the command has run exactly once. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomFrom } from '@hub/testing/random'
import { isFull, testSeed } from '@hub/testing/torture'
import { pino } from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { type HostedBackend, type HostedCall, type Room, SpawnLater } from '../../src/hosting/backend.ts'
import { openProcessBackend } from '../../src/hosting/process/process-backend.ts'
import { processesByUid } from '../../src/hosting/process/user-processes.ts'
import { readConfig } from '../../src/platform/config.ts'
import { givesUids, openFile, openFolder } from '../support/open-folder.ts'

const src = join(import.meta.dirname, '../../src')
const dir = openFolder('hub-killed-backend-')
const said = openFile(join(dir, 'said'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const env = {
  HUB_DATA_DIR: join(dir, 'data'),
  HOSTED_APP_NAME: 'coach',
  HOSTED_COMMAND: `echo "$HUB_CALL_ID $HUB_TOKEN" >> "${said}"; exec sleep 1000`,
  HOSTED_MAX_PROCESSES: '1000',
  ...(givesUids ? { HOSTED_UIDS: '81000-81999' } : {}),
}
const log = pino({ level: 'silent' })

/** Each is two starts of a hub. */
const ROUNDS = isFull ? 60 : 15

/** What one hub compiled is there for the next: a start takes 0.1 s of CPU in place of 0.3. */
const compiled = { ...process.env, NODE_COMPILE_CACHE: join(dir, 'compiled') }

/** Spawns a call when it is told to, and then does nothing, so that the moment of its end is the test's. */
const program = join(dir, 'hub.mjs')
writeFileSync(
  program,
  `import { flushCompileCache } from 'node:module'
import { pino } from '${join(src, '../node_modules/pino/pino.js')}'
import { openProcessBackend } from '${join(src, 'hosting/process/process-backend.ts')}'
import { readConfig } from '${join(src, 'platform/config.ts')}'
const backend = await openProcessBackend(readConfig(${JSON.stringify(env)}), pino({ level: 'silent' }))
await backend.attend(async () => {})
process.on('message', async (call) => {
  process.send('begun')
  await backend.reserve(call)
  await backend.spawn(call)
  process.send('spawned')
})
// One that is killed would leave nothing.
flushCompileCache()
process.send('ready')
`,
)

const callOf = (callId: string) => ({
  callId,
  jobId: `run_of_${callId}`,
  kind: 'run',
  functionName: 'act',
  token: `token_of_${callId}`,
  tier: null,
  maxSeconds: null,
})
const linesOf = (callId: string) =>
  readFileSync(said, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`${callId} `))

const openNext = async () => {
  const backend = await openProcessBackend(readConfig(env), log)
  await backend.attend(async () => undefined)
  return backend
}

/** What the killed hub left: its gate may take a moment to close. */
async function reserveAfter(backend: HostedBackend, call: HostedCall): Promise<Room> {
  for (;;) {
    try {
      return await backend.reserve(call)
    } catch (error) {
      if (!(error instanceof SpawnLater)) throw error
      await sleep(5)
    }
  }
}

describe('a hub that is killed while it spawns a call', () => {
  it('leaves a call that the next hub spawns, or that runs already, and never both', {
    timeout: 300_000,
  }, async () => {
    const random = randomFrom(testSeed())
    const rooms = new Set<Room>()
    // The first spawn is not disturbed: how long it takes here says within what time the others are killed.
    let spawnMs: number | null = null
    for (let round = 0; round < ROUNDS; round += 1) {
      const call = callOf(`call_${round}`)
      const hub = fork(program, { env: compiled })
      await once(hub, 'message')
      const began = once(hub, 'message')
      const spawned = new Promise((done) => hub.on('message', (said) => said === 'spawned' && done(said)))
      hub.send(call)
      await began
      const begunAt = performance.now()
      if (spawnMs === null) {
        await spawned
        spawnMs = Math.ceil(performance.now() - begunAt)
      } else await sleep(random.int(0, spawnMs * 2))
      hub.kill('SIGKILL')
      await once(hub, 'exit')
      const next = await openNext()
      const room = await reserveAfter(next, call)
      rooms.add(room)
      if (room === 'reserved') await next.spawn(call)
      await expect.poll(() => linesOf(call.callId), { timeout: 100_000 }).toEqual([`${call.callId} ${call.token}`])
      await next.cancel(call.callId, async () => undefined)
      await next.close()
      expect(linesOf(call.callId)).toHaveLength(1)
    }
    expect([...rooms].toSorted()).toEqual(['reserved', 'spawned'])
    await (await openNext()).close()
    expect(readdirSync(join(env.HUB_DATA_DIR, 'hosted'))).toEqual([])
    // Nor a folder that a hub had just made, nor a process with a uid that it had just given.
    expect(readdirSync(tmpdir()).filter((name) => /^hub-hosted-81\d{3}-/.test(name))).toEqual([])
    if (givesUids)
      expect([...(await processesByUid()).keys()].filter((uid) => uid >= 81_000 && uid < 82_000)).toEqual([])
  })
})
