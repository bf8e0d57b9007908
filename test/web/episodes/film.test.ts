/** Recording a canvas with a recorder that works behind, as Chromium's does on a busy machine. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { filmOf } from '../../../web/src/episodes/film.ts'

/** When the first picture is coded, in ms from the start; null for never. */
let firstAt: number | null
/** How long any picture takes to be coded. */
let behind: number
/** How long the last recording went on, in ms. */
let recorded = 0

/** Says that it started once a picture is coded, and forgets the pictures that are not when it is stopped. */
class Recorder extends EventTarget {
  static readonly isTypeSupported = () => true
  state = 'inactive'
  private at = 0

  start(): void {
    this.state = 'recording'
    this.at = Date.now()
    if (firstAt === null) return
    setTimeout(() => this.state === 'recording' && this.dispatchEvent(new Event('start')), firstAt)
  }

  stop(): void {
    this.state = 'inactive'
    recorded = Date.now() - this.at
    const coded = String(Math.max(0, recorded - behind))
    this.dispatchEvent(Object.assign(new Event('dataavailable'), { data: new Blob([coded]) }))
    this.dispatchEvent(new Event('stop'))
  }
}

const stopped = vi.fn()
const canvas = { captureStream: () => ({ getTracks: () => [{ stop: stopped }] }) } as unknown as HTMLCanvasElement
const playFor = (ms: number) => () => new Promise<void>((resolve) => setTimeout(resolve, ms))

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('MediaRecorder', Recorder)
  stopped.mockClear()
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it.each([200, 3000])('a picture that is coded %d ms late is in the video, and so is the last one', async (late) => {
  firstAt = behind = late
  const film = filmOf(canvas, playFor(2000))
  await vi.runAllTimersAsync()
  const { blob, ending } = await film
  // All of the two seconds are coded.
  expect(Number(await blob.text())).toBeGreaterThanOrEqual(2000)
  expect([ending, stopped.mock.calls.length]).toEqual(['webm', 1])
})

it('a recording without a picture is told, and is no film', async () => {
  firstAt = null
  const film = filmOf(canvas, playFor(2000))
  const told = expect(film).rejects.toThrow('The browser recorded no picture: this machine is too busy.')
  await vi.runAllTimersAsync()
  await told
  // Not what the clock shows after it: timers of other tests may move it on.
  expect(recorded).toBe(32_000)
})

it('what a player throws ends the recording', async () => {
  firstAt = behind = 10
  const film = filmOf(canvas, () => Promise.reject(new Error('The player was closed.')))
  await expect(film).rejects.toThrow('The player was closed.')
})
