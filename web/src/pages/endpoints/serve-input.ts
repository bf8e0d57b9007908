/** The requests to estimate and to create an endpoint, from one form. Pure. */
import type { EstimateEndpointMutationVariables, ServeModelMutationVariables } from './endpoints.graphql.ts'

export interface ServeRequests {
  readonly estimate: EstimateEndpointMutationVariables['input']
  readonly create: ServeModelMutationVariables['input']
}

/** What is left empty is not sent: no end, no budget, the model's own files and parameters. */
export function serveRequests(form: FormData): ServeRequests {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const number = (name: string) => (text(name) === '' ? null : Number(text(name)))
  const shared = {
    modelRepo: text('model'),
    executor: text('executor') === 'HOSTED' ? ('HOSTED' as const) : ('WORKER' as const),
    ...(text('owner') === '' ? {} : { owner: text('owner') }),
    budgetUsd: number('budget'),
    params: number('params'),
  }
  const hours = number('hours')
  return {
    estimate: { ...shared, hours },
    create: { ...shared, name: text('name') || null, maxHours: hours },
  }
}
