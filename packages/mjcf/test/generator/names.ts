/** Names that a generated model has, so that other parts of it can refer to them. */
import type { Random } from '@hub/testing/random'

export interface Names {
  readonly random: Random
  readonly known: Map<string, string[]>
}

/** A new name of a kind; now and then none, rarely one that is taken. */
export function nameOf(names: Names, kind: string, { always = false } = {}): string | undefined {
  const { random, known } = names
  const taken = known.get(kind) ?? []
  if (!always && random.chance(0.15)) return undefined
  if (taken.length > 0 && random.chance(0.0008)) return random.pick(taken)
  const stem = random.chance(0.03) ? random.pick(['a b', 'é', 'x/y', '  ', 'a.b', '0', 'ÿ-']) : kind[0]
  const name = `${stem}${taken.length}`
  known.set(kind, [...taken, name])
  return name
}

/** Adds a name to a kind of its own, such as the joints of one degree of freedom. */
export function remember({ known }: Names, kind: string, name: string): void {
  known.set(kind, [...(known.get(kind) ?? []), name])
}

/** A name of the kind that the model has; rarely one that it does not. Null if there is none to refer to. */
export function refer(names: Names, kind: string): string | null {
  const { random, known } = names
  if (random.chance(0.004)) return random.pick(['nothing', `${kind[0]}00`, ''])
  const taken = known.get(kind) ?? []
  return taken.length > 0 ? random.pick(taken) : null
}
