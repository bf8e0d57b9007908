/** What the pages say to type is what the programs take. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { processIo } from 'hub/process-io'
import { hubProgram } from 'hub/program'
import { describe, expect, it } from 'vitest'
import { serverProgram } from '../../src/operator/server-program.ts'
import { commands, curlLine, pythonLine } from '../../web/src/app/commands.ts'

const robot = 'ada/so-arm'
const run = 'run_01jd0000000000000000000000'
const lines: Readonly<Record<keyof typeof commands, readonly string[]>> = {
  pull: [
    commands.pull(robot, 'so-arm'),
    commands.pull(robot, 'so-arm', run),
    commands.pull(robot, 'picks@2024', '2026-01-01T00:00:00Z'),
  ],
  push: [commands.push(robot)],
  pushNew: [commands.pushNew('dataset')],
  createRepo: [commands.createRepo('dataset')],
  submit: [commands.submit()],
  track: [commands.track()],
  check: [commands.check()],
  checkWorker: [commands.checkWorker('ada')],
  runner: [commands.runner('ada')],
  serve: [commands.serve('ep_01jd0000000000000000000000')],
  openSession: [commands.openSession('ep_01jd0000000000000000000000', 'dev_01jd0000000000000000000000')],
  addSession: [commands.addSession()],
  addUser: [commands.addUser()],
  doctor: [commands.doctor()],
  backup: [commands.backup()],
}

/** The words of lines, as a shell reads them: without their first, the program. */
function words(texts: readonly string[]): string[][] {
  const script = `hub() { printf '%s\\n' "$@"; echo; }; curl() { hub "$@"; }; HUB_TOKEN='a secret'; set -f\n${texts.join('\n')}`
  const out = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' })
  return out
    .trimEnd()
    .split('\n\n')
    .map((one) => one.split('\n'))
}

/** The command that the program would run, by its words; what it does is replaced. */
async function understood(args: readonly string[]): Promise<string> {
  const program = hubProgram(serverProgram, { ...processIo, stdin: Readable.from([]) })
  let ran = ''
  const replace = (command: Command, path: string): void => {
    command.configureOutput({ writeErr: () => undefined }).action(() => {
      ran = path
    })
    for (const child of command.commands) replace(child, `${path}${child.name()} `)
  }
  for (const child of program.commands) replace(child, `${child.name()} `)
  await program.parseAsync(args, { from: 'user' })
  return ran
}

describe('a line that a page says to type', () => {
  const all = Object.values(lines).flat()
  const read = words(all)

  it.each(all.map((line, index) => [line, read[index] ?? []] as const))('is a command: %s', async (line, args) => {
    const ran = await understood(args)
    expect(ran).not.toBe('')
    expect(line.startsWith(`hub ${ran}`) || `${line} ` === `hub ${ran}`).toBe(true)
  })

  it('is refused here where the program would refuse it', async () => {
    await expect(understood(['pull', robot])).rejects.toThrow("missing required argument 'dir'")
    await expect(understood(['pull', robot, 'x', '--as', run])).rejects.toThrow('unknown option')
  })

  it('gives curl the address of the file, whatever its name is', () => {
    const path = "meshes/it's $HOME `x` & 100% (1).stl"
    const [[, , header, , address] = []] = words([curlLine('https://hub.test', robot, path)])
    expect(header).toBe('Authorization: Bearer a secret')
    const { origin, pathname } = new URL(address ?? '')
    expect([origin, decodeURIComponent(pathname)]).toEqual(['https://hub.test', `/v1/repos/${robot}/resolve/${path}`])
  })

  it('calls a function of the Python client', () => {
    expect(pythonLine(robot, 'so-arm')).toBe('hub.snapshot_download("ada/so-arm", "so-arm")')
    const client = readFileSync(join(import.meta.dirname, '../../clients/python/src/hub/_files.py'), 'utf8')
    expect(client).toMatch(/^def snapshot_download\(\n {4}repo: str,\n {4}local_dir: /m)
  })
})
