/**
 * A pack: objects that were written together are one file, so that a thousand small ones take one new file, one flush
 * and one rename. A head, a table with a record of each object, and their bytes:
 *
 *     head      8 bytes of magic, the number of records
 *     record    where the bytes begin, how many, whether the object is there, its number, the MD5 of its bytes
 *
 * Bytes never move, so a record that was read stays right for as long as its file is open. A deletion changes one byte
 * of a record, in place; when more of the pack is dead than alive, a file with holes for the dead takes its place.
 */
import { hash } from 'node:crypto'
import { type FileHandle, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openIfThere, syncDirectory, systemCode, writeAll, writeFlushed } from './disk-write.ts'
import type { ObjectHead } from './object-store.ts'

const MAGIC = Buffer.from('hubpack1')
const HEAD_BYTES = 16
const COUNT_AT = 8

const RECORD_BYTES = 32
const SIZE_AT = 6
const STATE_AT = 10
const NUMBER_AT = 12
const MD5_AT = 16
const OFFSET_BYTES = 6

/** What a record says of its object. `freed`: it is deleted, and its bytes are a hole. */
const states = { alive: 1, dead: 0, freed: 2 } as const

/** An object of a pack, and where its bytes begin in the file. */
export interface Member extends ObjectHead {
  readonly at: number
  readonly state: number
}

const recordAt = (index: number) => HEAD_BYTES + index * RECORD_BYTES

/** Writes the new file `path`, flushed; it is deleted if that fails. Returns the heads of the objects. */
export async function writePack(path: string, bodies: readonly Uint8Array[]): Promise<ObjectHead[]> {
  const table = Buffer.alloc(recordAt(bodies.length))
  MAGIC.copy(table)
  table.writeUInt32BE(bodies.length, COUNT_AT)
  let at = table.byteLength
  const heads = bodies.map((bytes, index): ObjectHead => {
    const [record, sizeBytes] = [recordAt(index), bytes.byteLength]
    const md5 = hash('md5', bytes, 'buffer')
    table.writeUIntBE(at, record, OFFSET_BYTES)
    table.writeUInt32BE(sizeBytes, record + SIZE_AT)
    table[record + STATE_AT] = states.alive
    table.writeUInt32BE(index, record + NUMBER_AT)
    md5.copy(table, record + MD5_AT)
    at += sizeBytes
    return { sizeBytes, etag: md5.toString('hex') }
  })
  await writeFlushed(path, (handle) => writeAll(handle, [table, ...bodies], at, 0))
  return heads
}

/** The open file of a pack that has the object, and where; null without the pack, or without the object in it. */
export async function openMember(
  path: string,
  index: number,
): Promise<{ readonly handle: FileHandle; readonly member: Member } | null> {
  const handle = await openIfThere(path, 'r')
  if (!handle) return null
  try {
    const member = await memberAt(handle, index)
    if (member?.state === states.alive) return { handle, member }
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return null
}

/** Null past the table, where the bytes of objects are. */
async function memberAt(handle: FileHandle, index: number): Promise<Member | null> {
  const { buffer: head } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  if (index >= head.readUInt32BE(COUNT_AT)) return null
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(RECORD_BYTES), 0, RECORD_BYTES, recordAt(index))
  return bytesRead === RECORD_BYTES ? memberIn(buffer) : null
}

/** The numbers of the objects that a pack has; none without the pack. */
export async function membersOf(path: string): Promise<number[]> {
  const handle = await openIfThere(path, 'r')
  if (!handle) return []
  try {
    const { members } = await readTable(path, handle)
    return [...members.keys()].filter((index) => members[index]?.state === states.alive)
  } finally {
    await handle.close()
  }
}

/**
 * Deletes objects of a pack, durably; those that it does not have are none. One process at a time: between the look and
 * the rename no other may change the file. `fresh` is a path for the file that may take the place of this one.
 */
export async function dropMembers(path: string, indexes: readonly number[], fresh: () => string): Promise<void> {
  const handle = await openIfThere(path, 'r+')
  if (!handle) return
  try {
    const { table, members } = await readTable(path, handle)
    const gone = indexes.filter((index) => members[index]?.state === states.alive)
    if (gone.length === 0) return
    for (const index of gone) table[recordAt(index) + STATE_AT] = states.dead
    const left = membersIn(table)
    const bytesIn = (state: number) => left.reduce((sum, one) => sum + (one.state === state ? one.sizeBytes : 0), 0)
    if (!left.some(({ state }) => state === states.alive)) {
      await rm(path, { force: true })
      return await syncDirectory(dirname(path))
    }
    // Only state bytes differ, so whatever of this write a crash leaves is a table.
    await writeAll(handle, [table], table.byteLength, 0)
    await handle.sync()
    if (bytesIn(states.dead) > bytesIn(states.alive)) await freeDead(path, fresh(), { handle, table, left })
  } finally {
    await handle.close()
  }
}

interface Dying {
  readonly handle: FileHandle
  readonly table: Buffer
  readonly left: readonly Member[]
}

/** On a full disk the bytes stay until the last object is deleted. No deletion until then needs room. */
async function freeDead(path: string, draft: string, { handle, table, left }: Dying): Promise<void> {
  for (const [index, { state }] of left.entries())
    if (state === states.dead) table[recordAt(index) + STATE_AT] = states.freed
  try {
    await writeFlushed(draft, async (to) => {
      await writeAll(to, [table], table.byteLength, 0)
      for (const { state, at, sizeBytes } of left) {
        if (state !== states.alive) continue
        const bytes = Buffer.allocUnsafe(sizeBytes)
        await readAll(path, handle, bytes, at)
        await writeAll(to, [bytes], sizeBytes, at)
      }
    })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    if (!['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '')) throw error
    return
  }
  await syncDirectory(dirname(path))
}

/** Fills `bytes` from a position of the file, which has as many. */
async function readAll(path: string, handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    const { bytesRead } = await handle.read(bytes, done, bytes.byteLength - done, position + done)
    if (bytesRead === 0) throw noPack(path)
    done += bytesRead
  }
}

const noPack = (path: string) => new Error(`${path} is not a pack of this store.`)

async function readTable(path: string, handle: FileHandle) {
  const head = Buffer.allocUnsafe(HEAD_BYTES)
  await readAll(path, handle, head, 0)
  if (!head.subarray(0, MAGIC.byteLength).equals(MAGIC)) throw noPack(path)
  const table = Buffer.allocUnsafe(recordAt(head.readUInt32BE(COUNT_AT)))
  await readAll(path, handle, table, 0)
  return { table, members: membersIn(table) }
}

const membersIn = (table: Buffer): Member[] =>
  Array.from({ length: table.readUInt32BE(COUNT_AT) }, (_, index) => memberIn(table.subarray(recordAt(index))))

const memberIn = (record: Buffer): Member => ({
  at: record.readUIntBE(0, OFFSET_BYTES),
  sizeBytes: record.readUInt32BE(SIZE_AT),
  state: record[STATE_AT] ?? states.dead,
  etag: record.toString('hex', MD5_AT, RECORD_BYTES),
})
