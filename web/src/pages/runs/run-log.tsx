/** The log of a run, from its last 5,000 lines on. */
import { useCallback } from 'react'
import { useClient } from 'urql'
import { LogView } from '../../ui/log-view.tsx'
import { rootField } from '../../ui/root-field.ts'
import { type Heard, useLog } from '../../ui/use-log.ts'
import { runLogLinesSubscription } from './run.graphql.ts'

export function RunLog({ id }: { readonly id: string }) {
  const client = useClient()
  const follow = useCallback(
    (heard: Heard) =>
      client.subscription(runLogLinesSubscription, { id }).subscribe((event) => heard(rootField(event, 'runLog')))
        .unsubscribe,
    [client, id],
  )
  return <LogView label="Log of the run" {...useLog(follow)} download={`/v1/runs/${id}/logs/download`} />
}
