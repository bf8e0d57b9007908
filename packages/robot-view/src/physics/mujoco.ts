/** MuJoCo as the package has it, in a process that serves one model: its module, its file system, its words. */
import type loadMujoco from '@mujoco/mujoco'

/** The parts of Emscripten's file system in use; all of it is memory. */
export interface MemoryFiles {
  mkdirTree(path: string): void
  writeFile(path: string, data: string | Uint8Array): void
  readFile(path: string, options: { encoding: 'utf8' }): string
  unlink(path: string): void
}

type Module = Awaited<ReturnType<typeof loadMujoco>>
export type Mujoco = Module
export type Model = ReturnType<Module['MjModel']['from_xml_path']>
export type Data = InstanceType<Module['MjData']>

export interface LoadedMujoco {
  readonly mujoco: Module
  readonly files: MemoryFiles
  /** Whether the memory of the module could not grow when it had to. */
  isOutOfMemory(): boolean
}

/** Emscripten's own account of an allocation that failed, up to eight lines of it. */
const noMemory = /^(growMemory:|Failed to grow the heap|Cannot enlarge memory)/

/** `tell` is called with each line that MuJoCo prints: its warnings. */
export async function openMujoco(tell: (line: string) => void): Promise<LoadedMujoco> {
  let outOfMemory = false
  const hear = (text: unknown) => {
    const line = String(text)
    if (noMemory.test(line)) outOfMemory = true
    else if (line.trim() !== '') tell(line)
  }
  // Loaded where it runs: most commands, and most installations of the command line, do without it.
  const { default: load } = await import('@mujoco/mujoco')
  const mujoco = await load({ print: hear, printErr: hear })
  return { mujoco, files: (mujoco as unknown as { FS: MemoryFiles }).FS, isOutOfMemory: () => outOfMemory }
}
