/** A table of texts. */

interface RowsProps {
  readonly label: string
  readonly heads: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export function Rows({ label, heads, rows }: RowsProps) {
  return (
    <section className="panel flush table-wrap" aria-label={label}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first = '', ...others]) => (
            <tr key={first}>
              <td className="mono">{first}</td>
              {others.map((cell, index) => (
                <td key={index} className="mono">
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
