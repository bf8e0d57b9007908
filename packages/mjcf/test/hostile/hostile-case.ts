/** A model that is out to hurt. */
export interface HostileCase {
  readonly name: string
  /** Files of a folder; created when the case runs, since some are large. */
  readonly files: () => Readonly<Record<string, string | Uint8Array>>
  /** `main.xml` by default. */
  readonly entry?: string
  /** The reader's verdict, with the kind or part of the text of a fault if it rejects. */
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
