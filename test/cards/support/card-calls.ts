import { beforeAll } from 'vitest'
import { contractHub, type Json, type Person } from '../../support/hub.ts'

export const arm = (body = '') => `<mujoco model="arm"><worldbody><body name="base"><geom size=".1"/>${body}
  <body name="hand"><joint name="shoulder"/><geom size=".1"/><site name="tip"/>
  <body name="finger"><joint name="elbow" type="slide"/><geom size=".1"/></body></body></body></worldbody>
  <keyframe><key name="home"/></keyframe></mujoco>`

export const cardOf = (name: string) => `/v1/robots/${name}/card`

export const failing = (report: Json): string[] =>
  report.checks.filter(({ status }: Json) => status === 'fail').map(({ code }: Json) => code)

/** Two people, robots of one of them, and the calls of their cards. */
export function cardCalls() {
  const hub = contractHub()
  let ada: Person
  let bob: Person
  let robot: string
  const put = (name: string, card: unknown, who: Person | string | null = ada) =>
    hub.call(who, 'PUT', cardOf(name), card)
  const get = (name: string, who: Person | string | null = ada) => hub.call(who, 'GET', cardOf(name))
  const validate = (name: string, body?: unknown, who: Person | string | null = ada) =>
    hub.call(who, 'POST', `/v1/robots/${name}/validate`, body)
  async function newRobot(files: Record<string, string> = { 'arm.xml': arm() }, change: Record<string, unknown> = {}) {
    const name = await hub.repo(ada, { kind: 'robot', ...change })
    if (Object.keys(files).length > 0) await hub.upload(ada, name, files)
    return name
  }
  beforeAll(async () => {
    ada = await hub.person()
    bob = await hub.person()
    robot = await newRobot()
  })
  return {
    hub,
    put,
    get,
    validate,
    newRobot,
    get ada() {
      return ada
    },
    get bob() {
      return bob
    },
    get robot() {
      return robot
    },
  }
}
