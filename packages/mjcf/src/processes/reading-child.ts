/** The entry of a reading process. */
import { readModel } from '../read-model.ts'
import { serveReadings } from './serve-readings.ts'

serveReadings(readModel)
