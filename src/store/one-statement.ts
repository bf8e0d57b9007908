/** One statement at a time on a connection. */

export interface OneStatement {
  /** Runs `send`; throws while another statement is being executed. `name` names it in errors. */
  run<T>(name: string, send: () => Promise<T>): Promise<T>
  /** Throws while a statement is being executed. */
  assertIdle(): void
}

/**
 * A connection executes one statement after the other; the driver's queue for the others is deprecated. Statements that
 * overlap in a transaction are refused and not put in order: their sender did not wait for one, so that its failure, or
 * its end after the commit, would go unnoticed.
 */
export function oneStatement(): OneStatement {
  let active: string | null = null
  const assertIdle = (next = 'the end of the transaction') => {
    if (active !== null) throw new Error(`${next} came before the statement ${active} had ended: await each statement.`)
  }
  return {
    assertIdle,
    async run(name, send) {
      assertIdle(name)
      active = name
      try {
        return await send()
      } finally {
        active = null
      }
    },
  }
}
