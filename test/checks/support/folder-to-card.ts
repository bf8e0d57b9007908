/** The whole path of a robot: a folder, a push, a check that a real worker executes, answers, a publish, and the card on another hub. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHubClient, pullRepo, pushFolder } from '@hub/client/internal'
import { afterAll, beforeAll, expect } from 'vitest'
import { registerCheckWorkerCommand } from '../../../packages/cli/src/check-worker-command.ts'
import { type CommandEnded, runCommandLine } from '../../support/command-line.ts'
import { type contractHub, type Json, newName, type Person } from '../../support/hub.ts'

type Hub = ReturnType<typeof contractHub>

export interface RobotAnswers {
  readonly entry: string
  readonly action: string
  readonly base?: string | null
  readonly options?: Readonly<Record<string, unknown>>
}

export interface CheckedRobot {
  readonly repo: string
  readonly check: Json
  /** From the request to the verdict. */
  readonly seconds: number
}

/** Call at the top of a test file. A worker with a key of its own serves the checks of `hub` until the tests are over. */
export function folderToCard(hub: Hub, other: Hub) {
  let base: string
  let ada: Person
  let eve: Person
  let stopWorker = () => {}
  let worker: Promise<CommandEnded>

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'hub-folder-to-card-'))
    ada = await hub.person()
    eve = await other.person()
    // Stills have tests of their own.
    const env = { HUB_URL: hub.running.url, HUB_TOKEN: await hub.key(ada), HOME: base, HUB_CHROMIUM: 'off' }
    worker = runCommandLine(
      (program, io) => registerCheckWorkerCommand(program, io, { intervalMs: 50, graceMs: 500 }),
      ['check-worker', '--owner', ada.handle, '--name', 'box'],
      env,
      (stop) => {
        stopWorker = stop
      },
    )
  })
  afterAll(async () => {
    stopWorker()
    await worker
    await rm(base, { recursive: true, force: true })
  })

  const named = (repo: string) => ({ owner: repo.split('/')[0] ?? '', slug: repo.split('/')[1] ?? '' })
  const push = async (to: Hub, who: Person, repo: string, dir: string) => {
    const client = createHubClient({ url: to.running.url, token: who.token })
    const { failed } = await pushFolder(client, named(repo), dir, { cacheDir: join(base, 'cache'), kind: 'robot' })
    expect(failed).toEqual([])
  }

  return {
    /** `owner/slug` of a new repo with the files of the folder. */
    async pushed(dir: string): Promise<string> {
      const repo = `${ada.handle}/${newName('robot')}`
      await push(hub, ada, repo, dir)
      return repo
    },

    /** Queues a check; its verdict. */
    async checked(repo: string, answers: RobotAnswers): Promise<CheckedRobot> {
      const begun = performance.now()
      const asked = { kind: 'robot', robot_repo: repo, control_hz: 50, executor: 'worker', ...answers }
      const made = await hub.call(ada, 'POST', '/v1/robot-checks', asked)
      expect([made.status, made.json.errors]).toEqual([201, undefined])
      const read = async () => (await hub.call(ada, 'GET', `/v1/robot-checks/${made.json.id}`)).json
      await expect.poll(async () => (await read()).status, { timeout: 110_000 }).not.toMatch(/queued|running/)
      const check = await read()
      expect(check).toMatchObject({ status: 'succeeded', claimed_by: 'box', error: null })
      return { repo, check, seconds: (performance.now() - begun) / 1000 }
    },

    publish: ({ check }: CheckedRobot) => hub.call(ada, 'POST', `/v1/robot-checks/${check.id}/publish`, {}),
    card: ({ repo }: CheckedRobot) => hub.call(ada, 'GET', `/v1/robots/${repo}/card`),

    /** Pulls the repo, pushes it to the other hub, and validates there the card as this hub shows it, then as it is stored. */
    async validatedElsewhere(repo: string, card: Json): Promise<readonly Json[]> {
      const copy = await mkdtemp(join(base, 'copy-'))
      const client = createHubClient({ url: hub.running.url, token: ada.token })
      const pulled = await pullRepo(client, named(repo), copy, { cacheDir: join(base, 'cache') })
      expect(pulled.failed).toEqual([])
      const there = `${eve.handle}/${newName('robot')}`
      await push(other, eve, there, copy)
      const validate = (body: Json) => other.call(eve, 'POST', `/v1/robots/${there}/validate`, body)
      const { interface_fingerprint: _print, updated_at: _at, ...document } = card
      const shown = await validate({ card: document })
      const put = await other.call(eve, 'PUT', `/v1/robots/${there}/card`, document)
      expect([put.status, put.json.errors]).toEqual([200, undefined])
      return [shown.json, (await validate({})).json]
    },
  }
}

/** The request again with answers to what the draft asks. */
export function answersTo(check: Json, given: RobotAnswers): RobotAnswers {
  const asked: string[] = check.draft.needs_you.map(({ field }: Json) => field.replace('options.', ''))
  const known = Object.entries(answers).filter(([name]) => asked.includes(name))
  return { ...given, options: { ...given.options, ...Object.fromEntries(known) } }
}

const answers: Readonly<Record<string, unknown>> = {
  action_scale: 0.3,
  kp: 50,
  kd: 1,
  proprioception: ['joint_pos', 'joint_vel'],
}

/** Fields that a draft needs before it can be published. */
export const blockingNeeds = (check: Json): string[] =>
  check.draft.needs_you.flatMap(({ field, severity }: Json) => (severity === 'blocking' ? [field] : []))

/** What a report says of one code. */
export const found = (check: Json, code: string): Json => check.report.checks.find((one: Json) => one.code === code)
