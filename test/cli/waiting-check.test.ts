/** What `hub check` says of a check that no worker has claimed yet. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerCheckCommand } from '../../packages/cli/src/check-command.ts'
import { runCommandLine } from '../support/command-line.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hub-waiting-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

/** A robot of a new person, whose checks nobody else claims. */
async function robotOf() {
  const ada = await hub.person()
  const repo = await hub.repo(ada, { kind: 'robot' })
  await hub.upload(ada, repo, { 'arm.xml': '<mujoco><worldbody/></mujoco>' })
  return { ada, repo }
}

const answers = ['--control-hz', '50', '--action', 'position', '--executor', 'worker']

/** Follows a new check until it has said what it waits for, then interrupts. */
async function saidOf({ ada, repo }: { readonly ada: Person; readonly repo: string }): Promise<string> {
  let stop = () => {}
  const { err } = await runCommandLine(
    (program, io) => {
      const write = io.stderr.write.bind(io.stderr)
      io.stderr.write = (text: string) => {
        if (/ waits /.test(text)) setImmediate(() => stop())
        return write(text)
      }
      registerCheckCommand(program, io, 0)
    },
    ['check', repo, 'arm.xml', ...answers],
    { HUB_URL: hub.running.url, HUB_TOKEN: await hub.key(ada), HOME: home },
    (interrupt) => {
      stop = interrupt
    },
  )
  return err
}

const claim = async (who: Person, worker: string): Promise<Json> => {
  const answer = await hub.call(await hub.key(who), 'POST', '/v1/robot-checks/claim-next', { worker, wait_s: 0 })
  expect(answer.status).toBe(200)
  return answer.json
}

describe('a check that nobody has claimed', () => {
  it('asks for a worker where none was seen', async () => {
    expect(await saidOf(await robotOf())).toMatch(
      /^hub: check_\w+ waits for a worker: start one with: hub check-worker$/m,
    )
  })

  it('names the worker that is at work on another one', async () => {
    const robot = await robotOf()
    await saidOf(robot)
    const { id } = await claim(robot.ada, 'bench-3')
    const said = await saidOf(robot)
    expect(said).toMatch(new RegExp(`^hub: check_\\w+ waits for its turn: bench-3 is at work on ${id}$`, 'm'))
    expect(said).not.toContain('start one')
  })

  it('names the worker that ended one a moment ago', async () => {
    const robot = await robotOf()
    await saidOf(robot)
    const { id } = await claim(robot.ada, 'bench-4')
    await hub.call(robot.ada, 'POST', `/v1/robot-checks/${id}/cancel`)
    expect(await saidOf(robot)).toMatch(
      / waits for a worker: bench-4 was here in the last ten minutes; if none runs now/,
    )
  })

  it('is not told of the workers of another account', async () => {
    const other = await robotOf()
    await saidOf(other)
    await claim(other.ada, 'bench-5')
    expect(await saidOf(await robotOf())).not.toContain('bench-5')
  })
})
