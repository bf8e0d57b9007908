/** The GPUs, by `nvidia-smi` where there is one. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const TIMEOUT_MS = 5000

const fields = [
  'index',
  'name',
  'utilization.gpu',
  'memory.used',
  'memory.total',
  'temperature.gpu',
  'power.draw',
] as const
const query = [`--query-gpu=${fields.join(',')}`, '--format=csv,noheader,nounits']

export interface GpuReading {
  readonly index: number
  readonly name: string
  /** By the name after the GPU's. */
  readonly values: Readonly<Record<string, number>>
}

/** Reads all GPUs; an empty list from the first failure on: a machine does not get one while it runs. */
export function gpuReader(env: Readonly<Record<string, string | undefined>>): () => Promise<readonly GpuReading[]> {
  let isThere = true
  return async () => {
    if (!isThere) return []
    try {
      const { stdout } = await run('nvidia-smi', query, { timeout: TIMEOUT_MS, env: { ...env } })
      return gpusIn(stdout)
    } catch {
      isThere = false
      return []
    }
  }
}

/** The rows that `nvidia-smi` prints; what a GPU does not tell (`[N/A]`) is left out. */
export function gpusIn(text: string): GpuReading[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [index = '0', name = '', utilization, used, total, temperature, power] = line
        .split(',')
        .map((cell) => cell.trim())
      const mib = 1024 * 1024
      const gb = (cell: string | undefined) => (Number(cell) * mib) / 1e9
      const values = {
        utilization_percent: Number(utilization),
        memory_gb: gb(used),
        memory_percent: (Number(used) / Number(total)) * 100,
        temperature_c: Number(temperature),
        power_w: Number(power),
      }
      const known = Object.entries(values).filter(([, value]) => Number.isFinite(value))
      return { index: Number(index), name, values: Object.fromEntries(known) }
    })
}
