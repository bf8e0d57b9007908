/** The job of examples/pendulum for processes. */
import { fileURLToPath } from 'node:url'
import { openReadingPool } from '@hub/mjcf/processes/reading-pool'
import { calm } from '../../src/loop/calm.ts'
import { policyIn, robotIn, textIn } from '../../src/processes/prepare.ts'
import type { RolloutJob } from '../../src/processes/protocol.ts'
import { readTask } from '../../src/task-schema.ts'

const exampleFolder = (name: 'robot' | 'policy') =>
  fileURLToPath(new URL(`../../../../examples/pendulum/${name}`, import.meta.url))

export async function exampleJob(): Promise<RolloutJob> {
  const pool = openReadingPool({ processes: 1 })
  try {
    const card = (await textIn(exampleFolder('robot'), 'robot_card.json')) ?? ''
    const { fingerprint: _, ...robot } = await robotIn(exampleFolder('robot'), card, pool, new AbortController().signal)
    const { file, contract } = await policyIn(exampleFolder('policy'), null)
    const task = readTask(JSON.parse((await textIn(exampleFolder('policy'), 'task.json')) ?? ''))
    return { ...robot, policy: file, contract, map: null, task, disturbance: calm, cameras: {} }
  } finally {
    await pool.close()
  }
}
