/** Maps of joints that the hub keeps, through public fields. */
import type { JointMap } from '@hub/embodiment/joint-map'
import type { Client } from '@urql/core'
import { messageOf } from '../../ui/problem.ts'
import type { KeptMap } from '../../viewer/kept-map.ts'
import { keptMapsQuery } from './kept-maps.graphql.ts'

/** The kept versions from a repo to the robot of this full name, newest first. Rejects in the words of the hub. */
export async function keptMaps(
  client: Client,
  from: { readonly owner: string; readonly repo: string },
  robot: string,
): Promise<readonly KeptMap[]> {
  // Another page may have reviewed one since.
  const asked = client.query(keptMapsQuery, { ...from, robot }, { requestPolicy: 'network-only' })
  const { data, error } = await asked.toPromise()
  if (error) throw new Error(messageOf(error))
  return (data?.repo?.jointMaps.nodes ?? []).map((one) => ({ ...one, map: one.map as JointMap }))
}
