/** The log of a run, from its last 5,000 lines on. */
import { useCallback } from 'react'
import { useClient } from 'urql'
import { LogView } from '../../ui/log-view.tsx'
import { useLog } from '../../ui/use-log.ts'
import { type RunLogLinesSubscription, runLogLinesSubscription } from './run.graphql.ts'

type Events = RunLogLinesSubscription['runLog']['events']

export function RunLog({ id }: { readonly id: string }) {
  const client = useClient()
  const follow = useCallback(
    (heard: (events: Events) => void) =>
      client.subscription(runLogLinesSubscription, { id }).subscribe(({ data }) => heard(data?.runLog.events ?? []))
        .unsubscribe,
    [client, id],
  )
  return <LogView label="Log of the run" log={useLog(follow)} download={`/v1/runs/${id}/logs/download`} />
}
