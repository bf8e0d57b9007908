/** Rows of texts under a head, in a frame that scrolls. */
import type { ReactNode } from 'react'

interface Props {
  /** What the table has, for people who do not see it. */
  readonly label: string
  readonly head: readonly ReactNode[]
  readonly rows: readonly (readonly ReactNode[])[]
  /** Columns of numbers, by place. */
  readonly numbers?: ReadonlySet<number>
}

export function RowTable({ label, head, rows, numbers }: Props) {
  const classOf = (column: number) => (numbers?.has(column) ? 'number' : undefined)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
    <section className="table-wrap preview" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((name, column) => (
              <th key={column} className={classOf(column)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, column) => (
                <td key={column} className={classOf(column)}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
