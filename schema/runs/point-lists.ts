/** The points of a curve as two lists, which charts draw as they are: 200,000 points without as many objects. */
import type { MetricPoint } from '../../src/runs/metrics/metric-series.ts'
import type { builder } from '../builder.ts'

interface Curve {
  readonly points: readonly MetricPoint[]
}

/** `steps` and `values`, typed, next to the pairs of `points`. `what` begins the description of the second list. */
export function pointLists<Shape extends Curve>(
  t: PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Shape>,
  what: string,
) {
  return {
    steps: t.floatList({
      most: 500,
      description: 'The steps of `points`, in the same order.',
      resolve: ({ points }) => points.map(([step]) => step),
    }),
    values: t.floatList({
      most: 500,
      description: `${what} of \`points\`, in the same order; as many as \`steps\`.`,
      resolve: ({ points }) => points.map(([, value]) => value),
    }),
  }
}
