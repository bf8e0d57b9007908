/**
 * Bounds the sign-ins that wait to be decided without refusing any: those beyond the bound give way to newer ones. A
 * displaced sign-in ends at the time that it began, which tells it from one whose time was over.
 * docs/decisions/security.md, "A waiting sign-in gives way, and a new one is never refused".
 */
import type { Db, Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'

/**
 * Of one network: more than the anonymous requests of two minutes at the default rate, so that a program that continues
 * polling is never the one that was silent for longest.
 */
export const MAX_WAITING = 1500
/** Of all networks. Ten guesses find one of so many codes with a chance of 1 in 85,000. */
const MAX_WAITING_EVERYWHERE = 30_000

/** When a program was last heard of; an SQL expression. */
const heardAt = 'coalesce(l.polled_at, l.created_at)'

/**
 * The ids of the sign-ins beyond the first `kept`, of those that `among` selects, locked; an SQL subquery. Each group
 * (an address, a network) has its own ranking by when a program was last heard of, and the lowest ranks of the largest
 * groups come first: a group loses nothing while another has more.
 */
const surplus = ({ among, group, kept }: { among: string; group: string; kept: string }) =>
  `select l.id from device_logins l where l.state = 'pending' and l.id in (
      select ranked.id from (
        select l.id, ${heardAt} as heard_at,
          row_number() over (partition by ${group} order by ${heardAt} desc, l.id desc) as place
        from device_logins l where ${among} and l.state = 'pending' and l.expires_at > now()) ranked
      order by ranked.place, ranked.heard_at desc, ranked.id desc offset ${kept})
    order by l.id for update`

/** Concurrent starts from one network make room one after another. */
const lockNetwork = statement({
  name: 'device-login-network-lock',
  params: { network: param.text() },
  text: `select pg_advisory_xact_lock(hashtextextended('device login ' || :network, 0))`,
})
const ofNetwork = { among: 'l.network = :network', group: 'l.address', kept: String(MAX_WAITING - 1) }
const displaceInNetwork = statement({
  name: 'device-logins-make-room',
  params: { network: param.text() },
  text: `with surplus as (${surplus(ofNetwork)})
    update device_logins set expires_at = created_at where id in (select id from surplus)`,
})
const displaceInAll = statement({
  name: 'device-logins-displace',
  params: { kept: param.int8() },
  text: `with surplus as (${surplus({ among: 'true', group: 'l.network', kept: ':kept' })})
    update device_logins set expires_at = created_at where id in (select id from surplus)`,
})

/** Makes room for one more sign-in of a network; until the transaction ends no other start of the network adds one. */
export async function makeRoom(tx: Tx, network: string): Promise<void> {
  await tx.query(lockNetwork, { network })
  await tx.query(displaceInNetwork, { network })
}

/** Bounds the waiting sign-ins of all networks together. Called by a job every minute. */
export async function displaceEverywhere(db: Db, kept = MAX_WAITING_EVERYWHERE): Promise<void> {
  await db.query(displaceInAll, { kept })
}
