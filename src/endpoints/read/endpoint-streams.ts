/** The endpoints that a caller sees, as streams in the order of an index: of each of its accounts, or of each repo. */
import { runListedSql } from '../../auth/policy.ts'
import { param } from '../../store/statement.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import { newestOf } from '../../work/newest-of.ts'
import type { EndpointStatus } from '../endpoint-state.ts'

/** The parameters of a page. */
export const pageParams = {
  status: param.text.orNull<EndpointStatus>(),
  executor: param.text.orNull<JobExecutor>(),
  /** The last endpoint of the previous page. */
  after: param.text.orNull(),
  limit: param.int4(),
}

/** After any id of an endpoint, which continues with a digit. */
const before = `coalesce(:after::text, 'ep_z')`

const filters = `(:status::text is null or u.status = :status::"EndpointStatus")
  and (:executor::text is null or u.executor = :executor::"RunExecutor")`

/** What of its accounts' endpoints a key limited to repos sees. */
const seenByKey = `(:repoIds::text[] is null or u.filed_by = :credentialId or ${runListedSql('u')})`

/** The endpoint of a hosted job's key: it sees the one that it is for. */
const ofJob = (condition: string) =>
  `select u.id from endpoints u where u.id = :credentialId and ${condition} and ${filters} and u.id < ${before}`

/** The newest endpoints of accounts, whatever they are, for a viewer that sees all of them. */
export const allEndpointsOfAccounts = (): string =>
  newestOf(
    {
      table: 'endpoints',
      of: 'unnest(:accountIds::text[]) account(id)',
      place: { owner_id: 'account.id' },
      condition: 'true',
    },
    before,
  )

export interface AccountStreams {
  /** On the endpoint `u`. */
  readonly condition: string
  /** The caller's by default. */
  readonly accounts?: string
  /** Columns that follow the account in an index, with their values: only those endpoints are read. */
  readonly place?: Readonly<Record<string, string>>
}

/** Selects ids of the accounts' endpoints, at most `:limit` of each account. */
export function endpointsOfAccounts({ condition, accounts, place = {} }: AccountStreams): string {
  const stream = {
    table: 'endpoints',
    of: `${accounts ?? 'unnest(:accountIds::text[])'} account(id)`,
    place: { owner_id: 'account.id', ...place },
    condition: `${filters} and ${seenByKey} and ${condition}`,
  }
  return `${newestOf(stream, before)} union ${ofJob(condition)}`
}

/** The same of the account `key.id`: none unless it is the caller's. */
export function endpointsOfAccount(): string {
  const accounts = '(select key.id where key.id = any(:accountIds::text[]))'
  return endpointsOfAccounts({ condition: 'u.owner_id = key.id', accounts })
}

/** The same of the model repo `key.id`, whose index is then read: there are more accounts than servers of one model. */
export function endpointsOfRepo(): string {
  const stream = {
    table: 'endpoints',
    of: '(values (key.id)) repo(id)',
    place: { model_repo_id: 'repo.id' },
    condition: `u.owner_id = any(:accountIds::text[]) and ${filters} and ${seenByKey}`,
  }
  return `${newestOf(stream, before)} union ${ofJob('u.model_repo_id = key.id')}`
}
