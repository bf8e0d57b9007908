/** Turns finished bytes into objects of the disk store, durable on return. */
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Layout, ObjectDocument } from './disk-layout.ts'
import { writePack } from './disk-pack.ts'
import { type DiskPlaces, renameInto } from './disk-places.ts'
import type { Scratch } from './disk-scratch.ts'
import { headerOf, writeWhole } from './disk-whole.ts'
import { syncDirectory, writeDocument } from './disk-write.ts'
import { MOST_TOGETHER } from './member-key.ts'
import type { ObjectHead } from './object-store.ts'

export interface DiskPublishing {
  /**
   * Turns a directory with the document's parts into the object, replacing an existing one. The result is durable on
   * return.
   */
  publish(directory: string, document: ObjectDocument): Promise<ObjectHead>
  /** Writes bytes as an object of one file, in the same way; null if it cannot be one. */
  putWhole(key: string, bytes: Uint8Array, options: WholeOptions): Promise<ObjectHead | null>
  /** Writes objects from memory as one file, durable on return. */
  putTogether(group: string, bodies: readonly Uint8Array[], signal?: AbortSignal): Promise<readonly ObjectHead[]>
}

export interface WholeOptions {
  readonly contentType?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Publishes under a layout, at its places. */
export function diskPublishing(layout: Layout, scratch: Scratch, places: DiskPlaces): DiskPublishing {
  const publish = async (directory: string, document: ObjectDocument) => {
    await writeDocument(join(directory, 'object.json'), document)
    await syncDirectory(directory)
    return places.fill(directory, document)
  }

  const putWhole = async (key: string, bytes: Uint8Array, { contentType, signal }: WholeOptions) => {
    const whole = headerOf(key, bytes, contentType ?? null)
    if (!whole) return null
    const path = scratch.fresh()
    await writeWhole(path, whole.header, bytes)
    try {
      signal?.throwIfAborted()
      return await places.fill(path, whole.document)
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
  }

  const putTogether: DiskPublishing['putTogether'] = async (group, bodies, signal) => {
    if (bodies.length > MOST_TOGETHER) throw new Error(`A group has at most ${MOST_TOGETHER} objects.`)
    const pack = layout.pack(group)
    const draft = scratch.fresh()
    const heads = await writePack(draft, bodies)
    try {
      signal?.throwIfAborted()
      await renameInto(draft, pack)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
    await syncDirectory(dirname(pack))
    return heads
  }

  return { publish, putWhole, putTogether }
}
