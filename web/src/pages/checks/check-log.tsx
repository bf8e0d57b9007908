/** The log of a check. */
import { useCallback } from 'react'
import { useClient } from 'urql'
import { LogView } from '../../ui/log-view.tsx'
import { rootField } from '../../ui/root-field.ts'
import { type Heard, useLog } from '../../ui/use-log.ts'
import { checkLogLinesSubscription } from './checks.graphql.ts'

export function CheckLog({ id }: { readonly id: string }) {
  const client = useClient()
  const follow = useCallback(
    (heard: Heard) =>
      client
        .subscription(checkLogLinesSubscription, { id })
        .subscribe((event) => heard(rootField(event, 'robotCheckLog'))).unsubscribe,
    [client, id],
  )
  return <LogView label="Log of the check" {...useLog(follow)} download={`/v1/robot-checks/${id}/logs/download`} />
}
