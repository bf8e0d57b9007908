import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { type Auth, openAuth } from '../../../src/auth/auth.ts'
import { type Answer, contractHub, type Person, type Who } from '../../support/hub.ts'
import { sessionWorld } from '../../support/sessions.ts'

/** An endpoint, and a device of its owner with an approval. */
export function approvedDevice() {
  const hub = contractHub()
  const world = sessionWorld(hub)
  const APPROVAL_TYP = 'svc-approval+jwt'
  let auth: Auth
  let ada: Person
  let bob: Person
  /** Of ada, running. */
  let endpoint: string
  let device: string
  let approval: { id: string; token: string }
  beforeAll(async () => {
    const { config, db } = hub.running.deps
    auth = await openAuth({ config, log: pino({ level: 'silent' }), db, secret: config.secret ?? '' })
    ada = await hub.person()
    bob = await hub.person()
    endpoint = await world.endpoint(ada)
    device = await world.device(ada)
    approval = await world.approve(ada, endpoint, device)
  })
  afterAll(async () => auth?.close())
  const seconds = (hours = 0) => Math.floor(Date.now() / 1000) + hours * 3600
  const open = (who: Who, token: string | null, at = endpoint, of = device) =>
    world.open(who, at, { device_id: of, approval_token: token })
  /** What a refusal tells: all but what names the request. */
  const told = ({ status, json }: Answer) => {
    const { instance, request_id, ...rest } = json
    return { status, ...rest }
  }
  return {
    hub,
    world,
    APPROVAL_TYP,
    seconds,
    open,
    told,
    get auth() {
      return auth
    },
    get ada() {
      return ada
    },
    get bob() {
      return bob
    },
    get endpoint() {
      return endpoint
    },
    get device() {
      return device
    },
    get approval() {
      return approval
    },
  }
}
