/** What a process of rollouts may use. Robots and policies are untrusted. */
import type { SightLimits } from '@hub/check-worker/stills/sight-drawer'

export interface RolloutLimits {
  /** Processor time of one process: it ends then, and its rollout is done again in a fresh one. */
  readonly processorS: number
  /** Of each of the two engines. */
  readonly memoryMiB: number
  readonly startMs: number
  /** To compile the robot and load the policy. */
  readonly openMs: number
  /** From one picture to the next, and without pictures to the end of the rollout. */
  readonly rolloutMs: number
  /** After so many ends of its process a rollout is given up, and the command with it. */
  readonly attempts: number
  /** Of the Chromium that draws the pictures of one process. */
  readonly drawing: SightLimits
  /** Positions, triangles and textures of what its cameras see: 1,000,000 triangles are some 17 MiB. */
  readonly sceneBytes: number
}

/** A rollout of 10 s of a real arm takes 1 to 5 s; a busy machine takes ten times as long. */
export const rolloutLimits: RolloutLimits = {
  processorS: 3_600,
  memoryMiB: 2_048,
  startMs: 120_000,
  openMs: 300_000,
  rolloutMs: 600_000,
  attempts: 3,
  drawing: { timeS: 3_600, memoryMiB: 2_048, startMs: 120_000, drawMs: 120_000 },
  sceneBytes: 64 * 1024 * 1024,
}
