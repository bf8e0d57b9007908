/** A hosted endpoint that nothing ends costs its account something every month: a person says so before it is sent. */
import type { HubClient, NewEndpoint } from '@hub/client/internal'
import { UsageError } from './command-errors.ts'
import { reservationText } from './endpoint-output.ts'
import { type AskingIo, ask, canAsk } from './prompt.ts'
import { inLine } from './terminal.ts'

/**
 * Asks on a terminal, with what the hub would reserve; elsewhere `--yes` says it. No effect on an endpoint with an end.
 * Errors: those of the estimate, `UsageError`.
 */
export async function confirmEndless(
  io: AskingIo,
  client: HubClient,
  { max_hours: maxHours, name: _name, ...request }: NewEndpoint,
  yes: boolean,
): Promise<void> {
  if (yes || request.executor !== 'hosted' || maxHours != null || request.budget_usd != null) return
  const { reservation } = await client.endpoints.estimate(request)
  const what = reservation ? `It reserves ${reservationText(reservation)}. ` : ''
  const question = `Nothing ends this endpoint but you. ${what}`
  if (!canAsk(io))
    throw new UsageError(`${question}Give --max-hours or --budget, or add --yes to create it without a question.`)
  const answer = await ask(io, `${inLine(question)}Create it? [y/N] `)
  if (!/^y(?:es)?$/i.test(answer)) throw new UsageError('Nothing was created.')
}
