/** Whether the frames of an episode follow one another: their numbers, times, tasks and places in all frames. Pure. */
import type { Column, EpisodeRows } from './episode-rows.ts'
import type { FindingList } from './finding.ts'

/** What the frames of an episode are held against. */
export interface FrameRules {
  readonly episode: number
  readonly fps: number
  /** Where its first frame is among all frames; null where the episodes before it were not read. */
  readonly firstIndex: number | null
  /** Null where the data set lists no tasks. */
  readonly tasks: ReadonlySet<number> | null
}

/** Tells of each column the first frame that is wrong. Returns whether its times are a clock for cameras. */
export function checkFrames(rows: EpisodeRows, rules: FrameRules, findings: FindingList): boolean {
  const { episode, tasks, firstIndex } = rules
  const column = (name: string) => rows.columns.get(name)?.values
  const firstWrong = (values: Float64Array | undefined, isRight: (value: number, frame: number) => boolean) => {
    const frame = values?.findIndex((value, at) => !isRight(value, at)) ?? -1
    return frame < 0 || !values ? null : { frame, value: values[frame] }
  }
  const own = firstWrong(column('episode_index'), (value) => value === episode)
  if (own) findings.add('episode_index', 'episode_index', `is ${own.value}, not ${episode}`, { episode, ...at(own) })
  const gap = firstWrong(column('frame_index'), (value, frame) => value === frame)
  if (gap)
    findings.add('frame_gap', 'frame_index', `is ${gap.value} in frame ${gap.frame}: frames are missing or repeated`, {
      episode,
      ...at(gap),
    })
  const index = column('index')
  const first = firstIndex ?? index?.[0] ?? 0
  const off = firstWrong(index, (value, frame) => value === first + frame)
  if (off) findings.add('index', 'index', `is ${off.value}, not ${first + off.frame}`, { episode, ...at(off) })
  const task = tasks ? firstWrong(column('task_index'), (value) => tasks.has(value)) : null
  if (task)
    findings.add('task_index', 'task_index', `is ${task.value}, which is not a task of the data set`, {
      episode,
      ...at(task),
    })
  const times = rows.columns.get('timestamp')
  return times !== undefined && checkTimes(times, rules, findings)
}

const at = ({ frame }: { readonly frame: number }) => ({ frame })

/** Of the rate that `info.json` says: a recorder that is slower or faster by this is at another rate. */
const OTHER_RATE = 0.02

/** Of a frame. */
const A_HOLE = 1.5
const DRIFTED = 0.5

function checkTimes({ values }: Column, { episode, fps }: FrameRules, findings: FindingList): boolean {
  const steps = Float64Array.from({ length: Math.max(0, values.length - 1) }, (_, step) => stepOf(values, step))
  const back = steps.findIndex((step) => step <= 0)
  if (back >= 0) {
    const [before, after] = [values[back], values[back + 1]]
    findings.add('time_order', 'timestamp', `is ${after} s after ${before} s`, { episode, frame: back + 1 })
    return false
  }
  const usual = quantile(steps, 0.5)
  if (usual === null) return true
  if (Math.abs(usual * fps - 1) > OTHER_RATE) {
    const rate = (1 / usual).toPrecision(4)
    findings.add('fps', 'timestamp', `frames are ${rate} a second apart, not ${fps} as info.json says`, {
      episode,
      frame: 1,
    })
    return false
  }
  const hole = steps.findIndex((step) => step > A_HOLE * usual)
  if (hole >= 0) {
    const missing = Math.round((steps[hole] ?? 0) / usual) - 1
    const detail = `${(steps[hole] ?? 0).toPrecision(4)} s pass before this frame: ${missing || 1} missing`
    findings.add('frame_gap', 'timestamp', detail, { episode, frame: hole + 1 })
    return false
  }
  const start = values[0] ?? 0
  const drifted = values.findIndex((time, frame) => Math.abs((time - start) * fps - frame) > DRIFTED)
  if (drifted >= 0) {
    const seconds = (values[drifted] ?? 0) - start - drifted / fps
    const detail = `is ${seconds.toPrecision(3)} s off the clock of ${fps} frames a second`
    findings.add('clock_drift', 'timestamp', detail, { episode, frame: drifted })
  }
  return drifted < 0
}

const stepOf = (values: Float64Array, step: number) => (values[step + 1] ?? 0) - (values[step] ?? 0)

/** Of finite numbers; null where there is none. */
export function quantile(values: Float64Array, part: number): number | null {
  const sorted = values.filter(Number.isFinite).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null
}
