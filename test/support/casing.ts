/** The members of an object and of all in it that are not named as `/v1` names members. */
export function otherCasing(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(otherCasing)
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name) ? [] : [name]),
    ...otherCasing(inner),
  ])
}
