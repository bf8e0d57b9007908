/** The columns of a table of results that say how a policy did. */
import type { ChosenCameras } from '@hub/rollout/loop/eyes'
import { count, rounded } from '../../../ui/format.ts'
import { Interval } from './interval.tsx'
import type { RolloutRowFragment } from './rollouts.graphql.ts'

export function ScoreHeads() {
  return (
    <>
      <th className="number">Success</th>
      <th>Interval of 95 %</th>
      <th className="number">Mean return</th>
    </>
  )
}

export function ScoreCells({ row }: { readonly row: RolloutRowFragment }) {
  return (
    <>
      <td className="number nowrap">
        {count(row.successes)} of {count(row.seeds)}
      </td>
      <td>
        <Interval lowest={row.lowest} highest={row.highest} />
        {row.drawnBy !== null && (
          <div className="small dim">Not reproducible to the bit: pictures drawn by {row.drawnBy}</div>
        )}
        {Object.entries((row.cameras as ChosenCameras | null) ?? {}).map(([picture, camera]) => (
          <div key={picture} className="small dim">
            Pictures of {picture} drawn by the camera {camera}
          </div>
        ))}
      </td>
      <td className="number">{rounded(row.meanReturn)}</td>
    </>
  )
}
