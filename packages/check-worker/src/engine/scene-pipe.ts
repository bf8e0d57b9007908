/** The bytes of a scene that a process of an engine writes to `SCENE_FD`. */
import type { ChildProcess } from 'node:child_process'
import { writeSync } from 'node:fs'
import { SCENE_FD } from './protocol.ts'

interface ScenePipe {
  /** All of it, if so many bytes have come and no more; else null. */
  arrived(expected: number): Uint8Array<ArrayBuffer> | null
  /** As `arrived`, once so many have come or the pipe has ended: a process that goes on tells their number apart. */
  whole(expected: number): Promise<Uint8Array<ArrayBuffer> | null>
}

/** Next to the meshes there are bodies and geoms. */
const MAX_HEADER = 32 * 1024 * 1024

/** Collects what comes, up to what was asked for. `maxBytes`: of the meshes. */
export function scenePipe(engine: ChildProcess, maxBytes: number): ScenePipe {
  const stream = engine.stdio[SCENE_FD]
  const chunks: Buffer[] = []
  let received = 0
  let ended = false
  let heard: (() => void) | null = null
  const most = maxBytes + MAX_HEADER
  stream?.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received <= most) chunks.push(chunk)
    heard?.()
  })
  stream?.once('close', () => {
    ended = true
    heard?.()
  })
  const arrived = (expected: number) =>
    received === expected && received <= most ? new Uint8Array(Buffer.concat(chunks)) : null
  return {
    arrived,
    whole: (expected) =>
      new Promise((resolve) => {
        heard = () => {
          if (received >= expected || ended) resolve(arrived(expected))
        }
        heard()
      }),
  }
}

/** In the process of the engine: a pipe takes some of it at a time. */
export function writeScene(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(SCENE_FD, bytes, at)
}
