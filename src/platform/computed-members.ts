/**
 * Own members that are computed where they are read, from a source that is kept beside them. Own, so that a recorded
 * answer has them. Each accessor is made once for all objects: V8 keeps the accessors of a literal in its hidden class,
 * which lies in the old generation, and with them the row of each object until the next full collection.
 */
const SOURCE = Symbol('source')

interface Sourced<Source> {
  readonly [SOURCE]: Source
}

/** A function that gives an object these members, each computed from the source that it is given with it. */
export function computedMembers<Source, Members extends object>(
  compute: {
    readonly [Name in keyof Members]: (source: Source) => Members[Name]
  },
): <Target extends object>(target: Target, source: Source) => Target & Members {
  const accessors = Object.fromEntries(
    Object.entries<(source: Source) => unknown>(compute).map(([name, of]) => [
      name,
      {
        enumerable: true,
        configurable: true,
        get(this: Sourced<Source>) {
          return of(this[SOURCE])
        },
      },
    ]),
  )
  return <Target extends object>(target: Target, source: Source) => {
    Object.defineProperty(target, SOURCE, { value: source })
    return Object.defineProperties(target, accessors) as Target & Members
  }
}
