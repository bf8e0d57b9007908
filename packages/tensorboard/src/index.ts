export { type EventFile, eventFilesIn } from './event-files.ts'
export { type EventRecord, type ReadOptions, readEvents } from './read-events.ts'
export type { Clip, EventValue, Histogram, Picture } from './values.ts'
