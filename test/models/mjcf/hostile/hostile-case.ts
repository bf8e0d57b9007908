/** A model that is out to hurt. */
export interface HostileCase {
  readonly name: string
  /** Files that stand in a folder; made when the case runs, since some are large. */
  readonly files: () => Readonly<Record<string, string | Uint8Array>>
  /** `main.xml` unless it says otherwise. */
  readonly entry?: string
  /** What the reader says, with the kind of a fault or part of its words where it refuses. */
  readonly verdict: 'accepted' | RegExp
  /** False where MuJoCo takes minutes or all memory, or follows paths that the reader does not. */
  readonly judged?: false
}

/** A model around what a worldbody holds. */
export const world = (inside: string, before = ''): string =>
  `<mujoco>${before}<worldbody>${inside}</worldbody></mujoco>`

export const SPHERE = '<geom size=".1"/>'

/** Texts in a row. */
export const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('')
