/** Who has money: a person with an agent, a robot and a model, and a request of theirs whose process dies. */
import type { Random } from '@hub/testing/random'
import { addApiKey } from '../../../src/accounts/api-keys.ts'
import { noViewer } from '../../../src/operation/audit.ts'
import type { AccountRef, RequestContext } from '../../../src/operation/context.ts'
import { readConfig } from '../../../src/platform/config.ts'
import type { Db, Tx } from '../../../src/store/db.ts'
import type { World, WorldRepo } from '../../support/world.ts'

export const ALLOWANCE_USD = 0.7
export const config = readConfig({
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: 'boss-one,boss-two',
  HOSTED_ALLOWANCE_USD: String(ALLOWANCE_USD),
  ROBOT_CHECK_DAILY_QUOTA: '100000',
  RUN_DAILY_GPU_HOUR_QUOTA: '1000000',
})
/** Of each owner's model. */
export const policy = Buffer.from('not read here')

export interface Owner {
  readonly account: AccountRef
  readonly robot: WorldRepo
  readonly model: WorldRepo
  readonly agentId: string
  readonly isListed: boolean
  /** What the month may not be above: the cap, or what the month already was when the cap was set. */
  ceiling: number
}

export async function newOwner(world: World, handle?: string): Promise<Owner> {
  const account = await world.user(handle)
  const robot = await world.repo(account, { kind: 'robot' })
  await world.upload(world.as(account), robot, 'arm.xml', Buffer.from('<mujoco/>'))
  const model = await world.repo(account, { kind: 'model' })
  await world.upload(world.as(account), model, 'policy.onnx', policy)
  await world.sql(`insert into model_meta (repo_id, policy_type, control_class) values ($1, 'act', 'skill')`, [
    model.id,
  ])
  const { id } = await world.deps.db.withTx((tx) =>
    addApiKey({
      tx,
      ctx: noViewer,
      owner: account,
      createdBy: account.id,
      input: { name: 'agent', scope: 'train', agent: true },
    }),
  )
  return { account, robot, model, agentId: id, isListed: handle !== undefined, ceiling: Number.POSITIVE_INFINITY }
}

export const agentOf = (world: World, { account, agentId }: Owner) =>
  world.as(account, { kind: 'key', credentialId: agentId, agent: true, name: 'agent' })
export const someone = (world: World, owner: Owner, random: Random) =>
  random.chance(0.5) ? agentOf(world, owner) : world.as(owner.account)

export class Killed extends Error {}

/** The same request in a process that dies before the statement at `fuse` of its transaction. */
export function dying(ctx: RequestContext, fuse: number): RequestContext {
  const fused = (tx: Tx, left: { count: number }): Tx =>
    new Proxy(tx, {
      get(target, name) {
        const member = Reflect.get(target, name)
        if (name !== 'query') return typeof member === 'function' ? member.bind(target) : member
        return (...given: Parameters<Tx['query']>) => {
          left.count -= 1
          if (left.count < 0) throw new Killed()
          return target.query(...given)
        }
      },
    })
  const db: Db = Object.assign(Object.create(ctx.deps.db), {
    withTx: <T>(work: (tx: Tx) => Promise<T>) => ctx.deps.db.withTx((tx) => work(fused(tx, { count: fuse }))),
  })
  return { ...ctx, deps: { ...ctx.deps, db } }
}
