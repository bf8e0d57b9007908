/** What a check of a data set finds, and the list in which it is kept. */

/** Every kind of finding. An error makes training wrong or impossible; a warning is for a person to look at. */
export const findingKinds = {
  info: 'error',
  totals: 'error',
  missing_table: 'error',
  broken_table: 'error',
  missing_video: 'error',
  broken_video: 'error',
  video_length: 'error',
  clock_drift: 'error',
  empty_episode: 'error',
  length: 'error',
  frame_gap: 'error',
  time_order: 'error',
  fps: 'error',
  episode_index: 'error',
  index: 'error',
  task_index: 'error',
  missing_column: 'error',
  shape: 'error',
  dtype: 'error',
  not_finite: 'error',
  stats: 'error',
  joint_limit: 'error',
  duplicate_episode: 'warning',
  dead_joint: 'warning',
  jump: 'warning',
} as const

/** The name of a kind of finding. */
export type FindingCode = keyof typeof findingKinds

/** One fault at one place. */
export interface Finding {
  readonly code: FindingCode
  readonly severity: 'error' | 'warning'
  /** Null where it is about the data set or a file. */
  readonly episode: number | null
  /** Counted from the start of the episode. */
  readonly frame: number | null
  /** The joint as the data set names it; null where it is about no joint. */
  readonly joint: string | null
  /** A path, a column, or a joint of a column: `observation.state.elbow`. */
  readonly place: string
  /** What is there, and what should be, in words. */
  readonly detail: string
}

/** Findings as they come. */
export interface FindingList {
  add(code: FindingCode, place: string, detail: string, at?: FindingPlace): void
  /** The first ones of each kind. */
  kept(): readonly Finding[]
  /** All of each kind that was found. */
  counts(): Readonly<Partial<Record<FindingCode, number>>>
}

/** Where in the data set a finding is. */
export interface FindingPlace {
  readonly episode?: number
  readonly frame?: number
  readonly joint?: string
}

/** Of one kind: a fault of every episode does not hide the others. */
const MOST_OF_A_KIND = 100

/** At most 100 findings of a kind are kept; all are counted. */
export function findingList(): FindingList {
  const kept: Finding[] = []
  const counts = new Map<FindingCode, number>()
  return {
    add(code, place, detail, { episode, frame, joint } = {}) {
      const before = counts.get(code) ?? 0
      counts.set(code, before + 1)
      if (before >= MOST_OF_A_KIND) return
      const severity = findingKinds[code]
      const at = { episode: episode ?? null, frame: frame ?? null, joint: joint ?? null }
      kept.push({ code, severity, ...at, place, detail })
    },
    kept: () => kept,
    counts: () => Object.fromEntries(counts),
  }
}
