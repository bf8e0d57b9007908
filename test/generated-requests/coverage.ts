/** Which answers of which operations were seen, for the table at the end. */
import { allOperations } from '../support/documented.ts'

export class Coverage {
  readonly #seen = new Map<string, Map<string, number>>()

  count(operation: string, answer: string | number): void {
    const answers = this.#seen.get(operation) ?? new Map<string, number>()
    this.#seen.set(operation, answers)
    answers.set(String(answer), (answers.get(String(answer)) ?? 0) + 1)
  }

  has(operation: string, matches: (answer: string) => boolean): boolean {
    return [...(this.#seen.get(operation)?.keys() ?? [])].some(matches)
  }

  /** A line for each operation: how often each answer came. */
  table(operations: readonly string[]): string {
    const width = Math.max(...operations.map(({ length }) => length))
    return operations
      .map((name) => {
        const answers = [...(this.#seen.get(name) ?? [])].sort(([one], [other]) => one.localeCompare(other))
        return `${name.padEnd(width)}  ${answers.map(([answer, times]) => `${answer}×${times}`).join(' ')}`
      })
      .join('\n')
  }

  /** Pairs of an operation and a status that the OpenAPI document has, and how many of them were seen. */
  pairs(): { readonly seen: number; readonly documented: number } {
    const pairs = allOperations.flatMap(({ operation }) =>
      Object.keys(operation.responses).map((status) => this.has(operation.operationId, (one) => one === status)),
    )
    return { seen: pairs.filter(Boolean).length, documented: pairs.length }
  }
}
