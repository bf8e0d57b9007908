/** Processor time of calls of the object store, as that of the operation's caller. */
import type { Readable } from 'node:stream'
import { enterPaidSlice, payerHere } from '../../platform/processor-time.ts'

/**
 * What one call takes of the main thread, in ms, between its own waits: system calls and their promises on a disk, a
 * signed request on S3. It is charged, not measured, as the loop goes to and fro between all calls in progress. A
 * common server with a disk takes 0.25 to 0.35 ms to store a small object; S3 takes more.
 */
const WRITE_MS = 0.25
/** To read or to remove one: on a disk a few system calls, and no flush. */
const OTHER_MS = 0.1

const paid = <T>(ms: number, run: () => Promise<T>): Promise<T> => {
  payerHere()?.addTime(ms)
  return run().finally(enterPaidSlice)
}

/** Runs a call that stores an object or a part of one; what follows it is the caller's time, too. */
export const paidWrite = <T>(run: () => Promise<T>): Promise<T> => paid(WRITE_MS, run)

/** The same for any other call, on so many objects. */
export const paidCall = <T>(run: () => Promise<T>, objects = 1): Promise<T> => paid(objects * OTHER_MS, run)

/** The chunks of an object. What is made of each is the caller's time. */
export async function* paidChunks(body: Readable): AsyncGenerator<Buffer, void> {
  for await (const chunk of body as AsyncIterable<Buffer>) {
    enterPaidSlice()
    yield chunk
  }
}
