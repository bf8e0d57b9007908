/** A rate of success as its interval: what is sure of it, not a point. */

/** Such as `85.2 %`. */
const percent = (rate: number) => `${(100 * rate).toFixed(1)} %`

const WIDTH = 120

interface Props {
  readonly lowest: number
  readonly highest: number
}

export function Interval({ lowest, highest }: Props) {
  const text = `${percent(lowest)} to ${percent(highest)}`
  return (
    <span className="row nowrap">
      <svg width={WIDTH} height="10" aria-hidden="true">
        <line x1="0" x2={WIDTH} y1="5" y2="5" stroke="currentColor" strokeOpacity="0.25" />
        {/* At least as wide as its own ends, so that a sure rate is seen too. */}
        <line
          x1={Math.min(lowest * WIDTH, WIDTH - 3)}
          x2={Math.max(highest * WIDTH, lowest * WIDTH + 3)}
          y1="5"
          y2="5"
          stroke="currentColor"
          strokeWidth="6"
        />
      </svg>
      {text}
    </span>
  )
}
