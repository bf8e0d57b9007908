/** A policy server without a hub behind it but its keys. */
import { setTimeout as pause } from 'node:timers/promises'
import { holdAddress } from '../../src/links/held-address.ts'
import { listen, type PolicyListener } from '../../src/links/policy-listener.ts'
import { openSessionBook, type SessionBook } from '../../src/links/session-book.ts'
import { openModel } from '../../src/model/open-model.ts'
import { openHubKeys } from '../../src/tokens/hub-keys.ts'
import { endpointId, type KeyServer, modelSha256, startKeyServer } from './hub-keys.ts'
import { smallPolicy, writtenPolicy } from './small-policy.ts'

export interface Listening {
  readonly keys: KeyServer
  readonly listener: PolicyListener
  readonly book: SessionBook
  readonly address: string
  close(): Promise<void>
}

export async function startListening(bytes: Buffer = smallPolicy(), runMs = 30_000): Promise<Listening> {
  const keys = await startKeyServer()
  const { path, remove } = await writtenPolicy(bytes)
  const model = await openModel(path, runMs)
  const logLine = () => {}
  let listener: PolicyListener | null = null
  const timing = { keysMs: 100, unknownKeyMs: 50 }
  const hubKeys = await openHubKeys(keys.url, timing, { refreshed: () => listener?.dropUnknownKeys(), logLine })
  const book = openSessionBook(Date.now)
  const metadata = { protocol: 'policy/1', inputs: model.inputs, outputs: model.outputs }
  const served = { endpoint: endpointId, modelSha256 }
  const held = await holdAddress('127.0.0.1', 0)
  listener = listen({ served, model, keys: hubKeys, book, metadata, nowMs: Date.now, logLine }, await held.take())
  return {
    keys,
    listener,
    book,
    address: listener.address,
    async close() {
      await listener?.close('stopped')
      hubKeys.close()
      await model.close()
      await keys.close()
      await remove()
    },
  }
}

/** Until it holds; the patience of every poll. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 100_000
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error('It did not come to hold.')
    await pause(10)
  }
}
