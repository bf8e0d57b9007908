/** Text output of inference endpoints. */
import type { EndpointEstimate, RemoteEndpoint } from '@hub/client/internal'
import { inLine } from './terminal.ts'

const usd = (amount: number) => `${amount.toFixed(4)} USD`
const lines = (rows: readonly (readonly [string, string | null])[]) =>
  rows.flatMap(([name, value]) => (value === null ? [] : [`${inLine(`${name.padEnd(10)} ${value}`)}\n`])).join('')

const placeOf = ({ artifact, model_repo }: RemoteEndpoint) =>
  artifact.path === '' ? model_repo.full_name : `${model_repo.full_name}/${artifact.path}`

/** One line of a list. */
export function endpointRow(endpoint: RemoteEndpoint): string {
  const { id, status, executor, sessions_open, name } = endpoint
  const label = name === null ? placeOf(endpoint) : `${name} (${placeOf(endpoint)})`
  return `${inLine(`${id}  ${status.padEnd(8)} ${executor.padEnd(7)} ${String(sessions_open).padStart(3)} open  ${label}`)}\n`
}

/** To a tenth: servers report times as their clocks give them, with digits that say nothing. */
const inMs = (time: number | null) => (time === null ? null : `${Number(time.toFixed(1))} ms (p95)`)

/** One endpoint: what it serves, where, and what its sessions have used. */
export function endpointLines(endpoint: RemoteEndpoint): string {
  const { service_ms_p95: service, rtt_ms_p95: roundTrip } = endpoint
  const isStopping = endpoint.stop_requested_at !== null && endpoint.status === 'running'
  return lines([
    ['endpoint', endpoint.name === null ? endpoint.id : `${endpoint.id}  ${endpoint.name}`],
    ['status', isStopping ? 'running, asked to stop' : endpoint.status],
    ['model', placeOf(endpoint)],
    ['sha256', endpoint.model_sha256],
    ['class', endpoint.control_class],
    ['owner', endpoint.owner.handle],
    ['runs on', `${endpoint.executor}, ${endpoint.tier}`],
    ['server', endpoint.claimed_by],
    ['url', endpoint.url],
    [
      'sessions',
      `${endpoint.sessions_open} open, ${endpoint.chunks_served} chunks, ${endpoint.gpu_seconds} GPU-seconds`,
    ],
    ['service', inMs(service)],
    ['round trip', inMs(roundTrip)],
    ['cost', endpoint.priced && endpoint.cost_usd !== null ? usd(endpoint.cost_usd) : null],
    ['error', endpoint.error],
  ])
}

/** `519.4800 USD until 2026-12-01, and again each month`, or the amount alone of an endpoint with an end. */
export function reservationText({
  amount_usd: amount,
  covers_to: until,
}: NonNullable<EndpointEstimate['reservation']>): string {
  return until === null ? usd(amount) : `${usd(amount)} until ${until.slice(0, 10)}, and again each month`
}

/** What an endpoint would need, and the most that it can cost. */
export function estimateLines(estimate: EndpointEstimate): string {
  const { priced, hours, rate_usd_per_hour: rate, capped_by_budget: capped } = estimate
  const cost = `${usd(estimate.cost_usd_max)} for ${hours} h at ${usd(rate)}/h${capped ? ', capped by the budget' : ''}`
  return lines([
    ['artifact', `${estimate.artifact.kind} ${estimate.artifact.path || '(the repo)'}`],
    ['sha256', estimate.artifact.sha256],
    ['tier', `${estimate.tier}: ${estimate.params} parameters, ${estimate.vram_bytes} bytes of GPU memory`],
    ['at most', priced ? cost : 'not charged: it runs on a machine of yours'],
    ['reserves', estimate.reservation && reservationText(estimate.reservation)],
    ...estimate.notes.map((note) => ['note', note] as const),
  ])
}
