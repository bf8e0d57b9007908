/**
 * What the process backend needs of the settings, who it runs processes as, and what they can reach.
 * Contract, "Hosted runs": `process` runs `HOSTED_COMMAND` in a shell on the hub's machine.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../platform/config.ts'
import type { IdRange, UnixUser } from '../../platform/unix-user.ts'
import { asUserFault } from './as-user.ts'
import { uidsFault } from './own-uids.ts'

type Hosted = Pick<Config, 'hosted'>
type Settings = Pick<Config, 'hosted' | 'dataDir' | 'databaseUrl'>

/**
 * Who calls run as: each as a user of its own, all as one user that is not the hub's, or all as the user of the hub.
 */
export type Isolation =
  | { readonly is: 'own-uid'; readonly uids: IdRange }
  | { readonly is: 'one-user'; readonly user: UnixUser; readonly why: string }
  | { readonly is: 'hub-user'; readonly why: string }

/**
 * What the settings and this machine allow. `why`: the reason for less than a uid for each call, as the end of a
 * sentence.
 */
export function isolationOf({ hosted }: Hosted): Isolation {
  const { uids, user } = hosted
  const why = uids === null ? 'HOSTED_UIDS is off' : uidsFault(uids)
  if (uids !== null && why === null) return { is: 'own-uid', uids }
  const reason = why ?? ''
  return user === null ? { is: 'hub-user', why: reason } : { is: 'one-user', user, why: reason }
}

/** Why functions cannot be started with these settings; null if they can. */
export function processFault(config: Settings): string | null {
  const { command, mustHaveUids, uids } = config.hosted
  if (command === null) return 'HOSTED_COMMAND is not set.'
  const fault = mustHaveUids && uids !== null ? uidsFault(uids) : null
  if (fault !== null) return `HOSTED_UIDS cannot be given to calls: ${fault}.`
  const isolation = isolationOf(config)
  if (isolation.is === 'one-user' && databaseUid(config) === isolation.user.uid)
    return `HOSTED_USER ${isolation.user.name} is the user of the embedded PostgreSQL, whose files it could read; name another.`
  const asUser = isolation.is === 'one-user' ? asUserFault() : null
  if (asUser !== null) return `Calls cannot run as HOSTED_USER: ${asUser}.`
  return null
}

/**
 * What a deployment that cannot host is told wherever it looks: its start, `hub doctor`, and the error of each job,
 * which has the same reason.
 */
export const cannotHost = (fault: string) => `Hosted jobs are accepted, and each then fails: ${fault}`

/** What the operator should know of the process backend at its start; null if there is nothing. */
export function processNotice(config: Config): string | null {
  const fault = processFault(config)
  if (fault !== null) return cannotHost(fault)
  const risk = processRisk(config)
  return risk && `${risk.warning} Fix: ${risk.fix}.`
}

/** The user of the embedded PostgreSQL, once it has files; null without one. */
export function databaseUid({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>): number | null {
  if (databaseUrl !== null) return null
  return statSync(join(dataDir, 'postgres'), { throwIfNoEntry: false })?.uid ?? null
}

export interface ProcessRisk {
  /** What hosted processes can reach that they should not, as sentences. */
  readonly warning: string
  readonly fix: string
}

/** What hosted processes can reach of each other and of the hub; null if nothing. */
export function processRisk(config: Pick<Config, 'hosted' | 'objectStore'>): ProcessRisk | null {
  const risks = [sharedRisk(config), bucketRisk(config)].filter((risk) => risk !== null)
  if (risks.length === 0) return null
  const all = (part: (risk: ProcessRisk) => string, between: string) => risks.map(part).join(between)
  return { warning: all(({ warning }) => warning, ' '), fix: all(({ fix }) => fix, '; ') }
}

function sharedRisk(config: Hosted): ProcessRisk | null {
  const isolation = isolationOf(config)
  if (isolation.is === 'own-uid') return null
  const isRoot = process.getuid?.() === 0
  const own = isRoot ? 'let each call have a uid of its own (HOSTED_UIDS)' : 'run the hub as root'
  if (isolation.is === 'one-user')
    return {
      warning: `All hosted calls run as HOSTED_USER ${isolation.user.name} (${isolation.why}) and are one trust domain: each can read the keys and files of the others.`,
      fix: `${own}, or host only owners who trust each other`,
    }
  return {
    warning: `All hosted calls run as the user of the hub (${isolation.why}) and are one trust domain with it: each can read HUB_SECRET, the data folder, and the keys and files of the others.`,
    fix: `${own}, or host only owners whom you trust with the whole hub`,
  }
}

/**
 * A hub without keys of its own for the bucket has those of the machine, which gives them to every process that asks.
 */
function bucketRisk({ objectStore }: Pick<Config, 'objectStore'>): ProcessRisk | null {
  if (objectStore.kind !== 's3' || objectStore.s3.accessKeyId !== undefined) return null
  return {
    warning:
      'The hub uses the credentials of this machine for the bucket, and hosted calls can ask the machine for them too.',
    fix: 'set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, and give the machine itself no right to the bucket',
  }
}
