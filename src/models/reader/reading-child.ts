/** The entry of a reading process. */
import { readModel } from '@hub/mjcf/read-model'
import { serveReadings } from './serve-readings.ts'

serveReadings(readModel)
