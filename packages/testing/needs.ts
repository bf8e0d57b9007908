/** Tests that this machine, or this run, cannot do: they are skipped, and the end of the run says why (`skip-reporter.ts`). */

declare module 'vitest' {
  interface TaskMeta {
    /** Why the test is skipped. */
    skippedFor?: string
  }
}

/** What a reason is given for; the others say that nothing is missing. */
type Reason = string | null | undefined | false

/** Options of a `describe` or an `it`: skipped for the reasons that are given, as it is without any. */
export function needs(...reasons: readonly Reason[]) {
  const given = reasons.filter((reason) => typeof reason === 'string')
  return given.length === 0 ? {} : { skip: true, meta: { skippedFor: given.join('; ') } }
}
