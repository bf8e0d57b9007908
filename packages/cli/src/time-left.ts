/**
 * How long a transfer still takes. A file costs a time of its own next to that of its bytes: small ones move slowly and
 * say nothing of the large ones after them, so the time that is left is not bytes by bytes a second. Pure, but for the
 * clock that its caller reads.
 */

/** Files that ended, and bytes. */
export interface Moved {
  readonly files: number
  readonly bytes: number
}

/** Movements are summed up over this long: shorter pieces say when chunks arrive, not how fast. */
const SAMPLE_MS = 1000
/** After this long a movement counts half: a network changes. */
const HALF_LIFE_S = 20
/** Less than this says nothing about the rest. */
const LEAST_S = 2
/** Without any movement for this long, what moved before says nothing about the rest. */
const STALLED_MS = 15_000
/** The most that the time by bytes and the time by files may differ before both must be told apart. */
const AGREEING = 2
/**
 * Squared sine of the angle between files and bytes over the samples: from here on they vary enough to be told apart.
 */
const APART = 0.1
/** Of the time of the samples: the part of files, or of bytes, is not known better than this. */
const BLURRED = 0.1
/** What a file costs while none has ended. */
const GUESSED_FILE_S = 0.02
/** Of decayed counts, what is as good as none. */
const NONE = 0.01

export type TimeLeft = ReturnType<typeof timeLeft>

/** Estimates of a transfer that starts at `startMs`. All times are of one monotonic clock. */
export function timeLeft(startMs: number) {
  // Decayed sums over the samples, of seconds (t), files (f), megabytes (b) and their products.
  const sum = { t: 0, f: 0, b: 0, ff: 0, fb: 0, bb: 0, ft: 0, bt: 0 }
  let open = { sinceMs: startMs, files: 0, bytes: 0 }
  let movedMs = startMs

  function close(atMs: number): void {
    const t = (atMs - open.sinceMs) / 1000
    // What did not move is part of the next movement. Bytes are negative while a failed attempt is repeated.
    if (t * 1000 < SAMPLE_MS || open.bytes < 0 || open.files + open.bytes === 0) return
    const f = open.files
    const b = open.bytes / 1e6
    const kept = 0.5 ** (t / HALF_LIFE_S)
    const sample = { t, f, b, ff: f * f, fb: f * b, bb: b * b, ft: f * t, bt: b * t }
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] = sum[name] * kept + sample[name]
    open = { sinceMs: atMs, files: 0, bytes: 0 }
  }

  /** Seconds of a file and of a megabyte that fit the samples best; neither is below 0. */
  function fitted(): { readonly perFile: number; readonly perMegabyte: number } {
    const determinant = sum.ff * sum.bb - sum.fb * sum.fb
    const perFile = (sum.ft * sum.bb - sum.bt * sum.fb) / determinant
    const perMegabyte = (sum.bt * sum.ff - sum.ft * sum.fb) / determinant
    if (perFile < 0) return { perFile: 0, perMegabyte: sum.bt / sum.bb }
    if (perMegabyte < 0) return { perFile: sum.ft / sum.ff, perMegabyte: 0 }
    return { perFile, perMegabyte }
  }

  /** Seconds, files and megabytes until now. */
  function seen(atMs: number) {
    close(atMs)
    const [t, b] = [sum.t + (atMs - open.sinceMs) / 1000, sum.b + Math.max(0, open.bytes) / 1e6]
    return { t, f: sum.f + open.files, b }
  }

  return {
    /** What has moved since the last call. */
    moved(atMs: number, { files, bytes }: Moved): void {
      open = { ...open, files: open.files + files, bytes: open.bytes + bytes }
      movedMs = atMs
      close(atMs)
    },
    /** Whether nothing has moved for so long that what moved before says nothing. */
    isStalled: (atMs: number): boolean => atMs - movedMs > STALLED_MS,
    /** Smoothed bytes a second. */
    rate(atMs: number): number {
      const { t, b } = seen(atMs)
      return t === 0 ? 0 : Math.round((b * 1e6) / t)
    },
    /** Seconds until the rest has moved; null while what moved says too little about it. */
    seconds(atMs: number, { files, bytes }: Moved): number | null {
      const { t, f, b } = seen(atMs)
      if (t < LEAST_S || atMs - movedMs > STALLED_MS) return null
      const byBytes = b < NONE ? null : (t / b) * (bytes / 1e6)
      const byFiles = f < NONE ? null : (t / f) * files
      if (byFiles === null) return byBytes !== null && files * GUESSED_FILE_S <= byBytes ? byBytes : null
      if (byBytes === null) return bytes === 0 ? byFiles : null
      // All of the time is of bytes, or all of files: the truth is between.
      const [least, most] = [Math.min(byBytes, byFiles), Math.max(byBytes, byFiles)]
      if (most <= AGREEING * least) return (least + most) / 2
      if (1 - sum.fb ** 2 / (sum.ff * sum.bb) < APART) return null
      const { perFile, perMegabyte } = fitted()
      const fit = perFile * files + perMegabyte * (bytes / 1e6)
      return fit < BLURRED * most ? null : Math.min(most, Math.max(least, fit))
    },
  }
}
