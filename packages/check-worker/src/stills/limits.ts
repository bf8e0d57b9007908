/** What drawing the stills of one model may take of the machine. */

export interface StillsLimits {
  /** By the clock, from the start of Chromium to its end. */
  readonly timeS: number
  /** Of all processes of Chromium together, as the kernel counts what they hold. */
  readonly memoryMiB: number
  /** Positions and triangles of what is visible: 1,000,000 triangles are some 17 MiB. */
  readonly sceneBytes: number
  /** Of one picture. */
  readonly pngBytes: number
}

export const stillsLimits: StillsLimits = {
  timeS: 60,
  memoryMiB: 2048,
  sceneBytes: 64 * 1024 * 1024,
  pngBytes: 2 * 1024 * 1024,
}
