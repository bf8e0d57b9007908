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

/** Makes the WebAssembly of MuJoCo from what its loader gives it. */
export type Instantiate = (imports: object) => Promise<{ readonly instance: object; readonly module: object }>

/**
 * `tell` is called with each line that MuJoCo prints: its warnings. `instantiate`: for who fetches the WebAssembly
 * itself; without it the loader finds it. Rejects as it does.
 */
export async function openMujoco(tell: (line: string) => void, instantiate?: Instantiate): Promise<LoadedMujoco> {
  let outOfMemory = false
  const hear = (text: unknown) => {
    const line = String(text)
    if (noMemory.test(line)) outOfMemory = true
    else if (line.trim() !== '') tell(line)
  }
  // Loaded where it runs: most commands, and most installations of the command line, do without it.
  const { default: load } = await import('@mujoco/mujoco')
  const said = { print: hear, printErr: hear }
  const mujoco = await (instantiate ? loadedBy(load, said, instantiate) : load(said))
  return { mujoco, files: (mujoco as unknown as { FS: MemoryFiles }).FS, isOutOfMemory: () => outOfMemory }
}

/** The loader waits for ever where the WebAssembly is not made: a promise beside it rejects then. */
function loadedBy(load: typeof loadMujoco, said: object, instantiate: Instantiate): Promise<Module> {
  const failed = Promise.withResolvers<never>()
  const instantiateWasm = (imports: object, made: (instance: object, module: object) => void) => {
    instantiate(imports).then(({ instance, module }) => made(instance, module), failed.reject)
    return {}
  }
  return Promise.race([load({ ...said, instantiateWasm }), failed.promise])
}
