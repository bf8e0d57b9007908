import { describe, expect, it } from 'vitest'
import { type PeerMessage, Peers } from '../../src/platform/peers.ts'
import { Supervisor, type WorkerEvents, type WorkerRole } from '../../src/workers/supervisor.ts'

interface Fake extends WorkerEvents {
  readonly pid: number
  readonly role: WorkerRole
  readonly isFirst: boolean
  readonly got: PeerMessage[]
  readonly signals: string[]
}

/** A supervisor of fakes, and the waits that it asked for. */
function supervised(count: number) {
  const made: Fake[] = []
  const waits: number[] = []
  const log = { info: () => undefined, warn: () => undefined }
  const supervisor = new Supervisor({
    count,
    log,
    wait: async (ms) => void waits.push(ms),
    start(role, isFirst, events) {
      const fake: Fake = { ...events, pid: made.length + 1, role, isFirst, got: [], signals: [] }
      made.push(fake)
      return {
        pid: fake.pid,
        send: (message) => void fake.got.push(message),
        kill: (signal) => void fake.signals.push(signal),
      }
    },
  })
  supervisor.start()
  const at = (index: number): Fake => {
    const fake = made[index]
    if (!fake) throw new Error(`No process ${index} was started.`)
    return fake
  }
  const roles = () => made.map(({ role }) => role)
  return { supervisor, made, waits, at, roles }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the supervisor of several processes', () => {
  it('starts the others once the background worker serves', () => {
    const { at, made, roles } = supervised(3)
    expect(roles()).toEqual(['background'])
    at(0).listening()
    expect(roles()).toEqual(['background', 'serving', 'serving'])
    expect(made.map(({ isFirst }) => isFirst)).toEqual([true, false, false])
  })

  it('ends with the code of a hub that cannot start', async () => {
    const { supervisor, at, made } = supervised(2)
    at(0).exit(1)
    expect(await supervisor.ended).toBe(1)
    expect(made).toHaveLength(1)
  })

  it('replaces one that dies in its role, at once, and ever later while none comes to serve', async () => {
    const { at, roles, waits } = supervised(2)
    at(0).listening()
    at(1).listening()
    at(0).exit(null)
    await settled()
    expect(roles()).toEqual(['background', 'serving', 'background'])
    for (const index of [2, 3, 4]) {
      at(index).exit(1)
      await settled()
    }
    expect(waits).toEqual([0, 200, 400, 800])
    at(5).listening()
    at(5).exit(1)
    await settled()
    expect(waits.at(-1)).toBe(0)
    expect(roles().slice(2)).toEqual(Array(5).fill('background'))
  })

  it('stops all, replaces none, and ends with the last', async () => {
    const { supervisor, at, made } = supervised(2)
    at(0).listening()
    supervisor.stop('SIGTERM')
    expect(made.map(({ signals }) => signals)).toEqual([['SIGTERM'], ['SIGTERM']])
    at(0).exit(0)
    at(1).exit(0)
    expect(await supervisor.ended).toBe(0)
    expect(made).toHaveLength(2)
  })

  it('passes on what one tells to the others, and an answer to who asked', async () => {
    const { at } = supervised(4)
    for (const index of [0, 1, 2]) at(index).listening()
    const tell: PeerMessage = { hub: 'tell', topic: 'windows', data: [1] }
    at(1).message(tell)
    at(1).message('noise')
    // The last one does not serve yet, and would not answer.
    expect([0, 1, 2, 3].map((index) => at(index).got)).toEqual([[tell], [], [tell], []])
    at(2).message({ hub: 'ask', topic: 'metrics', id: '3.0', data: null })
    expect(at(2).got.at(-1)).toMatchObject({ hub: 'asked', data: 2 })
    at(0).message({ hub: 'answer', topic: 'metrics', id: '3.0', data: 7 })
    expect(at(2).got.at(-1)).toMatchObject({ hub: 'answer', data: 7 })
    expect(at(1).got.at(-1)).toMatchObject({ hub: 'ask' })
  })
})

describe('the peers of a process', () => {
  it('hear what is told, and collect the answers of all that were asked', async () => {
    const peers = new Peers()
    expect([peers.areThere, await peers.ask('metrics')]).toEqual([false, []])
    const sent: PeerMessage[] = []
    peers.join({ send: (message) => void sent.push(message) })
    const heard: unknown[] = []
    peers.whenTold('windows', (data) => heard.push(data))
    peers.receive({ hub: 'tell', topic: 'windows', data: 5 })
    const answers = peers.ask('metrics', 'of all')
    expect(sent[0]?.data).toBe('of all')
    const id = sent[0]?.id
    peers.receive({ hub: 'asked', topic: 'metrics', id, data: 2 })
    peers.receive({ hub: 'answer', topic: 'metrics', id, data: 'a' })
    peers.receive({ hub: 'answer', topic: 'metrics', id, data: 'b' })
    expect([heard, await answers]).toEqual([[5], ['a', 'b']])
    peers.whenAsked('metrics', async (data) => `mine ${data}`)
    peers.receive({ hub: 'ask', topic: 'metrics', id: '9.1', data: 'too' })
    await settled()
    expect(sent.at(-1)).toEqual({ hub: 'answer', topic: 'metrics', id: '9.1', data: 'mine too' })
  })
})
