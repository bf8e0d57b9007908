/**
 * The resources that a model may use on the machine that checks it. A model is untrusted: it may use as much as it can
 * get.
 */

export interface EngineLimits {
  /**
   * Processor time of one engine process, compiling and stepping together. By the clock it gets three times as much,
   * since a busy machine must not change a verdict.
   */
  readonly processorS: number
  /** The engine's own memory; MuJoCo allocates as much as a model's text requests. */
  readonly memoryMiB: number
  /** All files that the model needs, which stay in memory next to that. */
  readonly filesBytes: number
  /** How long the model is stepped, in its own time. */
  readonly simulatedS: number
  /** Processor time of the stepping: a slow model is stepped for less of its own time. */
  readonly steppingS: number
}

/**
 * The largest public robots compile in 5 s and 300 MiB, and step 2 s of their own time in 3 s. A robot that falls over
 * or drifts off does so within 2 s; one that explodes takes a few steps.
 */
export const engineLimits: EngineLimits = {
  processorS: 60,
  memoryMiB: 1024,
  filesBytes: 512 * 1024 * 1024,
  simulatedS: 2,
  steppingS: 20,
}
