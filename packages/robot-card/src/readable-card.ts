/** The part of a card that can be checked although its schema rejects the card. Pure. */
import { isJsonObject } from '@hub/formats/exact-json'
import { type RobotCardDocument, robotCardPut } from './card-schema.ts'
import type { EmbodimentInterface } from './interface-schema.ts'
import type { SchemaFault } from './schema-faults.ts'

/** The members of a card that match the schema. */
export type ReadableCard = Partial<Omit<RobotCardDocument, 'interface'>> & {
  /** Null for a card without an interface; absent if the interface does not match the schema. */
  readonly interface?: Partial<EmbodimentInterface> | null
  /** Paths of invalid members: `dof`, `interface.feet`, … includes missing required members. */
  readonly unsound: ReadonlySet<string>
}

/** Keeps only the members without faults, both of the card and of its interface. */
export function readableOf(document: unknown, faults: readonly SchemaFault[]): ReadableCard {
  const spoiling = faults.filter(({ unknown }) => !unknown).map(({ loc }) => loc)
  const unsound = new Set(spoiling.flatMap((loc) => [String(loc[0]), loc.slice(0, 2).join('.')]))
  if (!isJsonObject(document) || spoiling.some((loc) => loc.length === 0)) return { unsound }
  const shape = robotCardPut.shape
  const card = { ...soundMembers(document, Object.keys(shape), spoiling), unsound }
  const inner = document.interface
  if (inner === undefined || inner === null) return { ...card, interface: null }
  const within = spoiling.filter(([head]) => head === 'interface').map((loc) => loc.slice(1))
  if (!isJsonObject(inner) || within.some((loc) => loc.length === 0)) return card
  const names = Object.keys(shape.interface.unwrap().unwrap().shape)
  return { ...card, interface: soundMembers(inner, names, within) }
}

function soundMembers(
  object: Readonly<Record<string, unknown>>,
  names: readonly string[],
  spoiling: readonly (readonly (string | number)[])[],
): Record<string, unknown> {
  const spoiled = new Set(spoiling.map(([head]) => head))
  const sound = names.filter((name) => !spoiled.has(name) && Object.hasOwn(object, name))
  return Object.fromEntries(sound.map((name) => [name, object[name]]))
}
