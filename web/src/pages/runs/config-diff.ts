/** What differs between configs. Pure. */

interface Key {
  readonly group: string
  readonly path: string
  readonly value: string
}

export interface Difference {
  readonly path: string
  /** One for each config; null where it does not have the key. */
  readonly values: readonly (string | null)[]
}

/** Keys with other values, or that some configs lack, by path. */
export function differences(configs: readonly (readonly Key[])[]): readonly Difference[] {
  const pathOf = ({ group, path }: Key) => (group ? `${group}.${path}` : path)
  const maps = configs.map((keys) => new Map(keys.map((key) => [pathOf(key), key.value])))
  return [...new Set(maps.flatMap((values) => [...values.keys()]))]
    .sort()
    .map((path) => ({ path, values: maps.map((values) => values.get(path) ?? null) }))
    .filter(({ values }) => values.some((value) => value !== values[0]))
}
