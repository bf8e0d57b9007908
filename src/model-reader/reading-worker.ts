/** The entry of a reading thread. */
import { readModel } from '../mjcf/read-model.ts'
import type { ModelReading } from '../mjcf/reading.ts'
import type { ReadingTask } from './protocol.ts'
import { serveReading } from './serve-reading.ts'

/** Called by the pool for each reading. */
export default function read(task: ReadingTask): Promise<ModelReading> {
  return serveReading(task, readModel)
}
