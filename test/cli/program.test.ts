import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { processIo } from 'hub/process-io'
import { hubProgram } from 'hub/program'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completionTree } from '../../packages/cli/src/completion-tree.ts'
import { serverProgram } from '../../src/operator/server-program.ts'
import { runHub } from '../support/command-line.ts'

const run = promisify(execFile)
const program = hubProgram(serverProgram, { ...processIo, stdin: Readable.from([]) })

/** Every command that does something, by its words. */
function leaves(command: Command, path = 'hub'): [string, Command][] {
  const own: [string, Command][] = command.commands.length === 0 || hasAction(command) ? [[path, command]] : []
  return [
    ...(command === program ? [] : own),
    ...command.commands.flatMap((child) => leaves(child, `${path} ${child.name()}`)),
  ]
}
const hasAction = (command: Command) => '_actionHandler' in command && command._actionHandler !== null

function helpOf(command: Command): string {
  let text = ''
  command
    .configureOutput({
      writeOut: (part) => {
        text += part
      },
    })
    .outputHelp()
  return text
}

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hub-program-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))
const hub = (...args: string[]) => runHub(args, { HOME: home, HUB_URL: 'http://127.0.0.1:9' })

describe('each command', () => {
  it.each(leaves(program))(
    '%s takes --json, says what it does, and ends its help with examples of itself',
    (path, command) => {
      expect(command.options.map(({ long }) => long)).toContain('--json')
      expect(command.description()).toMatch(/^\S.{7,}/)
      const [, examples = ''] = helpOf(command).split('\nExamples:\n')
      expect(examples).toMatch(new RegExp(`^ .*\\b${path}\\b|^ .*-- ${path.slice(4)}\\b`, 'm'))
      expect(examples).not.toContain('Exit codes:')
    },
  )

  it('is described in one style: a sentence that begins with a verb; of its options and arguments what they are, without an article', () => {
    const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)]
    const commands = all(program).slice(1)
    const verb =
      /^(?:Apply|Approve|Back|Cancel|Change|Check|Claim|Copy|Create|Delete|Download|Draft|End|List|Make|Name|Open|Permit|Print|Publish|Queue|Read|Refuse|Register|Reject|Remove|Revoke|Search|Serve|Set|Show|Sign|Start|Stop|Store|Submit|Upload|Withdraw)\b.*[^.]$/
    expect(commands.map((command) => command.description()).filter((text) => !verb.test(text))).toEqual([])
    const parts = commands.flatMap(({ options, registeredArguments }) => [...options, ...registeredArguments])
    const fragment = /^(?!(?:the|a|an) )(?:[a-z0-9]|GPU|JSON|MJCF|ONNX|URL)[^\n]{0,170}[^.]$/
    const described = parts.map(({ description }) => description).filter(Boolean)
    expect(described.filter((text) => !fragment.test(text))).toEqual([])
    expect(described.filter((text) => /\(default [^)]/.test(text))).toEqual([])
  })

  it('begins an error of usage as every other error', async () => {
    for (const [args, text] of [
      [['pusj'], "hub: unknown command 'pusj'"],
      [['push'], "hub: missing required argument 'dir'"],
      [['repo', 'create', 'ada/arm', '--kind', 'boat'], "hub: option '--kind <kind>' argument 'boat' is invalid."],
    ] as const)
      expect((await hub(...args)).err.startsWith(text)).toBe(true)
  })

  it('belongs to a job, under which `hub --help` lists it', () => {
    const text = helpOf(program)
    expect(text).not.toContain('Other commands:')
    const headings = [...text.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading)
    // Daily jobs come first, and what only the operator needs last; what follows is not a group.
    expect(headings.slice(headings.indexOf('Options') + 1)).toEqual([
      'Repos and files',
      'Training runs',
      'Robots and checks',
      'Served policies',
      'History',
      'Money',
      'Sign in',
      'Lend a machine',
      'This command',
      'On the machine of the hub',
      'Create a first key, on the machine of the hub',
    ])
    expect(text).toMatch(/\nRepos and files:\n {2}push /)
  })
})

describe('wrong usage', () => {
  it('names the help of the command, and the nearest word to a typo', async () => {
    const option = await hub('repo', 'edit', 'ada/arm', '--visibilty', 'public')
    expect(option).toMatchObject({ code: 2, out: '' })
    expect(option.err).toContain('(Did you mean --visibility?)')
    expect(option.err).toContain('Run `hub repo edit --help`')
    expect((await hub('pusk')).err).toContain('(Did you mean push?)')
  })

  it.each([[['pusk', '--help']], [['-h', 'pusk']], [['help', 'pusk']]])('is that of %j, too', async (args) => {
    const ended = await hub(...args)
    expect([ended.code, ended.out]).toEqual([2, ''])
    expect(ended.err).toContain('(Did you mean push?)')
  })

  it('is neither `hub help push` nor `hub help`', async () => {
    expect(await hub('help', 'push')).toEqual(await hub('push', '--help'))
    expect(await hub('help')).toEqual({ ...(await hub('--help')), code: 0 })
  })

  it.each([
    [['push', '--json']],
    [['ls', 'noslash', '--json']],
    [['repos', '--kind', 'robots', '--json']],
    [['nope', '--json']],
    [['repo', '--json']],
  ])('%j is one object on standard error with --json', async (args) => {
    const { code, out, err } = await hub(...args)
    expect([code, out]).toEqual([2, ''])
    expect(JSON.parse(err)).toEqual({
      error: {
        type: 'local.usage',
        title: 'Wrong usage',
        status: null,
        detail: expect.stringMatching(/^\S/),
        errors: [],
        request_id: null,
      },
    })
  })

  it('is a question that nobody can answer: a deletion in a script needs --yes', async () => {
    const { code, err } = await hub('runs', 'delete', 'run_x')
    expect([code, err]).toEqual([2, expect.stringContaining('--yes')])
  })
})

it('prints its version for -V and --version', async () => {
  const [short, long] = [await hub('-V'), await hub('--version')]
  expect(short).toMatchObject({ code: 0, out: `${serverProgram.version}\n` })
  expect(long.out).toBe(short.out)
})

describe('completion', () => {
  const completed = async (line: string): Promise<string[]> => {
    const script = join(home, 'completion.bash')
    await writeFile(script, (await hub('completion', 'bash')).out)
    const words = line.split(' ')
    const { stdout } = await run('bash', [
      '--norc',
      '-c',
      `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hub; printf '%s\\n' "\${COMPREPLY[@]}"`,
      script,
      ...words,
    ])
    return stdout.split('\n').filter((word) => word !== '')
  }

  it('in bash offers commands, commands below them, options and their values', async () => {
    expect(await completed('hub pu')).toEqual(['push', 'pull', 'publish', 'purge'])
    expect(await completed('hub repo ')).toEqual(['create', 'view', 'edit', 'delete', 'move'])
    expect(await completed('hub repo create ada/arm --kind ')).toEqual(['dataset', 'model', 'robot'])
    expect(await completed('hub repo create --vis')).toEqual(['--visibility'])
    expect(await completed('hub completion ')).toEqual(['bash', 'zsh', 'fish'])
    expect(await completed('hub push fi')).toEqual([])
  })

  it.each(['zsh', 'fish'])('in %s has every command, and the shell can read it where there is one', async (shell) => {
    const { out } = await hub('completion', shell)
    for (const { path } of completionTree(program)) expect(out).toContain(path)
    const script = join(home, `completion.${shell}`)
    await writeFile(script, out)
    await run(shell, ['-n', script]).catch((error: NodeJS.ErrnoException) => expect(error.code).toBe('ENOENT'))
  })

  it('refuses another shell', async () => {
    expect((await hub('completion', 'tcsh')).code).toBe(2)
  })
})
