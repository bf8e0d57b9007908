/** The log of a check. */
import { useCallback } from 'react'
import { useClient } from 'urql'
import { LogView } from '../../ui/log-view.tsx'
import { useLog } from '../../ui/use-log.ts'
import { type CheckLogLinesSubscription, checkLogLinesSubscription } from './checks.graphql.ts'

type Events = CheckLogLinesSubscription['robotCheckLog']['events']

export function CheckLog({ id }: { readonly id: string }) {
  const client = useClient()
  const follow = useCallback(
    (heard: (events: Events) => void) =>
      client
        .subscription(checkLogLinesSubscription, { id })
        .subscribe(({ data }) => heard(data?.robotCheckLog.events ?? [])).unsubscribe,
    [client, id],
  )
  return <LogView label="Log of the check" log={useLog(follow)} download={`/v1/robot-checks/${id}/logs/download`} />
}
