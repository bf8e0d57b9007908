/** Untrusted text reaches the terminal as plain text: escape sequences in names, errors and log lines have no effect. */
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDouble } from '@hub/testing/double'
import type { RegisterCommands } from 'hub/program'
import { inLine, logText, print, printColored, printJson } from 'hub/terminal'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { registerClientCommands } from '../../packages/cli/src/client-commands.ts'
import { registerLogCommand } from '../../packages/cli/src/log-command.ts'
import { registerRunCommands } from '../../packages/cli/src/run-commands.ts'
import { registerRunnerCommand } from '../../packages/cli/src/runner-command.ts'
import { json, problem } from '../../packages/client/test/hub-double.ts'
import { type CommandEnded, runCommandLine } from '../support/command-line.ts'

/** Sets the title, clears the screen, requests a reply, sets colors, a C1 control, reverses direction, fakes a line of output. */
const evil = '\x1b]0;owned\x07\x1b[2J\x1b[6n\x1b[31mred\x9b2J\x7f\b\u202e\u2066\nhub: all is well'
const id = 'run_01jd0000000000000000000000'

/** Only text and newlines; with `colors` also color codes. */
function expectVisible(text: string, colors = false): void {
  const rest = colors
    ? text
        .split(/(?<escape>\p{Cc})\[[0-9;]*m/u)
        .filter((part) => part !== '\x1b')
        .join('')
    : text
  expect(rest.match(/[^\P{Cc}\n\t]|[\u2028-\u202e\u2066-\u2069]/gu) ?? []).toEqual([])
  expect(text).not.toMatch(/^hub: all is well/m)
}

const written = (write: (stream: { write(text: string): void }) => void): string => {
  const out: string[] = []
  write({ write: (text) => void out.push(text) })
  return out.join('')
}

describe('untrusted text', () => {
  it.each([
    ['plain ünïcode 🤖 👩‍🚀\t.', 'plain ünïcode 🤖 👩‍🚀\t.'],
    ['a\nb', 'a\\nb'],
    ['\x1b[31mred\x1b[0m', '\\u001b[31mred\\u001b[0m'],
    ['\x9b2J\x7f\x00\b\r', '\\u009b2J\\u007f\\u0000\\b\\r'],
    ['gpj.\u202exe', 'gpj.\\u202exe'],
    ['a\u2028b', 'a\\u2028b'],
  ])('%j is shown as %s', (text, shown) => expect(inLine(text)).toBe(shown))

  it('is printed as lines, with colors only where allowed, and as equivalent JSON', () => {
    expect(written((out) => print(out, 'a\n\tb\x1b[1m\r\n'))).toBe('a\n\tb\\u001b[1m\\r\n')
    expect(written((out) => printColored(out, 'a\n\x1b[1;38:5:1mb\x1b[0m\x1b[2J\n'))).toBe(
      'a\n\x1b[1;38:5:1mb\x1b[0m\\u001b[2J\n',
    )
    const object = { [evil]: [evil] }
    const line = written((out) => printJson(out, object))
    expectVisible(line)
    expect([JSON.parse(line), line.split('\n')]).toEqual([object, [line.trimEnd(), '']])
  })
})

describe('a log line', () => {
  it.each([
    ['on a terminal with its colors, reset at the end', '\x1b[32mok', true, '\x1b[32mok\x1b[0m'],
    [
      'on a terminal without other control sequences',
      '\x1b[2J\x1b]0;x\x07ok\x1b[1m',
      true,
      '\\u001b[2J\\u001b]0;x\\u0007ok\x1b[1m\x1b[0m',
    ],
    ['on a terminal as the final state of a progress bar', '\r 10%|█\r 20%|██\r', true, '… 20%|██'],
    ['without a Windows line ending', 'ok\r', true, 'ok'],
    ['in full outside a terminal', ' 10%\r 20%\x1b[1m\r', false, ' 10%\\r 20%\\u001b[1m'],
    ['as one line', 'a\nb', true, 'a\\nb'],
  ])('is shown %s', (_, line, isTerminal, shown) => expect(logText(line, isTerminal)).toBe(shown))
})

describe('a malicious hub', () => {
  let server: Server
  let base: string
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'hub-terminal-'))
    server = createDouble((request, response) => {
      request.resume()
      answer(request, response)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    server.closeAllConnections()
    server.close()
    await rm(base, { recursive: true, force: true })
  })

  const run = {
    id,
    status: 'failed',
    recipe: { template: evil },
    owner: { handle: evil },
    display_name: evil,
    claimed_by: evil,
    error: evil,
    output_model_repo: { full_name: evil },
    sparkline: { metric: evil, points: [[0, 1]] },
    created_at: evil,
    attempt: 1,
  }
  const command = (register: RegisterCommands, args: readonly string[], isTTY = false): Promise<CommandEnded> => {
    const env = { HUB_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, HUB_TOKEN: 't', HOME: base }
    return runCommandLine(register, args, env, undefined, base, isTTY)
  }

  it.each([
    ['a run', run, registerRunCommands, ['runs', id]],
    ['runs', { items: [run], next_cursor: null }, registerRunCommands, ['runs']],
    ['a run as JSON', run, registerRunCommands, ['runs', id, '--json']],
    [
      'the account',
      { account: { handle: evil }, name: evil, orgs: [{ handle: evil }], [evil]: evil },
      registerClientCommands,
      ['whoami'],
    ],
    [
      'files',
      { items: [{ path: evil, size: 1, sha256: evil, updated_at: evil }], next_cursor: null },
      registerClientCommands,
      ['ls', 'o/s'],
    ],
    [
      'repos',
      {
        items: [
          {
            id: evil,
            kind: evil,
            full_name: evil,
            visibility: evil,
            file_summary: { count: 1, total_bytes: 1, verified_count: 1 },
            updated_at: evil,
          },
        ],
        next_cursor: null,
      },
      registerClientCommands,
      ['repos'],
    ],
    ['an unexpected response', { [evil]: evil }, registerRunCommands, ['runs', id]],
    [
      'files that cannot be written',
      { items: [{ path: evil, size: 1, updated_at: '' }], next_cursor: null },
      registerClientCommands,
      ['pull', 'o/s', 'copy'],
    ],
  ])('has no effect on the terminal with %s', async (_, body, register, args) => {
    answer = (_request, response) => json(response, body)
    const { code, out, err } = await command(register, args)
    expect([0, 1]).toContain(code)
    expect(out + err).not.toBe('')
    expectVisible(out)
    expectVisible(err)
  })

  it('has no effect on the terminal with a Problem', async () => {
    answer = (_request, response) =>
      problem(response, 422, evil, evil, [{ type: evil, detail: evil, loc: ['body', evil] }])
    const { code, err } = await command(registerRunCommands, ['runs', id])
    expect(code).toBe(5)
    expectVisible(err)
  })

  it.each([true, false])('has no effect on the terminal with a log (TTY: %s)', async (isTTY) => {
    const data = (object: object) => `data: ${JSON.stringify(object)}\n\n`
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const stream of ['stdout', 'stderr'])
        response.write(`event: log\nid: ${stream}\n${data({ ts: evil, stream, line: evil })}`)
      response.end(`event: end\nid: z\n${data({ status: evil })}`)
    }
    const { out, err } = await command(registerLogCommand, ['logs', id, '-f'], isTTY)
    expectVisible(out, isTTY)
    expect(out).toContain(isTTY ? '\x1b[31mred' : '\\u001b[31mred')
    expect(out.trimEnd().split('\n')).toHaveLength(2)
    expectVisible(err)
    const { out: lines } = await command(registerLogCommand, ['logs', id, '--json'], isTTY)
    expectVisible(lines)
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).data.line),
    ).toEqual([evil, evil, undefined])
  })

  it('has no effect on the terminal of a runner', async () => {
    answer = ({ url }, response) => {
      if (url === '/v1/me') return json(response, { account: { handle: 'ada' } })
      if (url?.endsWith('/checkpoints')) return json(response, { items: [] })
      if (url?.endsWith('/report')) return problem(response, 409, 'conflict.not_claimer', evil)
      return json(response, run)
    }
    const args = ['runner', '--owner', 'ada', '--once', '--work-dir', 'runs', '--command', 'true']
    const { code, err } = await command(registerRunnerCommand, args)
    expect(code).toBe(1)
    expectVisible(err)
    expect(err).toContain('claim lost')
    expect(await readdir(join(base, 'runs'))).toEqual([id])
  })
})
