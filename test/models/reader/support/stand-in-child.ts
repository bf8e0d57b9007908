/** A reading process whose models are lines: `include PATH`, `asset PATH`, and ways to misbehave. It reports what it reads as names. */
import type { ModelFiles } from '@hub/mjcf/model-files'
import type { ModelReading } from '@hub/mjcf/reading'
import { serveReadings } from '../../../../packages/mjcf/src/processes/serve-readings.ts'

const misbehaviours: Readonly<Record<string, () => void>> = {
  spin: () => {
    for (;;);
  },
  hoard: () => {
    const all: number[][] = []
    for (;;) all.push(new Array(10_000).fill(all.length))
  },
  // In one piece: a thread's limit does not hold this.
  gulp: () => {
    const all: number[][] = []
    for (;;) all.push(new Array(30_000_000).fill(1))
  },
  die: () => process.kill(process.pid, 'SIGKILL'),
  recurse: () => {
    const down = (): number => down() + 1
    down()
  },
  fail: () => {
    throw new Error('a mistake of the reader')
  },
}

async function read(files: ModelFiles, entry: string): Promise<ModelReading> {
  const texts: string[] = []
  const visit = async (path: string): Promise<void> => {
    const bytes = await files.readFile(path)
    texts.push(bytes ? `${path} ${bytes.length}` : `${path} absent`)
    // A large file is read like any other; only its start identifies it.
    const lines = bytes ? Buffer.from(bytes.subarray(0, 10_000)).toString().split('\n') : []
    const named = (word: string) =>
      lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
    await Promise.all(named('include').map(visit))
    const assets = named('asset')
    const sizes = await files.sizesOf(assets)
    texts.push(...assets.map((asset, place) => `${asset} ${sizes[place] ?? 'absent'}`))
    for (const line of lines) misbehaviours[line]?.()
  }
  await visit(entry)
  return {
    entry,
    format: 'mjcf',
    model: null,
    joints: [],
    roots: [],
    base: 'fixed',
    keyframes: [],
    names: { bodies: texts.sort(), sites: [], cameras: [], actuators: [] },
    sizes: null,
    files: [],
    missing: [],
    faults: [],
    warnings: [],
    undecided: [],
    asked: [],
  }
}

serveReadings(read)
