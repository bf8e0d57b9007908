/** The whole load: writers, runners, readers and followers next to each other, and what was acknowledged to each. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Lab } from '../lab/lab.ts'
import { AccountFollower } from './account-follower.ts'
import { act } from './actor.ts'
import { type CheckJournals, carryOutCheck, makeCheck, makeRobot } from './checks.ts'
import { Client } from './client.ts'
import { type Followed, follow } from './follower.ts'
import { Librarian, type RepoJournal } from './librarian.ts'
import { readSomething } from './reader.ts'
import { carryOut, makeRun, type RunJournals } from './runs.ts'
import { fileAndDecide, type HoldJournals } from './spend.ts'
import { Tally } from './tally.ts'

export interface LoadSize {
  readonly librarians: number
  readonly runners: number
  readonly readers: number
  /** About how long each actor rests between two of its steps. */
  readonly paceMs: number
  /** About how many reports a run has. */
  readonly reports: number
  /** The largest files. */
  readonly largeBytes: number
}

const WARM_MS = 60_000
/** The recount reads what is ready: what is not served within this time is not there. */
const PATIENCE_MS = 10_000

/** What two cores bear next to hub, database and load. */
export const usualLoad: LoadSize = {
  librarians: 4,
  runners: 4,
  readers: 4,
  paceMs: 150,
  reports: 20,
  largeBytes: 1024 * 1024,
}

export interface Journals {
  readonly repos: readonly RepoJournal[]
  readonly runs: RunJournals
  readonly checks: CheckJournals
  readonly holds: HoldJournals
  readonly followed: Followed[]
  readonly account: AccountFollower
}

export interface Load {
  readonly journals: Journals
  /** Asks on when the load is given up: the recount's. */
  readonly client: Client
  /** Resolves once something of each kind has been done. */
  warm(): Promise<void>
  /** Counts from here on into a new tally. */
  count(): Tally
  /** Tells all actors to finish what they do and waits for it, for `ms` at most; whether all was settled. */
  finish(ms: number): Promise<boolean>
}

export async function startLoad(lab: Lab, size: LoadSize): Promise<Load> {
  const ending = new AbortController()
  const givingUp = new AbortController()
  let tally = new Tally()
  const around = {
    pickHub: () => lab.hubs[Math.floor(Math.random() * lab.hubs.length)]?.url ?? '',
    tally: () => tally,
    givenUp: givingUp.signal,
  }
  const [owner, runner, agent, person] = (['key', 'runner', 'agent', 'session'] as const).map(
    (name) => new Client(around, lab.credentials[name]),
  ) as [Client, Client, Client, Client]
  await makeRobot(owner)

  const librarians = Array.from(
    { length: size.librarians },
    (_, at) => new Librarian(owner, `library-${at}`, size.largeBytes),
  )
  const journals: Journals = {
    repos: librarians.map(({ journal }) => journal),
    runs: new Map(),
    checks: new Map(),
    holds: new Map(),
    followed: [],
    account: new AccountFollower(),
  }
  const following: Promise<unknown>[] = []
  const followAll = (journal: Parameters<typeof follow>[2]) => {
    for (const kind of ['sse', 'runLog', 'runMetrics'] as const)
      following.push(follow(owner, kind, journal).then((followed) => journals.followed.push(followed)))
  }
  const actors: Promise<void>[] = []
  const begin = (name: string, pace: number, step: () => Promise<void>) =>
    actors.push(act(name, { ending: ending.signal, paceMs: pace * size.paceMs, tally: () => tally }, step))

  for (const librarian of librarians) begin('librarian', 1, () => librarian.step())
  for (let at = 0; at < size.runners; at += 1) {
    const rules = { ending: ending.signal, paceMs: size.paceMs, reports: size.reports }
    begin('maker of runs', size.reports, () => makeRun(owner, journals.runs))
    begin('runner', 0.5, () => carryOut(runner, `runner-${at}`, journals.runs, rules, followAll))
  }
  for (let at = 0; at < size.readers; at += 1) begin('reader', 0.5, () => readSomething(owner, journals.runs))
  begin('maker of checks', 6, () => makeCheck(owner, journals.checks))
  begin('check worker', 3, () => carryOutCheck(runner, 'check-worker', journals.checks))
  begin('agent and person', 20, () => fileAndDecide(agent, person, journals.holds))
  const account = new AbortController()
  const accountEnd = journals.account.follow(owner, account.signal)

  return {
    journals,
    client: new Client(
      { ...around, givenUp: new AbortController().signal, patienceMs: PATIENCE_MS },
      lab.credentials.key,
    ),
    async warm() {
      const isDone = () =>
        journals.repos.every(({ files }) => files.size > 0) &&
        [...journals.runs.values()].some(({ lines }) => lines > 0) &&
        [...journals.checks.values()].some(({ hasEnded }) => hasEnded)
      const late = AbortSignal.timeout(WARM_MS)
      while (!isDone()) await delay(50, undefined, { signal: late })
    },
    count() {
      tally = new Tally()
      return tally
    },
    async finish(ms) {
      ending.abort()
      const late = setTimeout(() => givingUp.abort(), ms)
      await Promise.all(actors)
      await Promise.all(following)
      clearTimeout(late)
      const isSettled = !givingUp.signal.aborted
      // What it is shown last comes within a moment.
      await delay(isSettled ? 2_000 : 0)
      account.abort()
      await accountEnd
      return isSettled
    },
  }
}
