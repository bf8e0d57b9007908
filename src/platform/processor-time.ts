/**
 * Processor time by who used it: the time between two turns of the event loop, in slices. A slice begins when work of
 * someone is entered, and ends when someone else's is, or when the microtasks that it led to are done. Waiting, and
 * what the loop does between slices, is in none.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** Where time goes: an operation, which adds it up. */
export interface TimeUser {
  addTime(ms: number): void
  /**
   * Who has the time of calls of the object store, and of what is made of their answers; the user itself where this is
   * absent, no one where it is null.
   */
  readonly payer?: TimeUser | null
  /** Throws if it has had all the time that it may use. */
  assertTimeLeft?(): void
}

/**
 * Of this thread: a busy machine does not make work dearer. A look takes about a microsecond, three times a look at the
 * clock.
 */
function nowMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

let current: TimeUser | null = null
let since = 0
let isClosing = false

/** From now on the time is this user's. Costs a comparison while it is so already. */
export function enterSlice(user: TimeUser): void {
  if (current === user) return
  const now = nowMs()
  current?.addTime(now - since)
  current = user
  since = now
  if (isClosing) return
  isClosing = true
  // In a microtask this is called once all microtasks are done, else before the first.
  process.nextTick(close)
}

/** The time of the current slice of this user so far, in ms. */
export const sliceSoFar = (user: TimeUser): number => (current === user ? nowMs() - since : 0)

/** Ends the current slice: its user has its time so far. */
export function endSlice(): void {
  current?.addTime(nowMs() - since)
  current = null
}

function close(): void {
  isClosing = false
  endSlice()
}

const users = new AsyncLocalStorage<TimeUser>()

/** Runs the work as this user's: the time after each of its statements counts as the user's too. */
export const timedFor = <T>(user: TimeUser, work: () => T): T =>
  users.run(user, () => {
    enterSlice(user)
    return work()
  })

/** Whose time it is here; null where that is not counted. */
export const timeUserHere = (): TimeUser | null => users.getStore() ?? null

/** Called when a statement has its rows: what is made of them is the time of who sent it. */
export function enterOwnSlice(): void {
  const user = users.getStore()
  if (user) enterSlice(user)
}

/** For long work of a read, between two of its pieces: throws if the operation that it is of may use no more time. */
export const assertTimeLeftHere = (): void => users.getStore()?.assertTimeLeft?.()

/** Whose time calls of the object store are here. */
export function payerHere(): TimeUser | null {
  const user = users.getStore()
  return user?.payer === undefined ? (user ?? null) : user.payer
}

/** Called when the object store has answered: what is made of it is the time of who asked. */
export function enterPaidSlice(): void {
  const payer = payerHere()
  if (payer) enterSlice(payer)
}
