/** A hub that is killed while it writes groups of objects and deletes from them. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openDiskStore } from '../../../src/store/objects/disk.ts'
import { memberOf } from '../../../src/store/objects/member-key.ts'
import { bytesOfMember, MEMBERS } from './made-group.ts'
import { collect } from './opened-store.ts'

it('has whole groups with the bytes of each object, and no deleted one, after being killed at any moment', async () => {
  const home = await mkdtemp(join(tmpdir(), 'hub-pack-crash-'))
  const script = fileURLToPath(new URL('pack-child.ts', import.meta.url))
  const told = { put: new Set<string>(), half: new Set<string>() }
  for (const wantedLines of [5, 14, 23, 38, 61]) {
    const child = spawn(process.execPath, [script, home], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    let lines = 0
    for await (const line of createInterface(child.stdout)) {
      const [what, group] = line.split(' ') as ['put' | 'half', string]
      told[what].add(group)
      lines += 1
      if (lines === wantedLines) child.kill('SIGKILL')
    }
    await exited
  }
  const store = await openDiskStore({ dir: home, signingKey: randomBytes(32), baseUrl: () => 'http://hub' })
  const found = new Map<string, number[]>()
  for (const { key, sizeBytes } of await collect(store.list(''))) {
    const { group, index } = memberOf(key) ?? { group: '', index: -1 }
    const bytes = await buffer((await store.get(key)).body)
    expect([key, sizeBytes, bytes.equals(bytesOfMember(group, index))]).toEqual([key, bytes.byteLength, true])
    found.set(group, [...(found.get(group) ?? []), index])
  }
  expect([...told.put].filter((group) => !found.has(group))).toEqual([])
  for (const [group, indexes] of found) {
    expect([group, indexes.filter((index) => index % 2 === 0).length]).toEqual([group, MEMBERS / 2])
    if (told.half.has(group)) expect([group, indexes.length]).toEqual([group, MEMBERS / 2])
  }
  expect(told.half.size).toBeGreaterThan(20)
  expect(await readdir(join(home, 'tmp'))).toHaveLength(1)
  await store.close()
  await rm(home, { recursive: true, force: true })
})
